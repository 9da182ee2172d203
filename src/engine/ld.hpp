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

namespace fastid::engine {

/// Most people, or haplotypes, of a cohort: of genotypes a site's sum of squares is up to four times as much,
/// and has 32 bits.
inline constexpr std::uint32_t kMostLdUnits = UINT32_MAX / 4;

/// What a bit stands for.
enum class LdUnit : std::uint8_t { kHaplotypes, kGenotypes };

/// Sums over the units at which both sites are called, of x and y, the minor copies at the first and the
/// second site.
struct LdCounts {
  std::uint32_t called = 0;
  std::uint32_t x = 0, y = 0;    ///< sums
  std::uint32_t xx = 0, yy = 0;  ///< sums of squares
  std::uint32_t xy = 0;          ///< sum of products

  friend bool operator==(const LdCounts&, const LdCounts&) = default;
};

/// One number that is counted of two sites: products, weighed, as Term has them. The words of a term's
/// products may be joined since none of their units is in both.
struct LdSum {
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
inline constexpr std::size_t kMostSums = 6;
struct LdSums {
  std::array<LdSum, kMostSums> sums{};
  std::size_t n = 0;
};
/// \param weighed  xy in as few words as can be, which have weights; false: in words of weight 1, for engines
///   that add words before they count their bits
constexpr LdSums sums_of(LdUnit unit, bool all_called, bool weighed = true) {
  using enum Plane;
  constexpr auto kOne = [](Plane first, Plane second) {
    return LdSum{{{{1, {Product{first, second}}, 1}}}, 1};
  };
  constexpr LdSum kWeighed = {{{{1, {Product{kMinor, kMinor}}, 1},
                                {1, {Product{kBoth, kNoMajor}, Product{kNoMajor, kMinor}}, 2},
                                {2, {Product{kNoMajor, kNoMajor}}, 1}}},
                              3};
  constexpr LdSum kPlain = {{{{1, {Product{kMinor, kMinor}}, 1},
                              {1, {Product{kMinor, kNoMajor}}, 1},
                              {1, {Product{kNoMajor, kMinor}}, 1},
                              {1, {Product{kNoMajor, kNoMajor}}, 1}}},
                            4};
  const LdSum copies = weighed ? kWeighed : kPlain;
  if (unit == LdUnit::kHaplotypes) {
    if (all_called) return {{kOne(kMinor, kMinor)}, 1};
    return {{kOne(kCalled, kCalled), kOne(kMinor, kCalled), kOne(kCalled, kMinor), kOne(kMinor, kMinor)}, 4};
  }
  if (all_called) return {{copies}, 1};
  return {{kOne(kCalled, kCalled), kOne(kMinor, kCalled), kOne(kNoMajor, kCalled), kOne(kCalled, kMinor),
           kOne(kCalled, kNoMajor), copies},
          6};
}

/// Products of planes that the sums of a pair of sites take, and words that are counted for them.
constexpr std::size_t products_of(const LdSums& sums) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < sums.n; ++i)
    for (const Term& term : sums.sums[i].all()) n += term.n_products;
  return n;
}
constexpr std::size_t words_of(const LdSums& sums) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < sums.n; ++i) n += sums.sums[i].n_terms;
  return n;
}

/// Planes of a site that its sums are made of: minor alleles seen, and major ones.
constexpr std::size_t planes_read(LdUnit unit, bool all_called) {
  return unit == LdUnit::kHaplotypes && all_called ? 1 : 2;
}

/// The sums of one site over the units at which it is called: `called`, x and xx.
LdCounts own_counts(LdUnit unit, const BlocksView& sites, std::uint64_t site);
/// Those of all sites, one after the other.
std::vector<LdCounts> own_counts(LdUnit unit, const BlocksView& sites);

/// Counts two sites, one word at a time: the plain definition.
LdCounts count_sites(LdUnit unit, const BlocksView& sites, std::uint64_t first, std::uint64_t second);

/// How many people have each pair of genotypes: [minor copies at the first site][at the second].
using GenotypeCells = std::array<std::array<std::uint32_t, 3>, 3>;

/// Over the people that both sites are called in. \param sites  units are people \param people  a bit for
/// each: these alone; empty: all
GenotypeCells count_cells(const BlocksView& sites, std::uint64_t first, std::uint64_t second,
                          std::span<const Word> people = {});
