#include "stats/internal/stain_slots.hpp"

#include <algorithm>
#include <array>
#include <memory>

#include "stats/internal/share_fit.hpp"

namespace fastid::stats {
namespace {

/// Multiplies the probabilities that alleles are hidden at a site by the probabilities of the contributors
/// besides the one in question.
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

/// The probabilities that the contributors besides the one in question hide alleles, and P(what is known of
/// the known people), each as a polynomial in p: [m] is what p^m (1 - p)^(alleles - m) is multiplied by.
class OtherTerms {
 public:
  /// Adds a person. \param orders  of 0, 1, 2 minor copies (kOrdersOfCopies); 0 for copies that are ruled out
  void add(const Copies& orders, double d) {
    alleles_ += 2;
    times(minor_, {orders[0], d * orders[1], d * d * orders[2]});
    times(major_, {d * d * orders[0], d * orders[1], orders[2]});
    times(both_, {d * d * orders[0], d * d * orders[1], d * d * orders[2]});
    times(all_, orders);
  }

  HiddenAlleles hidden(std::size_t m) const {
    HiddenAlleles at;
    at.minor = minor_[m], at.major = major_[m], at.both = both_[m];
    return at;
  }
  double all(std::size_t m) const { return all_[m]; }

 private:
  using Terms = std::array<double, kMostOtherAlleles + 1>;

  void times(Terms& terms, const Copies& by) const {
    for (std::size_t m = alleles_ + 1; m-- > 0;) {
      double sum = 0;
      for (std::size_t g = 0; g < std::min(m + 1, kGenotypes); ++g) sum += terms[m - g] * by[g];
      terms[m] = sum;
    }
  }

  std::size_t alleles_ = 0;
  Terms minor_{1}, major_{1}, both_{1}, all_{1};
};

/// The minor copies of a set of genotypes.
std::size_t minor_copies(std::size_t set) {
  std::size_t copies = 0;
  for (; set > 0; set /= kGenotypes) copies += set % kGenotypes;
  return copies;
}

/// The shares of all contributors, beginning with the one in question.
std::vector<double> all_shares(const StainSupport& support) {
  std::vector<double> shares{support.own};
  shares.insert(shares.end(), support.unknown.begin(), support.unknown.end());
  shares.insert(shares.end(), support.known.begin(), support.known.end());
  return shares;
}

}  // namespace

SlotTerms ShownSlots::at(std::size_t place, std::size_t site) const {
  SlotTerms slot(2 * (support_.unknown.size() + support_.known.size()));
  OtherTerms others;
  for (const double drop_out : support_.unknown) others.add(kOrdersOfCopies, drop_out);
  for (std::size_t k = 0; k < support_.known.size(); ++k)
    others.add(copies_of_known(kOrdersOfCopies, known_.rows[k], site, known_.by), support_.known[k]);
  const ShownSigns signs = signs_of(kinds_[place], known_.by);
  for (std::size_t g = 0; g < kGenotypes; ++g) {
    Copies own{};
    own[g] = 1;
    const HiddenAlleles of_own(own, support_.own);
    for (std::size_t m = 0; m <= slot.alleles; ++m) {
      HiddenAlleles hidden = others.hidden(m);
      hidden *= of_own;
      slot.of[g][m] = shown_probability(signs, hidden, drop_in_, others.all(m));
    }
  }
  return slot;
}

// A key encodes what the stain shows and what is seen of each known person.
std::size_t ShownSlots::n_keys() const {
  constexpr std::size_t kMostKnown = 4;
  std::size_t keys = kGenotypes;
  if (support_.known.size() > kMostKnown) return 0;
  for (std::size_t k = 0; k < support_.known.size(); ++k) keys *= kGenotypes + 1;
  return keys;
}

std::size_t ShownSlots::key(std::size_t place, std::size_t site) const {
  std::size_t key = 0;
  for (std::size_t k = 0; k < support_.known.size(); ++k) {
    const RowView& row = known_.rows[k];
    const bool called = (row.called[site / kWordBits] >> site % kWordBits & 1) != 0;
    key = key * (kGenotypes + 1) + (called ? kind_at(row, site, known_.by) : std::size_t{kGenotypes});
  }
  return key * kGenotypes + kinds_[place];
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

SlotTerms MeasuredSlots::at(std::size_t place, std::size_t site) const {
  const std::size_t n_others = support_.unknown.size() + support_.known.size();
  const double* const values = values_.data() + place * n_sets_;
  SlotTerms slot(2 * n_others);
  if (const Relation kin = support_.measured->kin; kin != Relation::kUnrelated) {
    for (std::size_t g = 0; g < kGenotypes; ++g)
      for (std::size_t h = 0; h < kGenotypes; ++h) {
        const Copies terms = terms_of_relative(g, h, ibd_of(kin));
        for (std::size_t m = 0; m < terms.size(); ++m) slot.of[g][m] += terms[m] * values[g + kGenotypes * h];
      }
    return slot;
  }
  std::array<Copies, kMostByShares> others;
  std::size_t n = 0;
  for (; n < support_.unknown.size(); ++n) others[n] = kOrdersOfCopies;
  for (std::size_t k = 0; k < support_.known.size(); ++k)
    others[n++] = copies_of_known(kOrdersOfCopies, known_.rows[k], site, known_.by);
  std::array<double, sets_of_genotypes(kMostByShares - 1)> weights;
  weigh_sets(std::span(others).first(n), weights);
  for (std::size_t set = 0; set < n_sets_ / kGenotypes; ++set)
    for (std::size_t g = 0; g < kGenotypes; ++g)
      slot.of[g][minor_copies(set)] += weights[set] * values[g + kGenotypes * set];
  return slot;
}

}  // namespace fastid::stats
