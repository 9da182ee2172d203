#include "stats/mixture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "bits/popcount.hpp"
#include "stats/internal/allele_mixture.hpp"
#include "stats/internal/minor_copies.hpp"
#include "stats/site_walk.hpp"

namespace fastid::stats {
namespace {

/// How many of the known people carry the minor allele at a site, and how many are called there without it.
struct Known {
  unsigned carriers = 0, others = 0;
};

Known known_at(std::span<const RowView> known, std::size_t site) {
  Known at;
  const std::size_t word = site / kWordBits, shift = site % kWordBits;
  for (const RowView& row : known)
    if (row.called[word] >> shift & 1) ++(row.bits[word] >> shift & 1 ? at.carriers : at.others);
  return at;
}

/// One site of one hypothesis: the minor copies of the people whose bits are known, and of the others.
class SiteCopies {
 public:
  SiteCopies(double q, double theta, Known known, unsigned n, const Ibd& ibd)
      : q_(q), theta_(theta), known_(known), unread_(2 * (n - known.carriers - known.others)), ibd_(ibd) {}

  /// Adds to copies[c] P(c minor copies among all contributors, and the bits of the person and of the known
  /// people).
  void add(bool person, std::span<double> copies) const {
    for (unsigned g = person ? 1 : 0; g <= (person ? 2u : 0u); ++g)
      for (unsigned hom = 0; hom <= known_.carriers; ++hom) add(g, hom, copies);
  }

 private:
  /// The same for the case that the person has g minor copies and `hom` of the known carriers have two.
  void add(unsigned g, unsigned hom, std::span<double> copies) const {
    const unsigned of_known = known_.carriers + hom;
    const Seen seen{g + of_known, 2 * (1 + known_.carriers + known_.others) - g - of_known};
    const double orders = (g == 1 ? 2 : 1) * std::exp2(known_.carriers - hom) * choose(known_.carriers, hom);
    const double weight = orders * sequence_probability(q_, theta_, {}, seen);
    add_copies(q_, theta_, {seen, g, unread_, ibd_}, weight, copies.subspan(of_known));
  }

  static double choose(unsigned n, unsigned k) {
    double ways = 1;
    for (unsigned i = 0; i < k; ++i) ways = ways * (n - i) / (i + 1);
    return ways;
  }

  double q_, theta_;
  Known known_;
  unsigned unread_;  ///< alleles of the unknown contributors
  Ibd ibd_;
};

void check_share(std::string_view option, double value, double most, bool inclusive) {
  if (value >= 0 && (inclusive ? value <= most : value < most)) return;
  throw UsageError(
      fmt::format("{} is {}; give a number from 0 to {}{}", option, value, inclusive ? "" : "below ", most));
}

}  // namespace

void check_parameters(const MixtureParameters& parameters, std::size_t known) {
  if (parameters.drop_out) check_share("--drop-out", *parameters.drop_out, 1, false);
  check_share("--drop-in", parameters.drop_in, 0.5, true);
  const unsigned n = parameters.contributors.value_or(kMostContributors);
  if (n < 1 || n > kMostContributors)
    throw UsageError(fmt::format("--contributors is {}; give a number from 1 to {}", n, kMostContributors));
  if (known >= n)
    throw UsageError(fmt::format(
        "--known names {} of {} contributors; nobody is left to look for: give more --contributors", known,
        n));
}

BitContribution::BitContribution(const PopulationModel& model, std::span<const RowView> known, unsigned n,
                                 Relation contributor, const MixtureParameters& parameters)
    : Contribution(model, Encoding::kMinor, n, parameters) {
  const std::span<const double> freq = model.minor_freq();
  for (std::size_t site = 0; site < freq.size(); ++site) {
    const SiteCopies at(freq[site], model.parameters().theta, known_at(known, site), n, ibd_of(contributor));
    for (const bool person : {false, true}) {
      const std::span<double> copies = this->copies(site, person ? 1 : 0);
      at.add(person, copies);
      double all = 0;
      for (const double probability : copies) all += probability;
      for (double& probability : copies) probability /= all;
    }
  }
}

Contribution::Stain BitContribution::stain(double drop_out) const {
  Stain stain{};
  double lost = 1 - drop_in();
  for (std::size_t c = 0; c < terms(); ++c) {
    stain[0][c] = lost;
    stain[1][c] = 1 - lost;
    lost *= drop_out;
  }
  return stain;
}

std::vector<Event> not_seen_events(const PopulationModel& model, const RowView& mixture,
                                   std::span<const Word> compared, unsigned n, Encoding by) {
  const double theta = model.parameters().theta;
  std::vector<Event> events;
  // `lacking` and `other`: P(the next allele is the one that the mixture lacks), P(it is the other one),
  // after so many of the other one.
  const auto add = [&](const auto& lacking, const auto& other) {
    const double first = other(2 * n);
    events.push_back({lacking(2 * n) + first * lacking(2 * n + 1), first * other(2 * n + 1)});
  };
  for_each_compared(mixture, {mixture.bits, compared, {}}, [&](std::size_t site, bool, bool) {
    const double q = model.minor_freq()[site];
    const std::size_t shown = kind_at(mixture, site, by);
    if (shown == kMajorOnly)
      add(
          [&](unsigned seen) {
            return next_minor(q, theta, {0, seen});
          },
          [&](unsigned seen) {
            return next_major(q, theta, {0, seen});
          });
    else if (shown == kMinorOnly)
      add(
          [&](unsigned seen) {
            return next_major(q, theta, {seen, 0});
          },
          [&](unsigned seen) {
            return next_minor(q, theta, {seen, 0});
          });
  });
  return events;
}

double saturation(const RowView& mixture, Encoding by) {
  std::uint32_t saturated = 0;
  for (std::size_t word = 0; word < mixture.bits.size(); ++word)
    saturated += static_cast<std::uint32_t>(
        bits_set(mixture.bits[word] & (by == Encoding::kAlleles ? mixture.major[word] : ~Word{0})));
  const std::uint32_t called = count_set(mixture.called);
  return called == 0 ? 0 : static_cast<double>(saturated) / called;
}

MixtureModel::MixtureModel(const PopulationModel& model, std::span<const RowView> known,
                           const MixtureParameters& parameters, Encoding by)
    : model_(&model),
      known_(known.begin(), known.end()),
      parameters_(parameters),
      by_(by),
      table_(model, parameters, by) {
  check_parameters(parameters, known.size());
}

unsigned MixtureModel::fewest() const {
  return std::max(parameters_.drop_out ? 1 : kFewestWithDropOut, static_cast<unsigned>(known_.size()) + 1);
}

ConsideredContributors MixtureModel::considered(const RowView& mixture) const {
  const ContributorEstimate estimate = table_.estimate(mixture);
  const std::optional<unsigned> given = parameters_.contributors;
  return {estimate, given.value_or(std::max(estimate.low, fewest())),
          given.value_or(std::max(estimate.high, fewest()))};
}

const Contribution& MixtureModel::contribution(unsigned n, Relation contributor) const {
  const std::lock_guard lock(guard_);
  std::unique_ptr<const Contribution>& made = contributions_[{n, contributor}];
  if (made == nullptr && by_ == Encoding::kAlleles)
    made = std::make_unique<AlleleContribution>(*model_, known_, n, contributor, parameters_);
  else if (made == nullptr)
    made = std::make_unique<BitContribution>(*model_, known_, n, contributor, parameters_);
  return *made;
}

}  // namespace fastid::stats
