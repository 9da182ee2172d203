// The likelihoods of one hypothesis: by products over sites of what two planes choose, for several drop-outs
// at a time.
#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <numbers>
#include <utility>

#include "bits/popcount.hpp"
#include "stats/internal/drop_out.hpp"
#include "stats/internal/site_sums.hpp"
#include "stats/log_number.hpp"
#include "stats/mixture.hpp"
#include "stats/shown.hpp"
#include "stats/site_walk.hpp"

namespace fastid::stats {
namespace {

/// A stretch of the logit of the drop-out, in which a likelihood is interpolated between kNodes Chebyshev
/// nodes. The logarithm of a site's probability is analytic up to a distance of at least pi / 2 from the real
/// line, as a rule of pi, so that the error falls by a factor of 5.6 to 11 with each node: it is below 1e-12
/// a site.
class Stretch {
 public:
  static constexpr std::size_t kNodes = 16, kStretches = 12;

  /// \param index  in [0, kStretches)
  explicit Stretch(std::size_t index) : low_(edge(index)), high_(edge(index + 1)) {}

  /// That which holds a logit.
  static std::size_t of(double logit_of) {
    const double at = (logit_of - edge(0)) / (edge(1) - edge(0));
    return static_cast<std::size_t>(std::clamp(at, 0.0, kStretches - 1.0));
  }

  double low() const { return low_; }
  double high() const { return high_; }
  double node(std::size_t i) const { return (low_ + high_) / 2 + (high_ - low_) / 2 * std::cos(angle(i)); }

  using Series = std::array<double, kNodes>;
  /// The Chebyshev series through values at the nodes.
  static Series series(const Series& at_nodes) {
    static const std::array<Series, kNodes> parts = [] {
      std::array<Series, kNodes> of_order{};
      for (std::size_t m = 0; m < kNodes; ++m)
        for (std::size_t i = 0; i < kNodes; ++i)
          of_order[m][i] = (m == 0 ? 1. : 2.) / kNodes * std::cos(static_cast<double>(m) * angle(i));
      return of_order;
    }();
    Series series{};
    for (std::size_t m = 0; m < kNodes; ++m)
      for (std::size_t i = 0; i < kNodes; ++i) series[m] += parts[m][i] * at_nodes[i];
    return series;
  }
  double value(const Series& series, double logit_of) const {
    const double x = (2 * logit_of - low_ - high_) / (high_ - low_);
    double after = 0, last = 0;  // Clenshaw
    for (std::size_t m = kNodes; m-- > 1;) after = std::exchange(last, 2 * x * last - after + series[m]);
    return x * last - after + series[0];
  }

 private:
  static double angle(std::size_t i) { return std::numbers::pi * (static_cast<double>(i) + 0.5) / kNodes; }
  static double edge(std::size_t index) {
    static const double low = logit(kLeastDropOut), high = logit(kMostDropOut);
    return low + (high - low) * static_cast<double>(index) / kStretches;
  }

  double low_, high_;
};

/// The search for one person's best drop-out.
struct SearchedPerson {
  std::size_t index = 0;                        ///< among the people
  Likelihood best;                              ///< of those tried
  double low = 0, high = 0;                     ///< the logits of those tried beside it
  std::size_t stretch = 0;                      ///< that is looked at
  bool from_below = false, from_above = false;  ///< the stretch below (above) has been looked at

  /// The best likelihood of the stretch; no value where the next one is to be looked at first.
  std::optional<Likelihood> look_at(const Stretch& at, const Stretch::Series& series) {
    const double first = std::max(low, at.low()), last = std::min(high, at.high());
    const auto value = [&](double logit_of) { return at.value(series, logit_of); };
    const double peak = peak_between(first, last, value);
    if (last < high && !from_above && value(last) >= value(peak)) {
      from_below = true;
      ++stretch;
      return std::nullopt;
    }
    if (first > low && !from_below && value(first) >= value(peak)) {
      from_above = true;
      --stretch;
      return std::nullopt;
    }
    return Likelihood{value(peak), share_of(peak)};
  }
};

/// \param values  of the person at each drop-out that was tried \param best  of them
SearchedPerson search_beside(std::span<const double> values, std::span<const double> tried,
                             std::size_t best) {
  const std::size_t before = best > 0 ? best - 1 : 0, after = std::min(best + 1, tried.size() - 1);
  SearchedPerson person{
      .best = {values[best], tried[best]}, .low = logit(tried[before]), .high = logit(tried[after])};
  double at = logit(tried[best]);
  if (before < best && best < after)
    at += top_of(values[before], values[best], values[after]) * (person.high - person.low) / 2;
  person.stretch = Stretch::of(std::clamp(at, person.low, person.high));
  return person;
}

}  // namespace

/// The products of a mixture's sites for people, at several drop-outs.
class Contribution::Products {
 public:
  Products(const Contribution& hypothesis, const RowView& mixture)
      : hypothesis_(hypothesis), mixture_(mixture) {}

