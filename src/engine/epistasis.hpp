/// \file
/// Epistasis: combinations of two to four sites whose genotypes together go with a trait.
///
/// The people of a cohort are in two classes, controls and cases, and each class is turned on its side
/// (bits/turned.hpp): profiles are sites, and bits are people. The genotype of a person at a site is the
/// number of minor copies. A combination's table has a cell for each of its 9, 27 or 81 joint genotypes, in
/// which the people of either class are counted who are called at all of its sites.
///
/// A score says how much better the class is known once the joint genotype is: by the Bayesian score K2, less
/// what K2 gives the same people in one cell, or by mutual information. So combinations of different numbers
/// of people can be ranked; those of fewer than are asked for are not. Both are computed in double from whole
/// counts, by one function, so that they are the same for every engine.
///
/// Sources. K2: G. Cooper, E. Herskovits, A Bayesian method for the induction of probabilistic networks from
/// data, Machine Learning 9 (1992). Three sites as products of bit matrices: R. Nobre, A. Ilic,
/// S. Santander-Jimenez, L. Sousa, Exploring the binary precision capabilities of tensor cores for epistasis
/// detection, IPDPS 2020. Mutual information: C. Ponte-Fernandez et al., MPI3SNP, IJHPCA 2020.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "bits/blocks.hpp"
#include "bits/picked_units.hpp"
#include "bits/shard.hpp"
#include "engine/kernel_step.hpp"
#include "engine/rectangle.hpp"

namespace fastid::engine {

inline constexpr std::size_t kSiteGenotypes = 3;  ///< of a site: 0, 1 or 2 minor copies
inline constexpr std::size_t kMostWay = 4;        ///< sites of a combination
inline constexpr std::size_t kMostCells = 81;
/// Of both classes together.
inline constexpr std::uint64_t kMostTraitPeople = (std::uint64_t{1} << 31) - 1;
/// Of both classes together: the most whose cells engines can test exactly in float.
inline constexpr std::uint64_t kMostPeopleInFloat = (std::uint64_t{1} << 23) - 1;

/// Joint genotypes of two, three or four sites.
constexpr std::size_t n_cells(std::size_t way) {
  return way == 2 ? 9 : way == 3 ? 27 : kMostCells;
}

/// Joint genotypes of three sites: the most that a kernel counts at a time, of four sites with one genotype
/// of the first.
inline constexpr std::size_t kTripleCells = 27;

enum class Class : std::uint8_t { kControl, kCase };
inline constexpr std::size_t kClasses = 2;

enum class EpistasisScore : std::uint8_t {
  kK2,                ///< less that of the classes alone: the lowest is the best
  kMutualInformation  ///< in nats; the highest is the best
};

/// A cell's people of either class.
using Cell = std::array<std::uint32_t, kClasses>;

/// Of two sites with genotypes a, b: cells[3 a + b]; of three: cells[9 a + 3 b + c]; and so on.
struct GenotypeTable {
  std::array<Cell, kMostCells> cells{};

  friend bool operator==(const GenotypeTable&, const GenotypeTable&) = default;
};

/// What is asked. The owners of the views must outlive an engine.
struct EpistasisProblem {
  /// Controls, cases: the same sites, of Encoding::kAlleles with both planes, and at least one person each.
  std::array<BlocksView, kClasses> classes;
  std::size_t way = 3;  ///< 2, 3 or 4 sites
  EpistasisScore score = EpistasisScore::kK2;
  std::uint64_t min_people = 0;  ///< that must be called at all sites of a combination
  bool permuted = false;         ///< EpistasisEngine::find_dealt() will be asked for, and is prepared

  std::uint32_t n_sites() const { return static_cast<std::uint32_t>(classes[0].shape.n_profiles); }
  std::uint32_t n_people(std::size_t of) const { return classes[of].shape.n_sites; }
  std::uint64_t n_people() const { return std::uint64_t{n_people(0)} + n_people(1); }
  std::size_t n_cells() const { return fastid::engine::n_cells(way); }
};

/// Whether everybody is called at every site.
bool everybody_is_called(const EpistasisProblem& problem);

/// Controls and cases with one genotype of a site.
using PickedClasses = std::array<PickedUnits, kClasses>;
/// The people by their genotype of a site, 0, 1 and 2: what is seen of them at later sites. Whoever is not
/// called there is in none.
std::array<PickedClasses, kSiteGenotypes> people_by_genotype(const EpistasisProblem& problem,
                                                             std::uint32_t site);

/// Where a word's people have a genotype, by where a minor and a major allele was seen.
constexpr Word genotype_word(std::size_t genotype, Word minor, Word major) {
  return genotype == 0 ? major & ~minor : genotype == 1 ? minor & major : minor & ~major;
}

/// People of each class with genotypes 0 and 1 of a site, whatever they have elsewhere: [class][genotype].
using SitePeople = std::array<std::array<std::uint32_t, 2>, kClasses>;
/// Counts them, for each site.
std::vector<SitePeople> people_of_sites(const std::array<BlocksView, kClasses>& classes);

/// The people of a table, of both classes.
std::uint64_t n_people(const GenotypeTable& table);

/// K2 of people in one cell: ln (n + 1)! - ln controls! - ln cases!.
double k2_of_one_cell(std::uint64_t controls, std::uint64_t cases);

/// The places of a combination's sites, ascending; then 0.
using SiteCombination = std::array<std::uint32_t, kMostWay>;

/// Counts a combination's table, one word at a time: the plain definition.
GenotypeTable count_table(const EpistasisProblem& problem, const SiteCombination& sites);

/// What a number of people adds to a score. K2: ln n!; mutual information: n ln n.
double score_term(EpistasisScore score, std::uint64_t n);

/// Scores tables. The cost is the score itself, or less the score where the highest is the best, so that the
/// lowest cost is always the best.
class TableScorer {
 public:
  explicit TableScorer(const EpistasisProblem& problem);

