/// \file
/// The slot of a contributor, by each model of what a stain shows: P(what a site shows | the contributor has
/// g minor copies, the frequency is p), the other contributors summed over, as a polynomial in p. All
/// questions about a stain are sums over it (stats/stain.hpp).
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "bits/rows.hpp"
#include "stats/internal/signal.hpp"
#include "stats/internal/stain_fit.hpp"
#include "stats/internal/stain_terms.hpp"
#include "stats/stain.hpp"

namespace fastid::stats {

/// The contributors besides the one in question who are known, and how their rows read.
struct KnownPeople {
  std::span<const RowView> rows;
  Encoding by;
};

class StainSlots {
 public:
  virtual ~StainSlots() = default;
  /// The slot at a site, up to a factor that all g and p share, and times P(what is known of known people |
  /// p). \param place  the site's place among the sites of this object
  virtual SlotTerms at(std::size_t place, std::size_t site) const = 0;
  /// Sites with one key, below n_keys(), have the same terms. No keys: each may have its own.
  virtual std::size_t n_keys() const { return 0; }
  virtual std::size_t key(std::size_t, std::size_t) const { return 0; }
};

/// P(a site that shows something shows both alleles; by bits: the minor one), of all contributors.
double both_shown(std::size_t site, double p, const KnownPeople& known, double drop_in,
                  const StainSupport& support);

/// Slots by the alleles that a stain shows.
class ShownSlots final : public StainSlots {
 public:
  /// \param kinds  [place]: what the sites show (stats/shown.hpp) \param support  must outlive this
  ShownSlots(std::vector<std::size_t> kinds, const KnownPeople& known, double drop_in,
             const StainSupport& support)
      : kinds_(std::move(kinds)), known_(known), drop_in_(drop_in), support_(support) {}
  SlotTerms at(std::size_t place, std::size_t site) const override;
  std::size_t n_keys() const override;
  std::size_t key(std::size_t place, std::size_t site) const override;

 private:
  std::vector<std::size_t> kinds_;
  KnownPeople known_;
  double drop_in_;
  const StainSupport& support_;
};

/// Slots by what was measured of the alleles.
class MeasuredSlots final : public StainSlots {
 public:
  /// \param support  has StainSupport::measured; must outlive this
  MeasuredSlots(const Signals& signals, const KnownPeople& known, const StainSupport& support);
  SlotTerms at(std::size_t place, std::size_t site) const override;

 private:
  KnownPeople known_;
  const StainSupport& support_;
  std::size_t n_sets_;
  std::vector<double> values_;  ///< [place][set of genotypes]; the first person's is the one in question
};

}  // namespace fastid::stats
