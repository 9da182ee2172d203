#include "linked/linked_family.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "base/checked.hpp"
#include "base/thread_pool.hpp"
#include "linked/internal/family_emissions.hpp"
#include "linked/internal/family_pass.hpp"
#include "stats/likelihoods.hpp"
#include "stats/shown.hpp"

namespace fastid::linked {
namespace {

using stats::kGenotypes;

constexpr std::size_t kMostVectorBytes = std::size_t{256} << 20;   ///< of all groups that pass together
constexpr std::size_t kMostEmissionBytes = std::size_t{32} << 20;  ///< of one stretch and hypothesis
constexpr std::size_t kMostSites = 256;                            ///< of a stretch

std::vector<Descent> descents_of(std::span<const stats::Member> members, std::optional<std::size_t> missing) {
  std::vector<Descent> all;
  for (std::size_t i = 0; i < members.size(); ++i)
    all.push_back({members[i].father, members[i].mother, members[i].typed || i == missing});
  return all;
}

/// P(what is read of a member at a site | 0, 1, 2 minor copies); no value where nothing is read.
std::optional<GenotypeLikelihoods> evidence_at(const RowView& row, std::size_t site,
                                               const stats::Readings& read) {
  const stats::Shown shown = stats::shown_at(row, site);
  if (shown == stats::kNeither) return std::nullopt;
  GenotypeLikelihoods of{};
  for (std::size_t g = 0; g < kGenotypes; ++g) of[g] = read[g][shown];
  return of;
}

/// The probability of recombination over two neighbouring intervals.
double joined(double first, double second) {
  return first * (1 - second) + second * (1 - first);
}

}  // namespace

/// Neighbouring sites that are weighed for all people together.
struct LinkedFamily::Chunk {
  Chunk(std::size_t n, const Inheritance& with, const Inheritance& without)
      : member(n * with.n_patterns()), stranger(n * without.n_patterns()), recombination(n) {}

  std::vector<FamilyEmission> member, stranger;  ///< [site * patterns + pattern]
  std::vector<double> recombination;
};

unsigned LinkedFamily::bits_of(std::span<const stats::Member> members, std::size_t missing) {
  return Inheritance::bits_of(descents_of(members, missing));
}

std::size_t LinkedFamily::most_alleles(std::span<const stats::Member> members, std::size_t missing) {
  return Inheritance::most_alleles(descents_of(members, missing));
}

bool LinkedFamily::can_follow(std::span<const stats::Member> members, std::size_t missing,
                              unsigned most_bits) {
  constexpr std::size_t kMostAlleles = 16, kAllelesOfMostBits = 10;  // of each vector at most
  const unsigned bits = bits_of(members, missing);
  const std::size_t alleles = most_alleles(members, missing);
  return bits <= most_bits && alleles <= kMostAlleles &&
         bits + alleles <= std::max(most_bits, kMostFamilyBits) + kAllelesOfMostBits;
}

LinkedFamily::LinkedFamily(const stats::PopulationModel& model, std::span<const MappedSite> sites,
                           std::span<const stats::Member> members, std::size_t missing)
    : with_(descents_of(members, missing)),
      without_(descents_of(members, std::nullopt)),
      parameters_(model.parameters()) {
  std::vector<RowView> typed;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (i == missing) place_ = typed.size();
    if (members[i].typed) typed.push_back(*members[i].typed);
  }
  const stats::Readings read = stats::readings(parameters_.error_rate);
  const std::vector<double> recombination = recombination_before(sites);
  double before = 0;
  for (std::size_t s = 0; s < sites.size(); ++s) {
    before = joined(before, recombination[s]);
    std::vector<GenotypeLikelihoods> evidence(typed.size(), {1, 1, 1});
    bool any = false;
    for (std::size_t i = 0; i < typed.size(); ++i)
      if (const auto of = evidence_at(typed[i], sites[s].site, read)) {
        evidence[i] = *of;
        any = true;
      }
    if (!any) continue;
    sites_.push_back({sites[s].site, before, model.minor_freq()[sites[s].site]});
    evidence_.push_back(std::move(evidence));
    before = 0;
  }
  if (model.blocks() == nullptr) return;
  std::vector<Word> weighed((model.n_sites() + kWordBits - 1) / kWordBits);
  for (const Site& of : sites_) weighed[of.site / kWordBits] |= Word{1} << of.site % kWordBits;
  const stats::SiteWeights weights = model.weights(weighed);
  for (Site& of : sites_) of.weight = weights[of.site];
}

