#include "engine/cpu/cpu_matrix.hpp"

#include <algorithm>
#include <array>

#include "engine/kernel_case.hpp"

namespace fastid::engine {
namespace {

// Measured on a Xeon of 2023 with 48 KiB of L1 and 2 MiB of L2.
// The bytes of a block's profiles for a run stay in L1 for all groups; factors are streamed from L2.
constexpr std::size_t kRunProducts = 16;
constexpr std::size_t kBatchBlocks = 16;    // with the sums of kBatchGroups half a MiB
constexpr std::size_t kBatchGroups = 8;     // of 32 queries
constexpr std::size_t kFewestOfGroup = 24;  // queries of a last group from which products are faster
constexpr std::uint64_t kMostFactorBytes = std::uint64_t{128} << 20;

// The fewest queries whose products are faster than counting bits. By minor alleles counting takes as long
// for fewer ones, and less time where two threads share a core.
constexpr std::size_t fewest_queries(Encoding by) {
  return by == Encoding::kAlleles ? 32 : 64;
}
// So many profiles make up for making factors.
constexpr std::uint64_t fewest_profiles(Multiply multiply) {
  return is_plain(multiply) ? 1 : 16'384;
}
constexpr bool is_always(Multiply multiply) {
  return multiply == Multiply::kAlways || multiply == Multiply::kAlwaysPlain;
}

constexpr std::size_t kParts = kMatrixGroup / kMaxGroup;  // whose limits stand together
constexpr std::size_t kSums = kMatrixGroup * kLanes;

// ---- Queries ----

// What was seen at a site: bits of one word. By minor alleles alone kLow is a bit of 0, kHigh of 1.
struct Site {
  Word minor, major, called;
};
constexpr Site kLow{0, 1, 1}, kBoth{1, 1, 1}, kHigh{1, 0, 1};  // 0, 1 and 2 minor copies

constexpr int counted(const Terms& terms, const Site& query, const Site& stored) {
  int n = 0;
  for (const Term& term : terms.counted())
    n += static_cast<int>(term.weight * counted_sites(term, query.minor, query.major, query.called,
                                                      stored.minor, stored.major, stored.called));
  return n;
}

// Whether what a site counts is x^2 + y^2 - 2 x y, or differs from it by what is linear in y.
constexpr bool is_quadratic_in_y(const Terms& terms) {
  for (const Site& x : {kLow, kBoth, kHigh})
    if (counted(terms, x, kHigh) + counted(terms, x, kLow) - 2 * counted(terms, x, kBoth) != 2) return false;
  return true;
}
static_assert(is_quadratic_in_y(terms_of(Comparison::kKinship, Encoding::kAlleles)));
static_assert(!is_quadratic_in_y(terms_of(Comparison::kIdentity, Encoding::kAlleles)));

StoredBytes stored_bytes(const Problem& problem) {
  if (problem.by == Encoding::kMinor) return StoredBytes::kBits;
  return is_quadratic_in_y(terms_of(problem.comparison, problem.by)) && problem.queries->all_called()
             ? StoredBytes::kCopies
             : StoredBytes::kEither;
}

std::uint64_t factor_bytes(const Problem& problem, std::size_t n_queries) {
  return std::uint64_t{ceil_div(n_queries, kMatrixGroup)} * kProductBytes *
         products_of(stored_bytes(problem)) * ceil_div<std::uint64_t>(problem.database.n_words(), 2);
}

// By minor alleles, where a single plane is read; else the two questions that take the bits more products
// than matrices do.
bool is_served(const Problem& problem) {
  if (problem.by == Encoding::kMinor) return !reads_second(kernel_case(problem));
  return problem.has_second &&
         (problem.comparison == Comparison::kIdentity || problem.comparison == Comparison::kKinship);
}

// What kernels count as a profile's denominator (MatrixSource) is its part of these questions' denominators.
constexpr bool is_denominator_of(Comparison comparison, Plane plane) {
  const Terms terms = terms_of(comparison, Encoding::kAlleles);
  const auto products = terms.denominators();
  return products.back().stored == plane && products.front().query == plane &&
         products.back().query == Plane::kCalled && products.front().stored == Plane::kCalled &&
         terms.lesser == (products.size() == 2);
}
static_assert(is_denominator_of(Comparison::kIdentity, Plane::kCalled));
static_assert(is_denominator_of(Comparison::kKinship, Plane::kBoth));

}  // namespace

std::size_t MatrixQueries::multiplied(const Problem& problem, Multiply multiply) {
  const std::size_t n = problem.queries->n_rows();
  if (multiply == Multiply::kNever || !is_served(problem) || n == 0) return 0;
  if (!is_plain(multiply) && !cpu_multiplies_bytes()) return 0;
  if (is_always(multiply)) return n;
  if (n < fewest_queries(problem.by) || problem.database.n_profiles < fewest_profiles(multiply) ||
      factor_bytes(problem, n) > kMostFactorBytes)
    return 0;
  return n % kMatrixGroup >= kFewestOfGroup ? n : n / kMatrixGroup * kMatrixGroup;
}

MatrixQueries::MatrixQueries(const Problem& problem, Multiply multiply)
    : kernels_(matrix_kernels(multiply)),
      always_(is_always(multiply)),
      of_both_(is_quadratic_in_y(terms_of(problem.comparison, problem.by))),
      by_profile_(bounded_by_profile(kernel_case(problem))),
      stored_(stored_bytes(problem)),
      n_queries_(multiplied(problem, multiply)),
      n_words_(problem.database.n_words()),
      factors_(static_cast<std::size_t>(factor_bytes(problem, n_queries_)) / sizeof(Word)),
      constants_(n_groups() * kMatrixGroup) {
  for (std::size_t query = 0; query < n_queries_; ++query) pack(problem, query);
}

const std::int8_t* MatrixQueries::factors(std::size_t group, std::size_t product) const {
  return reinterpret_cast<const std::int8_t*>(factors_.data()) +
         (group * n_products() + product) * kProductBytes;
}

void MatrixQueries::pack(const Problem& problem, std::size_t query) {
  const Terms terms = terms_of(problem.comparison, problem.by);
  const bool by_alleles = problem.by == Encoding::kAlleles;
  // By whether a minor allele was seen, and twice whether a major one was, or the site is called.
  std::array<std::array<std::int8_t, 2>, 4> factor{};
  std::array<std::int32_t, 4> constant{};
  for (Word seen = 0; seen < 4; ++seen) {
    const Site own{seen & 1, seen >> 1, by_alleles ? Word{seen != 0} : seen >> 1};
    const int low = counted(terms, own, kLow), both = counted(terms, own, kBoth),
              high = counted(terms, own, kHigh);
    const auto set = [&](int first, int second) {
      factor[seen] = {static_cast<std::int8_t>(first), static_cast<std::int8_t>(second)};
    };
    constant[seen] = stored_ == StoredBytes::kBits ? low : both;
    if (stored_ == StoredBytes::kBits) set(high - low, 0);
    if (stored_ == StoredBytes::kCopies) set((high - low) / 2, 0);
    if (stored_ == StoredBytes::kEither) set(low - both, high - both);
  }
  const RowView row = problem.queries->row(query);
  const std::size_t n_planes = products_of(stored_);
  auto* const to_query = reinterpret_cast<std::int8_t*>(factors_.data()) +
                         query / kMatrixGroup * n_products() * kProductBytes +
                         query % kMatrixGroup * kProductSites;
  for (std::size_t word = 0; word < n_words_; ++word) {
    std::int8_t* const to = to_query + word / 2 * n_planes * kProductBytes + word % 2 * kWordBits;
    const Word second = by_alleles ? row.major[word] : row.called[word];
    for (std::size_t site = 0; site < kWordBits; ++site) {
      const std::size_t seen = (row.bits[word] >> site & 1) | (second >> site & 1) << 1;
      constants_[query] += constant[seen];
      for (std::size_t plane = 0; plane < n_planes; ++plane)
        to[plane * kProductBytes + site % 8 * 4 + site / 8] = factor[seen][plane];
    }
  }
}

// ---- A tile ----

namespace {

// The unit's registers, of this thread.
class UnitInUse {
 public:
  explicit UnitInUse(const MatrixKernels& kernels) : kernels_(kernels) { kernels_.set_up(); }
  ~UnitInUse() { kernels_.release(); }
  UnitInUse(const UnitInUse&) = delete;
  UnitInUse& operator=(const UnitInUse&) = delete;

