/// \file
/// How probable the reads of a stain are, given what share of the stain's copies are minor alleles.
///
/// Of N reads of a site, a of them of the minor allele,
///
///   P(a | f) = (1 - o) BetaBinomial(a; N, mean e + (1 - 2e) f, concentration k) + o / (N + 1)
///
/// f is the share of minor copies, e how often a read shows the other allele, o a site that is unlike others
/// (kOutlier). Whatever makes a site shallow does so for both alleles, so N is given. A count below the
/// threshold stands as 0: its probability is the sum over all counts below the threshold.
///
/// A site whose few reads are known one by one goes by these (stats/internal/read_by_read.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bits/allele_signal.hpp"
#include "stats/internal/read_by_read.hpp"
#include "stats/internal/signal.hpp"

namespace fastid::stats {

/// The reads of a site; both 0: none.
struct AlleleReads {
  std::uint32_t minor = 0, major = 0;

  std::uint64_t total() const { return std::uint64_t{minor} + major; }
  friend bool operator==(const AlleleReads&, const AlleleReads&) = default;
};

/// The reads of some sites, each of at least one read. The parameters are k and e.
class ReadCounts final : public Signals {
 public:
  static constexpr double kOutlier = .002;

  /// \param threshold  at least 1; counts below it are 0 already \param few  empty, or of each site its reads
  /// one by one, at most kFewReads; none: it goes by its counts
  ReadCounts(std::span<const AlleleReads> sites, std::uint32_t threshold,
             std::span<const std::span<const SiteRead>> few = {});

  std::size_t n_sites() const override { return sites_.size(); }
  std::unique_ptr<SignalTable> table(std::span<const double> shares,
                                     const SignalParameters& parameters) const override;
  SignalParameters start() const override { return {50, .001}; }
  std::array<Limits, 2> limits() const override { return {{{2, 3000}, {1e-6, .05}}}; }

 private:
  class Table;
  struct Site {
    AlleleReads reads;
    std::size_t minor = 0, major = 0, total = 0;  ///< places of these numbers in `numbers_`
    double log_ways = 0;                          ///< log of N over a
    double outlier = 0;
    std::optional<std::size_t> few{};  ///< its place in `few_`; no value: it goes by its counts
  };

  std::uint32_t threshold_;
  std::vector<std::uint64_t> numbers_;  ///< that occur, ascending
  std::vector<Site> sites_;
  std::vector<ReadsOneByOne> few_;  ///< of sites whose reads are known one by one
};

}  // namespace fastid::stats
