#include "stats/pedigree.hpp"

#include <fmt/format.h>

#include <list>
#include <utility>

#include "base/error.hpp"
#include "stats/family_likelihood.hpp"
#include "stats/internal/ratio_sums.hpp"
#include "stats/site_walk.hpp"

namespace fastid::stats {
namespace {

/// \throws InputError as MissingMember does
void check_members(std::span<const Member> members, std::size_t missing, std::string_view source) {
  if (members.size() > kMostMembers)
    throw InputError(source, "", fmt::format("the family has {} members", members.size()),
                     fmt::format("list at most {}, the nearest relatives", kMostMembers));
  if (missing >= members.size())
    throw InputError(source, fmt::format("member {}", missing + 1), "the missing member is not listed",
                     "list all members");
  if (members[missing].typed) {
    const std::string& name = members[missing].name;
    throw InputError(source, name.empty() ? fmt::format("member {}", missing + 1) : "person " + name,
                     "the missing member is typed", "leave the genotypes out, or ask for another member");
  }
}

/// Members with what was read of them.
struct ReadMembers {
  ReadMembers(std::span<const Member> members, std::size_t n_sites) {
    for (const Member& member : members) {
      relatives.push_back({member.name, {member.father, member.mother}, nullptr});
      if (member.typed) relatives.back().readings = &readings.emplace_back(*member.typed, n_sites);
    }
  }

  std::list<PersonReadings> readings;
  std::vector<Relative> relatives;
};

}  // namespace

std::vector<std::optional<double>> consistency_of(std::span<const PopulationModel> models,
                                                  std::span<const Member> members, std::string_view source) {
  const AlleleModel alleles(models);
  const ReadMembers read(members, alleles.n_sites());
  return FamilyLikelihood(alleles, read.relatives, {}, source).consistency();
}

MissingMember::MissingMember(const PopulationModel& model, std::span<const Member> members,
                             std::size_t missing, std::string_view source)
    : blocks_(model.blocks()) {
  check_members(members, missing, source);
  const AlleleModel alleles({&model, 1});
  const ReadMembers read(members, model.n_sites());
  MissingWeights weights = FamilyLikelihood(alleles, read.relatives, {missing}, source).weights(0).front();
  sites_ = log10_ratios(alleles, weights);
  typed_ = std::move(weights.typed);
}

double MissingMember::log10_lr(const RowView& query) const {
  if (blocks_ == nullptr) return log10_lr({&query, 1}).front();
  double sum = 0;
  const std::vector<Word> compared = compared_sites(query, {query.bits, typed_, {}});
  const SiteWeights weights(blocks_.get(), compared);
  for_each_called({query.bits, compared, {}}, [&](std::size_t site, bool) {
    sum += weights[site] * sites_[site][shown_at(query, site)];
  });
  return sum;
}

std::vector<double> MissingMember::log10_lr(std::span<const RowView> queries) const {
  std::vector<double> ratios;
  if (blocks_ != nullptr) {
    for (const RowView& query : queries) ratios.push_back(log10_lr(query));
    return ratios;
  }
  std::vector<TwoPlanes> people;
  for (const RowView& query : queries) people.push_back({query.major, query.bits});
  const auto fill = [this](std::size_t word, WordFigures& figures) {
    if (typed_[word] == 0) return false;
    figures = {};
    for_each_set(word, typed_[word], [&](std::size_t site) {
      for (std::size_t seen = 0; seen < kSeenByAlleles.size(); ++seen)
        if (kSeenByAlleles[seen] != kNeither)
          figures[site % kWordBits][seen][0] = sites_[site][kSeenByAlleles[seen]];
    });
    return true;
  };
  std::vector<Figures> sums(queries.size());
  add_sites(typed_.size(), fill, people, sums);
  for (const Figures& of : sums) ratios.push_back(of[0]);
  return ratios;
}

}  // namespace fastid::stats
