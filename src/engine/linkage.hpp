/// \file
/// Pairs of sites: what is counted of two sites over the people (or haplotypes) of a cohort, and what finds
/// the pairs that go together.
///
/// A cohort is turned on its side: profiles are sites, and bits are people. The same blocks (bits/blocks.hpp)
/// then hold 32 neighbouring sites each, in the planes of Encoding::kAlleles: where a minor allele was seen,
/// and where a major one was. A haplotype has one of the two.
///
/// Source. Linkage disequilibrium as a product of bit matrices: N. Alachiotis, T. Popovici, T. M. Low,
/// Efficient Computation of Linkage Disequilibria as Dense Linear Algebra Operations, IPDPSW 2016.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bits/blocks.hpp"
#include "engine/comparison.hpp"
#include "engine/kernel_step.hpp"
#include "engine/rectangle.hpp"

namespace fastid {

/// What a bit stands for.
enum class SiteUnit : std::uint8_t { kHaplotypes, kGenotypes };

/// Sums over the units at which both sites are called, of x and y, the minor copies at the first and the
/// second site.
struct SiteCounts {
  std::uint32_t called = 0;
  std::uint32_t x = 0, y = 0;    ///< sums
  std::uint32_t xx = 0, yy = 0;  ///< sums of squares
  std::uint32_t xy = 0;          ///< sum of products

  friend bool operator==(const SiteCounts&, const SiteCounts&) = default;
};

/// One number that is counted of two sites: products, weighed, as Term has them. The words of a term's
/// products may be joined since none of their units is in both.
struct SiteSum {
  std::array<Term, 4> terms{};
  std::size_t n_terms = 0;

  constexpr std::span<const Term> all() const { return {terms.data(), n_terms}; }
};

/// The table of sums. Where all units are called at all sites only the last is counted: the others are the
/// sites' own.
///
///   kHaplotypes  called, x, y, xy
///   kGenotypes   called, minor seen and homozygous minor (x = their sum, xx = minor + 3 homozygous) of
///   either site, xy
///
/// \param weighed  xy in as few words as can be, which have weights; false: in words of weight 1, for engines
///   that add words before they count their bits
inline constexpr std::size_t kMostSums = 6;
struct SiteSums {
  std::array<SiteSum, kMostSums> sums{};
  std::size_t n = 0;
};
constexpr SiteSums sums_of(SiteUnit unit, bool all_called, bool weighed = true) {
  using enum Plane;
  constexpr auto kOne = [](Plane first, Plane second) {
    return SiteSum{{{{1, {Product{first, second}}, 1}}}, 1};
  };
  constexpr SiteSum kWeighed = {{{{1, {Product{kMinor, kMinor}}, 1},
                                  {1, {Product{kBoth, kNoMajor}, Product{kNoMajor, kMinor}}, 2},
                                  {2, {Product{kNoMajor, kNoMajor}}, 1}}},
                                3};
  constexpr SiteSum kPlain = {{{{1, {Product{kMinor, kMinor}}, 1},
                                {1, {Product{kMinor, kNoMajor}}, 1},
                                {1, {Product{kNoMajor, kMinor}}, 1},
                                {1, {Product{kNoMajor, kNoMajor}}, 1}}},
                              4};
  const SiteSum copies = weighed ? kWeighed : kPlain;
  if (unit == SiteUnit::kHaplotypes) {
    if (all_called) return {{kOne(kMinor, kMinor)}, 1};
    return {{kOne(kCalled, kCalled), kOne(kMinor, kCalled), kOne(kCalled, kMinor), kOne(kMinor, kMinor)}, 4};
  }
  if (all_called) return {{copies}, 1};
  return {{kOne(kCalled, kCalled), kOne(kMinor, kCalled), kOne(kNoMajor, kCalled), kOne(kCalled, kMinor),
           kOne(kCalled, kNoMajor), copies},
          6};
}

/// Products of planes that the sums of a pair of sites take, and words that are counted for them.
constexpr std::size_t products_of(const SiteSums& sums) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < sums.n; ++i)
    for (const Term& term : sums.sums[i].all()) n += term.n_products;
  return n;
}
constexpr std::size_t words_of(const SiteSums& sums) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < sums.n; ++i) n += sums.sums[i].n_terms;
  return n;
}

/// Planes of a site that its sums are made of: minor alleles seen, and major ones.
constexpr std::size_t planes_read(SiteUnit unit, bool all_called) {
  return unit == SiteUnit::kHaplotypes && all_called ? 1 : 2;
}

/// The sums of one site over the units at which it is called: `called`, x and xx.
SiteCounts own_counts(SiteUnit unit, const BlocksView& sites, std::uint64_t site);
/// Those of all sites, one after the other.
std::vector<SiteCounts> own_counts(SiteUnit unit, const BlocksView& sites);

