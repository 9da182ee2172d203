#include "stats/kinship.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "stats/internal/ratio_sums.hpp"
#include "stats/site_walk.hpp"

namespace fastid::stats {
namespace {

/// [degree]: KING's bound below it.
constexpr std::array kThresholds{.354, .177, .0884, .0442};

}  // namespace

std::optional<double> king_kinship(const engine::GenotypeCounts& counts) {
  const std::uint32_t least = std::min(counts.first_het, counts.second_het);
  if (least == 0) return std::nullopt;
  const std::uint32_t one_het = counts.first_het + counts.second_het - 2 * counts.both_het;
  return 0.5 - (4.0 * counts.ibs0 + one_het) / (4.0 * least);
}

std::string_view name_of(Degree degree) {
  static constexpr std::array<std::string_view, 5> kNames{"same", "first-degree", "second-degree",
                                                          "third-degree", "unrelated"};
  return kNames[static_cast<std::size_t>(degree)];
}

Degree degree_of(double kinship) {
  const auto passed = std::ranges::find_if(kThresholds, [&](double least) { return kinship > least; });
  return static_cast<Degree>(passed - kThresholds.begin());
}

double least_kinship(Degree degree) {
  return kThresholds[static_cast<std::size_t>(degree)];
}

std::optional<double> kinship_spread(std::span<const double> minor_freq) {
  double sum = 0, squares = 0;
  for (const double q : minor_freq) {
    const double heterozygous = 2 * q * (1 - q);
    sum += heterozygous;
    squares += heterozygous * heterozygous;
  }
  if (sum == 0) return std::nullopt;
  return std::sqrt(3 * squares + (1 - 2 / std::numbers::pi) / 2 * (sum - squares)) / (2 * sum);
}

Degree most_distant_degree(double spread) {
  constexpr double kOneInTenThousand = 3.719, kFourInFive = 0.8416;  // of a normal distribution
  struct Relatives {
    Degree degree;
    double kinship, inherited;  ///< its mean and standard deviation, all sites known
  };
  for (const auto& [degree, kinship, inherited] : {Relatives{Degree::kThird, 1. / 16, .012},
                                                   {Degree::kSecond, 1. / 8, .0165},
                                                   {Degree::kFirst, 1. / 4, .02}}) {
    const double bound = least_kinship(degree);
    if (bound >= kOneInTenThousand * spread && kinship - bound >= kFourInFive * std::hypot(spread, inherited))
      return degree;
  }
  return Degree::kSame;
}

KinshipModel::KinshipModel(const PopulationModel& model) : blocks_(model.blocks()) {
  const auto& [theta, w] = model.parameters();
  for (const double q : model.minor_freq()) sites_.push_back(genotype_ratios(q, theta, w));
}

RelationRatios KinshipModel::ratios(const RowView& first, const RowView& second) const {
  if (blocks_ == nullptr) return ratios(first, {&second, 1}).front();
  RelationRatios sum;
  const SiteWeights weights(blocks_.get(), compared_sites(first, second));
  for_each_compared(first, second, [&](std::size_t site, bool, bool) {
    sum.add(sites_[site][shown_at(first, site)][shown_at(second, site)], weights[site]);
  });
  return sum;
}

std::vector<RelationRatios> KinshipModel::ratios(const RowView& first,
                                                 std::span<const RowView> others) const {
  if (blocks_ == nullptr)
    return sums_of_ratios(
        first, Encoding::kAlleles,
        [this](std::size_t site, std::size_t x, std::size_t y) -> const RelationRatios& {
          return sites_[site][x][y];
        },
        others);
  std::vector<RelationRatios> all;
  for (const RowView& other : others) all.push_back(ratios(first, other));
  return all;
}

RelationCall likeliest_relation(const RelationRatios& ratios, double least_margin) {
  std::array<Relation, kRelations> order{};
  for (std::size_t r = 0; r < kRelations; ++r) order[r] = static_cast<Relation>(r);
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](Relation relation) { return ratios[relation]; });
  const double margin = ratios[order[0]] - ratios[order[1]];
  return {order[0], order[1], ratios[order[0]], margin, margin >= least_margin};
}

double log10_expected_strangers(double log10_lr, std::uint64_t n_profiles) {
  return std::log10(static_cast<double>(n_profiles)) - std::max(0.0, log10_lr);
}

}  // namespace fastid::stats