 private:
  const MatrixKernels& kernels_;
};

}  // namespace

MatrixPass::MatrixPass(const MatrixQueries& queries)
    : queries_(queries),
      batch_groups_(std::min(kBatchGroups, queries.n_groups())),
      bytes_(kRunProducts * kProductBytes / sizeof(Word)),
      sums_(kBatchBlocks * batch_groups_ * kSums),
      not_called_(kBatchBlocks * kLanes) {}

std::size_t MatrixPass::find(const BlocksView& tile, std::span<const GroupThresholds> thresholds,
                             std::uint32_t* denominators, BlockCounts& counts, const Take& take) {
  thresholds_.assign(thresholds.begin(), thresholds.begin() + static_cast<std::ptrdiff_t>(n_groups()));
  thresholds_.resize(queries_.n_groups() * kParts);  // no pair passes the others
  gaps_.clear();
  const UnitInUse in_use(queries_.kernels());
  const Request request{tile, denominators, counts, take};
  const auto n_blocks = static_cast<std::size_t>(tile.shape.n_blocks());
  std::size_t done = 0;
  while (done < n_blocks && (done == 0 || pays(false))) {
    Batch batch{done, std::min(kBatchBlocks, n_blocks - done), 0, 0};
    for (; batch.group < queries_.n_groups(); batch.group += batch_groups_) {
      batch.n_groups = std::min(batch_groups_, queries_.n_groups() - batch.group);
      multiply(request, batch);
    }
    for (std::size_t block = 0; block < batch.n_blocks; ++block)
      if (has_gaps(tile, batch, block)) gaps_.push_back(batch.block + block);
    done += batch.n_blocks;
    missing_ = gaps_.size() * 2 > done;
  }
  return done;
}

// Each run of products, each block, each group. Sums are tested two multiplications later, while the unit is
// busy with others.
void MatrixPass::multiply(const Request& request, const Batch& batch) {
  std::fill_n(request.denominators + batch.block * kLanes, batch.n_blocks * kLanes,
              queries_.by_profile() ? 0u : request.tile.shape.n_sites);
  std::ranges::fill(not_called_.span(), 0u);
  std::array<Made, 2> made{};
  std::size_t turn = 0;
  for (std::size_t first = 0; first < queries_.n_products(); first += kRunProducts)
    for (std::size_t block = 0; block < batch.n_blocks; ++block)
      for (std::size_t group = 0; group < batch.n_groups; ++group) {
        if (multiply(request, batch, {first, block, group}, made[turn])) take(request, batch, made[turn]);
        made[turn] = {first + kRunProducts >= queries_.n_products(), block, group};
        turn = 1 - turn;
      }
  for (const std::size_t each : {turn, 1 - turn})
    if (made[each].any) take(request, batch, made[each]);
}

// Returns whether a pair of older sums may pass.
bool MatrixPass::multiply(const Request& request, const Batch& batch, const Step& step, const Made& older) {
  const BlockShape& shape = request.tile.shape;
  const std::size_t at = (batch.block + step.block) * shape.block_words();
  const MatrixSource source{
      request.tile.bits + at,
      queries_.stored() == StoredBytes::kBits ? nullptr : request.tile.second + at,
      shape.n_words(),
      step.first,
      queries_.by_profile() ? request.denominators + (batch.block + step.block) * kLanes : nullptr,
      not_called_.data() + step.block * kLanes,
      sites_mask(shape.n_sites, shape.n_words() - 1),
      queries_.of_both()};
  const MatrixRun run{queries_.factors(batch.group + step.group, step.first),
                      reinterpret_cast<std::uint8_t*>(bytes_.data()),
                      batch.n_groups > 1,
                      std::min(kRunProducts, queries_.n_products() - step.first),
                      sums(batch, step.block, step.group),
                      step.first == 0};
  return queries_.kernels().multiply[static_cast<std::size_t>(queries_.stored())](
      run, source, test_of(request, batch, older), step.group == 0, older.any);
}

MatrixTest MatrixPass::test_of(const Request& request, const Batch& batch, const Made& made) {
  const std::size_t group = batch.group + made.group;
  return {
      sums(batch, made.block, made.group),       queries_.constants(group),
      thresholds_.data() + group * kParts,       request.denominators + (batch.block + made.block) * kLanes,
      queries_.stored() == StoredBytes::kCopies, request.tile.shape.n_sites};
}

// Writes the counts of kMaxGroup queries of a group, and the profiles that may pass for the `some` of them.
void MatrixPass::write_counts(const MatrixTest& test, std::size_t part, std::uint32_t some,
                              BlockCounts& counts) {
  counts.profiles = 0;
  for (std::size_t i = 0; i < kMaxGroup; ++i)
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const std::size_t query = part * kMaxGroup + i;
      std::uint32_t& count = counts.count[i * kLanes + lane];
      count = static_cast<std::uint32_t>(test.sums[query * kLanes + lane] + test.constants[query]);
      if (test.adds_homozygous) count += test.n_sites - test.denominators[lane];
      if ((some >> i & 1) != 0 && count < test.thresholds[part].limit_for(i, test.denominators[lane]))
        counts.profiles |= 1u << lane;
    }
}