  /// Infinity where the table has fewer people than count.
  double cost(const GenotypeTable& table) const;

 private:
  double term(std::uint64_t n) const { return n < terms_.size() ? terms_[n] : score_term(score_, n); }

  EpistasisScore score_ = EpistasisScore::kK2;
  std::size_t n_cells_ = 0;
  std::uint64_t min_people_ = 0;
  std::vector<double> terms_;  ///< score_term() of the first numbers
};

struct ScoredCombination {
  double cost = 0;
  SiteCombination sites{};

  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 finds a 0 in it
  friend auto operator<=>(const ScoredCombination&, const ScoredCombination&) = default;
};

/// Keeps the best combinations of finite costs: the lowest cost, then the lowest places. What is kept depends
/// on what was offered alone, not on its order. Thread-safe.
class BestCombinations {
 public:
  /// \param limit  a cost above it is out of the question from the start
  explicit BestCombinations(std::size_t top, double limit = std::numeric_limits<double>::infinity())
      : top_(top), worst_(limit) {}

  std::size_t top() const { return top_; }  ///< how many are kept
  /// A cost above this is out of the question; the limit until there are `top`. It only falls.
  double worst() const { return worst_.load(std::memory_order_relaxed); }
  void offer(const ScoredCombination& combination);

  std::vector<ScoredCombination> kept() const;  ///< the best first
  /// Those that are not kept and have the cost of the last one that is.
  std::uint64_t ties() const;

