#include "stats/internal/stain_slots.hpp"

#include <array>
#include <memory>

#include "stats/internal/share_fit.hpp"

namespace fastid::stats {
namespace {

/// Adds to what is hidden at a site what the contributors besides the one in question hide.
/// \returns P(what is known of the known people)
double add_others(HiddenAlleles& hidden, const Copies& anybody, const KnownPeople& known, std::size_t site,
                  const StainSupport& support) {
  double all = 1;
  for (const double drop_out : support.unknown) hidden *= HiddenAlleles(anybody, drop_out);
  for (std::size_t k = 0; k < support.known.size(); ++k) {
    const Copies copies = copies_of_known(anybody, known.rows[k], site, known.by);
    hidden *= HiddenAlleles(copies, support.known[k]);
    all *= copies[0] + copies[1] + copies[2];
  }
  return all;
}

/// The shares of all contributors, that of the one in question first.
std::vector<double> all_shares(const StainSupport& support) {
  std::vector<double> shares{support.own};
  shares.insert(shares.end(), support.unknown.begin(), support.unknown.end());
  shares.insert(shares.end(), support.known.begin(), support.known.end());
  return shares;
}

}  // namespace

Copies ShownSlots::at(std::size_t place, std::size_t site, double p) const {
  const Copies anybody = copies_of_anybody(p);
  HiddenAlleles others;
  const double all = add_others(others, anybody, known_, site, support_);
  const ShownSigns signs = signs_of(kinds_[place], known_.by);
  Copies slot{};
  for (std::size_t g = 0; g < kGenotypes; ++g) {
    Copies own{};
    own[g] = 1;
    HiddenAlleles hidden = others;
    hidden *= HiddenAlleles(own, support_.own);
    slot[g] = shown_probability(signs, hidden, drop_in_, all);
  }
  return slot;
}

double both_shown(std::size_t site, double p, const KnownPeople& known, double drop_in,
                  const StainSupport& support) {
  const double none = 1 - drop_in;
  const Copies anybody = copies_of_anybody(p);
  HiddenAlleles hidden(anybody, support.own);
  const double all = add_others(hidden, anybody, known, site, support);
  const double shown = shown_probability(signs_of(kBothAlleles, known.by), hidden, drop_in, all),
               some = known.by == Encoding::kAlleles ? all - none * none * hidden.both : all;
  return shown / some;
}

MeasuredSlots::MeasuredSlots(const Signals& signals, const KnownPeople& known, const StainSupport& support)
    : known_(known),
      support_(support),
      n_sets_(sets_of_genotypes(support.contributors)),
      values_(signals.n_sites() * n_sets_) {
  const std::unique_ptr<SignalTable> table =
      signals.table(minor_shares(all_shares(support)), support.measured->parameters);
  for (std::size_t place = 0; place < signals.n_sites(); ++place)
    for (std::size_t set = 0; set < n_sets_; ++set) values_[place * n_sets_ + set] = table->value(place, set);
}

Copies MeasuredSlots::at(std::size_t place, std::size_t site, double p) const {
  const double* const values = values_.data() + place * n_sets_;
  Copies slot{};
  if (const Relation kin = support_.measured->kin; kin != Relation::kUnrelated) {
    for (std::size_t g = 0; g < kGenotypes; ++g) {
      const Copies other = copies_of_relative(g, p, ibd_of(kin));
      for (std::size_t h = 0; h < kGenotypes; ++h) slot[g] += other[h] * values[g + kGenotypes * h];
    }
    return slot;
  }
  const Copies anybody = copies_of_anybody(p);
  std::array<Copies, kMostByShares> others;
  std::size_t n = 0;
  for (; n < support_.unknown.size(); ++n) others[n] = anybody;
  for (std::size_t k = 0; k < support_.known.size(); ++k)
    others[n++] = copies_of_known(anybody, known_.rows[k], site, known_.by);
  std::array<double, sets_of_genotypes(kMostByShares - 1)> weights;
  weigh_sets(std::span(others).first(n), weights);
  for (std::size_t set = 0; set < n_sets_ / kGenotypes; ++set)
    for (std::size_t g = 0; g < kGenotypes; ++g) slot[g] += weights[set] * values[g + kGenotypes * set];
  return slot;
}

}  // namespace fastid::stats