/// Counts two sites, one word at a time: the plain definition.
SiteCounts count_sites(SiteUnit unit, const BlocksView& sites, std::uint64_t first, std::uint64_t second);

/// How many people have each pair of genotypes: [minor copies at the first site][at the second].
using GenotypeCells = std::array<std::array<std::uint32_t, 3>, 3>;

/// Over the people that both sites are called in. \param sites  units are people \param people  a bit for
/// each: these alone; empty: all
GenotypeCells count_cells(const BlocksView& sites, std::uint64_t first, std::uint64_t second,
                          std::span<const Word> people = {});
/// Of a site with all of a block, which takes as long as a few pairs. Those of unused lanes are 0.
void count_cells(const BlocksView& sites, std::uint64_t site, std::uint64_t block,
                 std::span<GenotypeCells, kLanes> cells);
/// What count_sites() gives for two sites with these cells.
SiteCounts site_counts(SiteUnit unit, const GenotypeCells& cells);

/// The squared correlation of x and y; no value where either is the same in all units that are called at
/// both.
std::optional<double> squared_correlation(const SiteCounts& counts);

/// Two sites, first < second, and their counts.
struct LinkedSites {
  std::uint32_t first = 0, second = 0;
  SiteCounts counts;

  friend bool operator==(const LinkedSites&, const LinkedSites&) = default;
};

/// Pairs of a site of [second_begin, second_end) with an earlier one of [first_begin, first_end).
struct SiteTile {
  std::uint32_t first_begin = 0, first_end = 0;
  std::uint32_t second_begin = 0, second_end = 0;
};

/// Sites that are asked for pairs. The owners of the view and of the sums must outlive the engine.
struct SiteProblem {
  BlocksView sites;  ///< of Encoding::kAlleles, both planes
  SiteUnit unit = SiteUnit::kGenotypes;
  double min_r2 = 0;                     ///< in [0, 1]
  std::span<const SiteCounts> own = {};  ///< own_counts() of each site
  bool counted = false;                  ///< count() is called, too
};

/// Whether every unit is called at every site.
bool all_called(const SiteProblem& problem);

/// The table of sums read backwards: what was counted of two sites. \param sums  as sums_of(unit, all_called)
/// has them
SiteCounts counts_of(const SiteProblem& problem, bool all_called, std::uint64_t first, std::uint64_t second,
                     std::span<const std::uint32_t> sums);

/// What rounding may take from |xy - x y / n| in float, where all n units are called.
inline float covariance_slack(std::uint32_t units) {
  return static_cast<float>(1e-3 + 1e-5 * static_cast<double>(units));
}

/// Appends a pair if it is linked: if its squared correlation is at least min_r2.
void append_if_linked(const SiteProblem& problem, std::uint32_t first, std::uint32_t second,
                      std::vector<LinkedSites>& out);
/// The same of a pair whose counts are count_sites()'s.
void append_if_linked(const SiteProblem& problem, const LinkedSites& pair, std::vector<LinkedSites>& out);

/// What finds linked sites.
class SiteEngine {
 public:
  virtual ~SiteEngine() = default;
  /// How many first sites a tile had best have, with all their second ones.
  virtual std::uint32_t first_sites() const { return 64; }
  /// How many calls of find() keep it busy.
  virtual std::size_t calls_at_once() const { return 1; }
  /// What a step of its kernel reads and counts, for each person or haplotype of a pair of sites.
  virtual KernelStep step() const { return {}; }
  /// Appends every pair of a tile whose squared correlation is at least min_r2, by squared_correlation(), and
  /// no other pair, in any order. Thread-safe. \throws DeviceError
  virtual void find(const SiteTile& tile, std::vector<LinkedSites>& out) const = 0;

  /// Preferred rows and columns of a rectangle of count().
  struct CountedPiece {
    std::uint32_t rows = 64, columns = 1024;  // whose counts stay in L2
  };
  virtual CountedPiece counted_piece() const { return {}; }
  /// count_sites() of every pair of a rectangle, whatever its r2: [row][column], where x is of the row's
  /// site. Of an engine whose problem is `counted`. Thread-safe. \throws DeviceError
  virtual void count(const Rectangle& pairs, std::span<SiteCounts> out) const = 0;
};

/// \param device  "cpu" or "reference"; null of another word
std::unique_ptr<SiteEngine> make_site_engine(const std::string& device, const SiteProblem& problem);

/// First sites of a tile that has enough work-groups for a GPU.
inline constexpr std::uint32_t kLeastFirstSites = 1024;

/// Engines of the same problem as one (internal/joint.hpp). \param engines  at least one
std::unique_ptr<SiteEngine> make_joint_sites(std::vector<std::unique_ptr<SiteEngine>> engines,
                                             const SiteProblem& problem);

}  // namespace fastid