 private:
  std::size_t top_;
  std::atomic<double> worst_;
  mutable std::mutex guard_;
  std::set<ScoredCombination> kept_;
  std::uint64_t ties_ = 0;
};

/// How many combinations a tile has: those of three or four sites whose first ones are its rows, whose second
/// ones are its columns (of four sites all), and whose others are any later sites; or of two, whose first
/// ones are its rows (the columns are not looked at).
std::uint64_t n_combinations(const EpistasisProblem& problem, const Rectangle& tile);
/// How many there are.
std::uint64_t n_combinations(const EpistasisProblem& problem);

/// Tiles of at most `sites` first and second sites, which together have every combination once.
std::vector<Rectangle> tiles_of(const EpistasisProblem& problem, std::uint32_t sites);

/// Of four sites: calls use(tile) for tiles of at most `sites` second and third sites, which together have
/// every combination of three sites after the first one.
template <class Use>
void each_tile_after(std::uint32_t first, std::uint32_t n_sites, std::uint32_t sites, const Use& use) {
  for (std::uint32_t second = first + 1; second < n_sites; second += sites)
    for (std::uint32_t third = second; third < n_sites; third += sites)
      use(Rectangle{second, std::min(second + sites, n_sites), third, std::min(third + sites, n_sites)});
}

/// Whether it is less to count everybody once, and the smaller class of each of some deals of a problem's
/// people, than both classes of each.
bool is_less_together(const EpistasisProblem& problem, std::size_t deals);

class EpistasisEngine;

/// An engine that was dealt again, and what it offers to.
struct DealtSearch {
  const EpistasisEngine* engine = nullptr;
  BestCombinations* best = nullptr;
};

/// Most first, and second, sites of a tile, unless an engine says otherwise.
inline constexpr std::uint32_t kMostSitesOfTile = 32;

/// What finds the best combinations.
class EpistasisEngine {
 public:
  virtual ~EpistasisEngine() = default;
  /// Preferred number of first, and of second, sites of a tile, where so many threads share all `sites`.
  virtual std::uint32_t tile_sites(std::size_t threads, std::uint32_t sites) const;
  /// How many calls of find() keep it busy.
  virtual std::size_t calls_at_once() const { return 1; }
  /// What a step of its kernel reads and counts, for each person of a combination.
  virtual KernelStep step() const { return {}; }
  /// Offers every combination of a tile whose cost is at most best.worst(), with its exact cost, and perhaps
  /// others. Thread-safe. \throws DeviceError
  virtual void find(const Rectangle& tile, BestCombinations& best) const = 0;
  /// An engine as this one for the same people dealt otherwise to classes of the same sizes: what does not
  /// depend on the people is not made again. Thread-safe. \throws DeviceError
  virtual std::unique_ptr<EpistasisEngine> dealt_again(const EpistasisProblem& dealt) const = 0;
  /// As find() of each of these, which were dealt again from this engine. Thread-safe. \throws DeviceError
  virtual void find_dealt(const Rectangle& tile, std::span<const DealtSearch> dealt) const;
  /// Preferred number of searches of a call of find_dealt(): together they may take less than one by one.
  virtual std::size_t dealt_at_once() const { return 1; }
};

/// A shard's share of all combinations, whatever engine it has: neighbours among small tiles, in ascending
/// order of their first and second sites. Shards differ by some percent, and are empty where there are more
/// of them than tiles.
std::vector<Rectangle> tiles_of_shard(const EpistasisProblem& problem, const Shard& shard);

/// Whether a combination of sites of the problem is one of those of a shard's tiles.
bool hold(std::span<const Rectangle> tiles, std::size_t way, const SiteCombination& sites);

/// A shard's combinations in tiles of the engine's preferred size, for so many threads.
std::vector<Rectangle> tiles_for(const EpistasisProblem& problem, const EpistasisEngine& engine,
                                 std::size_t threads, const Shard& shard = {});

/// \param device  "cpu" or "reference"; null of another word
/// \param memory  the most bytes for an engine's own copies of the people; where they take more, people are
/// counted a stretch after the other
std::unique_ptr<EpistasisEngine> make_epistasis_engine(
    const std::string& device, const EpistasisProblem& problem,
    std::uint64_t memory = std::numeric_limits<std::uint64_t>::max());

/// Engines of the same problem as one (internal/joint.hpp). \param engines  at least one
std::unique_ptr<EpistasisEngine> make_joint_epistasis(std::vector<std::unique_ptr<EpistasisEngine>> engines);

/// A combination may be among the best if
///
///   squares s - logs l >= people M + offset  and    M >= least
///
/// where of its cells with n people, k of them cases, and a few people more than there are
///
///   m = n + prior_people      d = k + prior_cases - share m
///   s = sum of d^2 / m        l = sum of log2 m        M = sum of m
///
/// This bounds the cost from below without a table of logarithms, and m and d of cells that are not counted
/// follow from those that are by subtraction, as n and k do. With H the entropy of a share in nats,
///
///   m H(j/m) >= m H(f) + H'(f) d - A d^2 / m      for d = j - f m and any f
///
/// where A is the most that Kullback and Leibler's divergence of a share from f is, in squares of their
/// difference: it is the larger one of the shares 0 and 1.
///
/// K2 adds a person to each cell, half a case. Stirling's series gives (n + 1)! >= sqrt(2 pi m) (m / e)^m for
/// m = n + 1, and Burnside's k! <= sqrt(2 pi) (j / e)^j for j = k + 1/2, so that
///
///   ln (n + 1)! - ln k! - ln (n - k)! >= m H(j/m) + ln(m / (2 pi)) / 2
///
/// What is taken off, K2 of all n people in one cell, is at most n H(f) + H'(f) (k - f n) + g. For c controls
/// and k cases g grows by ln((1 - f) (c + k + 2) / (c + 1)) with a further control and by
/// ln(f (c + k + 2) / (k + 1)) with a further case, of which one is never below 0. So it is largest where all
/// controls or all cases are there, and along either edge where the other one's growth turns. The sums of H
/// cancel, and K2 has no M in its test.
///
/// Mutual information adds p people, p f cases, so that d is k - f n and no m is 0. The people times the
/// information are at most the sum of n times the divergence of k/n from any f, each of which is at most
/// A d^2 / n, or A (1 + p) d^2 / m, for n >= 1.
struct CostBound {
  float share = 0;  ///< f: about the share of cases; d is a whole multiple of a power of two that float holds
  float prior_people = 0, prior_cases = 0;  ///< of a cell
  float squares = 0, logs = 0, people = 0, offset = 0;
  float least = 0;  ///< of M: fewer people do not count

  /// m and d of some cells together.
  float people_of(std::uint32_t n, std::size_t n_cells) const {
    return static_cast<float>(n) + prior_people * static_cast<float>(n_cells);
  }
  float excess_of(std::uint32_t n, std::uint32_t cases, std::size_t n_cells) const;
  /// The cell that has these.
  Cell cell_of(float m, float d) const;

  /// The same where all tables have everybody: M is the same for all, so that `offset` has people M in it,
  /// and `people` and `least` are 0.
  CostBound of_everybody(const EpistasisProblem& problem) const;
};

/// \param worst  the highest cost of interest
CostBound cost_bound(const EpistasisProblem& problem, double worst);

/// CostBound in double, for any number of people: `share` is the share of cases itself.
struct WideCostBound {
  double share = 0, prior_people = 0, prior_cases = 0;
  double squares = 0, logs = 0, people = 0, offset = 0, least = 0;
};
WideCostBound wide_cost_bound(const EpistasisProblem& problem, double worst);

}  // namespace fastid::engine