  /// log10 P(what the mixture shows | each person) at up to kFigures drop-outs; no value where a probability
  /// is too small.
  std::optional<std::vector<Figures>> at(std::span<const double> drop_outs,
                                         std::span<const RowView> people) const {
    const bool alleles = hypothesis_.by_ == Encoding::kAlleles;
    ByKind shown{};
    Figures some_shown{};
    for (std::size_t i = 0; i < drop_outs.size(); ++i) {
      const Stain stain = hypothesis_.stain(drop_outs[i]);
      for (std::size_t kind = 0; kind < kGenotypes; ++kind)
        for (std::size_t c = 0; c < hypothesis_.terms_; ++c) shown[kind][c][i] = stain[kind][c];
      some_shown[i] = std::log10(1 - stain[kNeither][0]);
    }
    std::vector<TwoPlanes> planes;
    for (const RowView& person : people)
      planes.push_back({alleles ? person.major : person.called, person.bits});
    for (auto& of_kind : shown)
      for (Figures& row : of_kind)
        std::fill(row.begin() + static_cast<std::ptrdiff_t>(drop_outs.size()), row.end(), 1);
    bool fits = true, first = true;
    const auto fill = [&](std::size_t word, WordFigures& figures) {
      if (mixture_.called[word] == 0) return false;
      if (std::exchange(first, false))
        for (auto& site : figures) std::ranges::for_each(site, [](Figures& of) { of.fill(1); });
      fits &= fill_word(word, shown, figures);
      return true;
    };
    std::vector<Figures> log10 = log10_products(mixture_.called.size(), fill, planes);
    if (!fits) return std::nullopt;
    for (std::size_t i = 0; i < people.size(); ++i) {
      const double compared = compared_sites_of(people[i]);
      for (std::size_t d = 0; d < drop_outs.size(); ++d) log10[i][d] -= compared * some_shown[d];
    }
    return log10;
  }

  /// The same at the nodes of a stretch: of each person.
  std::optional<std::vector<Stretch::Series>> at(const Stretch& stretch,
                                                 std::span<const RowView> people) const {
    static_assert(Stretch::kNodes % kFigures == 0);
    std::vector<Stretch::Series> of_people(people.size());
    for (std::size_t first = 0; first < Stretch::kNodes; first += kFigures) {
      std::array<double, kFigures> drop_outs{};
      for (std::size_t d = 0; d < kFigures; ++d) drop_outs[d] = share_of(stretch.node(first + d));
      const auto values = at(drop_outs, people);
      if (!values) return std::nullopt;
      for (std::size_t i = 0; i < people.size(); ++i)
        std::ranges::copy((*values)[i], of_people[i].begin() + static_cast<std::ptrdiff_t>(first));
    }
    return of_people;
  }

  std::uint32_t compared_sites_of(const RowView& person) const {
    std::uint32_t compared = 0;
    for (std::size_t word = 0; word < person.called.size(); ++word)
      compared += static_cast<std::uint32_t>(bits_set(mixture_.called[word] & person.called[word]));
    return compared;
  }

 private:
  /// [kind][c]: of each drop-out, P(the mixture shows the kind | c minor copies).
  using ByKind = std::array<std::array<Figures, 2 * kMostContributors + 1>, kGenotypes>;

  bool fill_word(std::size_t word, const ByKind& shown, WordFigures& figures) const {
    // Where the person's kinds stand among what two planes can show (stats/internal/ratio_sums.hpp).
    constexpr std::array<std::size_t, kGenotypes> kByAlleles{1, 3, 2}, kByBits{1, 3, 0};
    const auto& places = hypothesis_.by_ == Encoding::kAlleles ? kByAlleles : kByBits;
    for_each_set(word, ~mixture_.called[word], [&](std::size_t site) {
      for (std::size_t person = 0; person < hypothesis_.kinds_; ++person)
        figures[site % kWordBits][places[person]].fill(1);
    });
    std::array<WeightedRows, kWordBits * kGenotypes> asked;
    std::size_t n = 0;
    for_each_set(word, mixture_.called[word], [&](std::size_t site) {
      const auto& rows = shown[kind_at(mixture_, site, hypothesis_.by_)];
      for (std::size_t person = 0; person < hypothesis_.kinds_; ++person)
        asked[n++] = {hypothesis_.copies(site, person), rows.data(),
                      &figures[site % kWordBits][places[person]]};
    });
    return weigh_rows(std::span(asked).first(n), hypothesis_.terms_);
  }

