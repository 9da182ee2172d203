#include "stats/pedigree.hpp"

#include <fmt/format.h>

#include <map>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "stats/internal/family_graph.hpp"
#include "stats/internal/genotype_ratios.hpp"
#include "stats/internal/ratio_sums.hpp"
#include "stats/log_number.hpp"
#include "stats/site_walk.hpp"

namespace fastid::stats {
namespace {

/// What a member shows at a site.
Shown shown_of(const Member& member, std::size_t site) {
  return member.typed ? shown_at(*member.typed, site) : kNeither;
}

/// The sum of the coefficients, each times the probability of its founder alleles and, besides these, of the
/// alleles of a stranger, in one order.
double probability(std::span<const double> coefficients, std::size_t n_founders, Seen stranger, double q,
                   double theta) {
  const auto alleles = static_cast<unsigned>(2 * n_founders);
  double sum = 0;
  for (unsigned m = 0; m < coefficients.size(); ++m)
    sum += coefficients[m] *
           sequence_probability(q, theta, {}, {m + stranger.minor, alleles - m + stranger.major});
  return sum;
}

/// [x]: log10 of the ratio of the two hypotheses at a site where x is seen of the query.
Probabilities site_ratios(const FamilyTable& missing, std::size_t n_founders, double q, double theta,
                          const Readings& read) {
  Probabilities member{}, stranger{};
  for (unsigned g = 0; g < kGenotypes; ++g) {
    const double is_member = probability(missing.of(g), n_founders, {}, q, theta);
    double is_stranger = 0;
    for (std::size_t of = 0; of < kGenotypes; ++of)
      is_stranger += (g == 1 ? 2 : 1) * probability(missing.of(of), n_founders, {g, 2 - g}, q, theta);
    for (std::size_t x = 0; x < kGenotypes; ++x) {
      member[x] += is_member * read[g][x];
      stranger[x] += is_stranger * read[g][x];
    }
  }
  Probabilities ratios{};
  for (std::size_t x = 0; x < kGenotypes; ++x) ratios[x] = log10_quotient(member[x], stranger[x]);
  return ratios;
}

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

FamilyGraph graph_of(std::span<const Member> members, std::string_view source) {
  std::vector<Parents> parents;
  std::vector<std::string> names;
  for (const Member& member : members) {
    parents.push_back({member.father, member.mother});
    names.push_back(member.name);
  }
  return {parents, names, source};
}

}  // namespace

MissingMember::MissingMember(const PopulationModel& model, std::span<const Member> members,
                             std::size_t missing, std::string_view source)
    : typed_(ceil_div<std::size_t>(model.n_sites(), kWordBits)), blocks_(model.blocks()) {
  check_members(members, missing, source);
  const FamilyGraph family = graph_of(members, source);
  const FamilyGraph::Plan plan = family.plan({&missing, 1});
  const auto& [theta, w] = model.parameters();
  const Readings read = readings(w);
  std::map<std::vector<Shown>, FamilyTable> tables;  // by what the members show
  std::vector<Shown> shown(members.size());
  std::vector<Probabilities> evidence(members.size());
  for (std::size_t site = 0; site < model.n_sites(); ++site) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      shown[i] = shown_of(members[i], site);
      if (shown[i] != kNeither) typed_[site / kWordBits] |= Word{1} << site % kWordBits;
      for (std::size_t g = 0; g < kGenotypes; ++g)
        evidence[i][g] = shown[i] == kNeither ? 1 : read[g][shown[i]];
    }
    const auto [at, is_new] = tables.try_emplace(shown);
    if (is_new) at->second = family.table(plan, evidence);
    sites_.push_back(site_ratios(at->second, family.n_founders(), model.minor_freq()[site], theta, read));
  }
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