/// Fills in a site's emissions. Where the family's readings are impossible, they say nothing.
void LinkedFamily::fill(const Site& site, std::size_t s, Chunk& chunk, const FamilyEmissions& member,
                        const FamilyEmissions& stranger) const {
  const stats::Readings read = stats::readings(parameters_.error_rate);
  const SequenceTable sequences(site.minor_freq, parameters_.theta,
                                std::max(member.most_alleles(), stranger.most_alleles()));
  const std::vector<GenotypeLikelihoods>& family = evidence_[&site - sites_.data()];
  std::vector<GenotypeLikelihoods> all = family;
  all.insert(all.begin() + static_cast<std::ptrdiff_t>(place_), GenotypeLikelihoods{1, 1, 1});
  const auto of_member = std::span(chunk.member).subspan(s * with_.n_patterns(), with_.n_patterns()),
             of_stranger =
                 std::span(chunk.stranger).subspan(s * without_.n_patterns(), without_.n_patterns());
  member.fill(all, read, sequences, of_member);
  stranger.fill(family, read, sequences, of_stranger);
  const bool possible =
      std::ranges::any_of(of_stranger, [](const FamilyEmission& of) { return of[stats::kNeither] > 0; });
  for (const std::span<FamilyEmission>& emissions : {of_member, of_stranger})
    for (FamilyEmission& of : emissions)
      for (double& probability : of) {
        if (!possible) probability = 1;
        if (site.weight != 1) probability = std::pow(probability, site.weight);
      }
  chunk.recombination[s] = site.recombination;
}

void LinkedFamily::weigh(std::span<const RowView> people, std::size_t threads, std::span<double> to) const {
  const FamilyEmissions member(with_, place_), stranger(without_, std::nullopt);
  const std::size_t n_groups = ceil_div<std::size_t>(people.size(), kLanes);
  std::vector<FamilyForward> forward;  // of each group as members, then as strangers
  for (const Inheritance* const of : {&with_, &without_})
    forward.resize(forward.size() + n_groups, FamilyForward(of->n_vectors()));
  const std::size_t bytes = (with_.n_patterns() + without_.n_patterns()) * sizeof(FamilyEmission),
                    at_a_time = std::clamp<std::size_t>(kMostEmissionBytes / bytes, 1, kMostSites);
  for (std::size_t first = 0; first < sites_.size(); first += at_a_time) {
    const std::span<const Site> sites =
        std::span(sites_).subspan(first, std::min(at_a_time, sites_.size() - first));
    Chunk chunk(sites.size(), with_, without_);
    in_parallel(sites.size(), threads, [&](std::size_t s) { fill(sites[s], s, chunk, member, stranger); });
    in_parallel(forward.size(), threads, [&](std::size_t i) {
      const auto group =
          people.subspan(i % n_groups * kLanes, std::min(kLanes, people.size() - i % n_groups * kLanes));
      std::vector<ShownInLanes> shown(sites.size());
      for (std::size_t s = 0; s < sites.size(); ++s) {
        shown[s].fill(stats::kNeither);
        for (std::size_t lane = 0; lane < group.size(); ++lane)
          shown[s][lane] = static_cast<std::uint8_t>(stats::shown_at(group[lane], sites[s].site));
      }
      const bool as_member = i < n_groups;
      pass_family(as_member ? with_ : without_,
                  {chunk.recombination, as_member ? chunk.member : chunk.stranger, shown}, forward[i]);
    });
  }
  for (std::size_t i = 0; i < people.size(); ++i) {
    const double is_member = forward[i / kLanes].log10()[i % kLanes],
                 is_stranger = forward[n_groups + i / kLanes].log10()[i % kLanes];
    to[i] = std::isfinite(is_stranger) ? is_member - is_stranger : 0;
  }
}

std::vector<double> LinkedFamily::log10_lr(std::span<const RowView> people, std::size_t threads) const {
  const std::size_t of_group = (with_.n_vectors() + without_.n_vectors()) * sizeof(Lanes),
                    at_a_time = kLanes * std::max<std::size_t>(1, kMostVectorBytes / of_group);
  std::vector<double> ratios(people.size());
  for (std::size_t first = 0; first < people.size(); first += at_a_time) {
    const std::size_t n = std::min(at_a_time, people.size() - first);
    weigh(people.subspan(first, n), threads, std::span(ratios).subspan(first, n));
  }
  return ratios;
}

}  // namespace fastid::linked