  const Contribution& hypothesis_;
  RowView mixture_;
};

Contribution::Contribution(const PopulationModel& model, Encoding by, unsigned n,
                           const MixtureParameters& parameters)
    : drop_in_(parameters.drop_in),
      by_(by),
      kinds_(kinds_shown(by)),
      terms_(2 * std::size_t{n} + 1),
      copies_(model.n_sites() * kinds_ * terms_),
      tried_(parameters.drop_out ? std::vector{*parameters.drop_out} : drop_outs_to_try()),
      blocks_(model.blocks()) {}

double Contribution::probability(const double* copies, std::size_t mixture, const Stain& stain) const {
  double sum = 0;
  for (std::size_t c = 0; c < terms_; ++c) sum += copies[c] * stain[mixture][c];
  return sum;
}

double Contribution::log10_at(std::size_t site, std::size_t mixture, std::size_t person,
                              double drop_out) const {
  const Stain stain = this->stain(drop_out);
  return std::log10(probability(copies(site, person), mixture, stain) / (1 - stain[kNeither][0]));
}

std::vector<double> Contribution::log10_at_all(double drop_out) const {
  const Stain stain = this->stain(drop_out);
  std::vector<double> all;
  for (std::size_t site = 0; site * kinds_ * terms_ < copies_.size(); ++site)
    for (std::size_t mixture = 0; mixture < kinds_; ++mixture)
      for (std::size_t person = 0; person < kinds_; ++person)
        all.push_back(
            std::log10(probability(copies(site, person), mixture, stain) / (1 - stain[kNeither][0])));
  return all;
}

Likelihood Contribution::of(const RowView& mixture, const RowView& person) const {
  return of(mixture, {&person, 1}).front();
}

std::vector<Likelihood> Contribution::of(const RowView& mixture, std::span<const RowView> people) const {
  if (blocks_ == nullptr)
    if (auto found = by_products(mixture, people)) return std::move(*found);
  std::vector<Likelihood> found;
  for (const RowView& person : people) found.push_back(site_by_site(mixture, person));
  return found;
}

Likelihood Contribution::site_by_site(const RowView& mixture, const RowView& person) const {
  /// What is seen at one site, in a form that sums run over.
  struct Pair {
    const double* copies = nullptr;
    std::size_t mixture = 0;
    double weight = 1;
  };
  std::vector<Pair> pairs;
  double weight = 0;
  const SiteWeights weights(blocks_.get(), compared_sites(mixture, person));
  for_each_compared(mixture, person, [&](std::size_t site, bool, bool) {
    pairs.push_back({copies(site, kind_at(person, site, by_)), kind_at(mixture, site, by_), weights[site]});
    weight += weights[site];
  });
  const auto with = [&](double drop_out) {
    const Stain stain = this->stain(drop_out);
    LogProduct product;
    for (const Pair& pair : pairs)
      product.multiply(probability(pair.copies, pair.mixture, stain), pair.weight);
    return Likelihood{product.log10() - weight * std::log10(1 - stain[kNeither][0]), drop_out};
  };
  std::vector<Likelihood> tried(tried_.size());
  std::ranges::transform(tried_, tried.begin(), with);
  const auto best = std::ranges::max_element(tried, {}, &Likelihood::log10);
  if (tried.size() == 1 || pairs.empty() || !std::isfinite(best->log10)) return *best;
  const double before = best == tried.begin() ? best->drop_out : std::prev(best)->drop_out,
               after = std::next(best) == tried.end() ? best->drop_out : std::next(best)->drop_out;
  const Likelihood between = with(share_of(
      peak_between(logit(before), logit(after), [&](double at) { return with(share_of(at)).log10; })));
  return between.log10 > best->log10 ? between : *best;
}

std::optional<std::vector<Likelihood>> Contribution::by_products(const RowView& mixture,
                                                                 std::span<const RowView> people) const {
  static_assert(kTriedDropOuts <= kFigures);
  const Products products(*this, mixture);
  const auto tried = products.at(tried_, people);
  if (!tried) return std::nullopt;
  std::vector<Likelihood> found;
  std::vector<SearchedPerson> searched;
  for (std::size_t i = 0; i < people.size(); ++i) {
    const auto values = std::span((*tried)[i]).first(tried_.size());
    const auto best = static_cast<std::size_t>(std::ranges::max_element(values) - values.begin());
    found.push_back({values[best], tried_[best]});
    if (tried_.size() == 1 || products.compared_sites_of(people[i]) == 0 || !std::isfinite(values[best]))
      continue;
    searched.push_back(search_beside(values, tried_, best));
    searched.back().index = i;
  }
  while (!searched.empty()) {
    std::map<std::size_t, std::vector<SearchedPerson>> by_stretch;
    for (const SearchedPerson& person : searched) by_stretch[person.stretch].push_back(person);
    searched.clear();
    for (auto& [index, some] : by_stretch) {
      const Stretch stretch(index);
      std::vector<RowView> rows;
      for (const SearchedPerson& person : some) rows.push_back(people[person.index]);
      const auto at_nodes = products.at(stretch, rows);
      if (!at_nodes) return std::nullopt;
      for (std::size_t i = 0; i < some.size(); ++i) {
        const auto peak = some[i].look_at(stretch, Stretch::series((*at_nodes)[i]));
        if (!peak)
          searched.push_back(some[i]);
        else if (peak->log10 > some[i].best.log10)
          found[some[i].index] = *peak;
      }
    }
  }
  return found;
}

}  // namespace fastid::stats