// Hands on the pairs that may pass, unless calls are missing: then the sums are others.
void MatrixPass::take(const Request& request, const Batch& batch, const Made& made) {
  if (has_gaps(request.tile, batch, made.block)) return;
  const MatrixTest test = test_of(request, batch, made);
  const std::uint32_t queries = queries_.kernels().queries_that_may_pass(test);
  for (std::size_t part = 0; part < kParts; ++part) {
    const std::uint32_t some = queries >> part * kMaxGroup & ((1u << kMaxGroup) - 1);
    if (some == 0) continue;
    write_counts(test, part, some, request.counts);
    request.take(batch.block + made.block, (batch.group + made.group) * kParts + part);
  }
}

bool MatrixPass::has_gaps(const BlocksView& tile, const Batch& batch, std::size_t block) const {
  const std::uint64_t profiles = tile.shape.n_profiles - (batch.block + block) * kLanes;
  const std::size_t lanes = static_cast<std::size_t>(std::min<std::uint64_t>(kLanes, profiles));
  const auto own = not_called_.span().subspan(block * kLanes, lanes);
  return std::ranges::any_of(own, [](Word sites) { return sites != 0; });
}

std::int32_t* MatrixPass::sums(const Batch& batch, std::size_t block, std::size_t group) {
  return reinterpret_cast<std::int32_t*>(sums_.data()) + (block * batch.n_groups + group) * kSums;
}

}  // namespace fastid::engine