/// Pairs of a site with a block's that take no longer one by one than with the whole block.
inline constexpr std::size_t kFewPairsOfBlock = 2;
/// Of a site with all of a block. Those of unused lanes are 0.
void count_cells(const BlocksView& sites, std::uint64_t site, std::uint64_t block,
                 std::span<GenotypeCells, kLanes> cells);
/// What count_sites() gives for two sites with these cells.
LdCounts site_counts(LdUnit unit, const GenotypeCells& cells);

/// The squared correlation of x and y; no value where either is the same in all units that are called at
/// both.
std::optional<double> squared_correlation(const LdCounts& counts);

/// Two sites, first < second, and their counts.
struct LdPair {
  std::uint32_t first = 0, second = 0;
  LdCounts counts;

  friend bool operator==(const LdPair&, const LdPair&) = default;
};

/// Sites that are asked for pairs. The owners of the view and of the sums must outlive the engine.
struct LdProblem {
  BlocksView sites;  ///< of Encoding::kAlleles, both planes
  LdUnit unit = LdUnit::kGenotypes;
  double min_r2 = 0;                           ///< in [0, 1]
  std::span<const LdCounts> site_counts = {};  ///< own_counts() of each site
  bool counted = false;                        ///< count() is called, too

  /// Sites, which are the profiles of `sites`.
  std::uint32_t n_sites() const { return static_cast<std::uint32_t>(sites.shape.n_profiles); }
  /// People or haplotypes, which are its bits.
  std::uint32_t n_units() const { return sites.shape.n_sites; }
};

/// Whether every unit is called at every site.
bool all_called(const LdProblem& problem);

/// The table of sums read backwards: what was counted of two sites. \param sums  as sums_of(unit, all_called)
/// has them
LdCounts counts_of(const LdProblem& problem, bool all_called, std::uint64_t first, std::uint64_t second,
                   std::span<const std::uint32_t> sums);

/// What rounding may take from |xy - x y / n| in float, where all n units are called.
inline float covariance_slack(std::uint32_t units) {
  return static_cast<float>(1e-3 + 1e-5 * static_cast<double>(units));
}

/// Appends a pair if it is linked: if its squared correlation is at least min_r2.
void append_if_linked(const LdProblem& problem, std::uint32_t first, std::uint32_t second,
                      std::vector<LdPair>& out);
/// The same of a pair that count_sites() has counted.
void append_if_linked(const LdProblem& problem, const LdPair& pair, std::vector<LdPair>& out);

/// What finds linked sites.
class LdEngine {
 public:
  virtual ~LdEngine() = default;
  /// Preferred number of first sites of a tile; a tile has all second sites of these.
  virtual std::uint32_t first_sites() const { return 64; }
  /// How many calls of find() keep it busy.
  virtual std::size_t calls_at_once() const { return 1; }
  /// What a step of its kernel reads and counts, for each person or haplotype of a pair of sites.
  virtual KernelStep step() const { return {}; }
  /// Appends every pair of a later site, of a tile's columns, with an earlier one, of its rows, whose squared
  /// correlation is at least min_r2, by squared_correlation(), and no other pair, in any order. Thread-safe.
  /// \throws DeviceError
  virtual void find(const Rectangle& tile, std::vector<LdPair>& out) const = 0;

  /// Preferred rows and columns of a rectangle of count().
  struct CountedPiece {
    std::uint32_t rows = 64, columns = 1024;  // whose counts stay in L2
  };
  virtual CountedPiece counted_piece() const { return {}; }
  /// count_sites() of every pair of a rectangle, whatever its r2: [row][column], where x is of the row's
  /// site. Of an engine whose problem is `counted`. Thread-safe. \throws DeviceError
  virtual void count(const Rectangle& pairs, std::span<LdCounts> out) const = 0;
};

/// \param device  "cpu" or "reference"; null of another word
std::unique_ptr<LdEngine> make_ld_engine(const std::string& device, const LdProblem& problem);

/// First sites of a tile that has enough work-groups for a GPU.
inline constexpr std::uint32_t kLeastFirstSites = 1024;

/// Engines of the same problem as one (internal/joint.hpp). \param engines  at least one
std::unique_ptr<LdEngine> make_joint_ld(std::vector<std::unique_ptr<LdEngine>> engines,
                                        const LdProblem& problem);

}  // namespace fastid::engine
