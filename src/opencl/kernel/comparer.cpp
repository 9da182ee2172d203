#include "opencl/kernel/comparer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/kernel_case.hpp"
#include "opencl/device_buffer.hpp"

namespace fastid::opencl {
namespace {

constexpr std::size_t kGroupBlocks = 8, kGroupItems = 8 * kGroupBlocks;  // as block_checksum.h has them
constexpr std::size_t kLeastBytes = 256;  // shorter blocks need another algorithm than the one there

// Counts up to which sums of counts and offsets, and denominators' shares, fit in 31 bits (RATIO_BITS).
constexpr std::uint32_t kNarrowCount = 32767;

// RATIO_BITS of pair.h.
std::uint32_t ratio_bits(const engine::Problem& problem) {
  return is_wide(problem) ? 29 : 15;
}

// RATIO and OFFSET of pair.h, whose test is (count - OFFSET) << RATIO_BITS <= denominator * RATIO.
struct Slope {
  std::uint64_t ratio = 0;
  std::int64_t offset = 0;
};

// Both rounded up. A fraction that is larger than RATIO can hold is left to the host: all pairs pass.
Slope slope_of(const engine::Threshold& threshold, const ThresholdTable& table) {
  const std::int64_t most = table.most_count;
  const Slope open{0, most};
  if (threshold.den == 0) return open;
  const std::int64_t den = threshold.den;
  const std::int64_t offset = threshold.offset / den + (threshold.offset % den > 0 ? 1 : 0);
  const std::uint64_t ratio =
      ceil_div(std::uint64_t{threshold.num} << table.ratio_bits, std::uint64_t{threshold.den});
  if (offset >= most || ratio > std::uint64_t{table.most_ratio} << table.ratio_bits) return open;
  return {ratio, std::max(offset, -(most + 1))};
}

// Half of `value`, rounded up.
std::int32_t half_of(std::int64_t value) {
  return static_cast<std::int32_t>((value + 1) >> 1);
}

// Where both alleles are counted, a query's two words say which sites it has called.
bool reads_called_sites(const engine::Problem& problem) {
  return engine::counts_compared(problem) && problem.by == Encoding::kMinor;
}

}  // namespace

bool is_wide(const engine::Problem& problem) {
  return engine::most_count(problem) > kNarrowCount;
}

// Padding past the last query, and all queries until they are set, let no pair pass: no count is below their
// limit of 0, and none reaches their need.
ThresholdTable make_threshold_table(const engine::Problem& problem, std::size_t n_padded_queries,
                                    std::span<const std::int64_t> slack) {
  const engine::Terms terms = engine::terms_of(problem.comparison, problem.by);
  const std::uint64_t denominators = terms.lesser ? 1 : terms.n_denominator;
  const std::uint64_t largest_denominator = std::max(1u, problem.database.n_sites) * denominators;
  ThresholdTable made{
      .most_count = narrow<std::uint32_t>(engine::most_count(problem)),
      .ratio_bits = ratio_bits(problem),
      .most_ratio = static_cast<std::uint32_t>(engine::most_count(problem) / largest_denominator),
      .n_padded_queries = n_padded_queries,
      .words = std::vector<Word>(
          std::max<std::size_t>(1, checked_mul<std::size_t>(kThresholdLines, n_padded_queries)))};
  const auto line = [&](ThresholdLine which) {
    return made.words.begin() + static_cast<std::ptrdiff_t>(which * n_padded_queries);
  };
  std::fill_n(line(kNeed), n_padded_queries, Word{INT32_MAX});
  for (std::size_t i = 0; i < problem.queries->n_rows(); ++i)
    line(kQueryDenominator)[static_cast<std::ptrdiff_t>(i)] =
        engine::most_denominator(problem, problem.queries->row(i));
  std::ranges::transform(slack, line(kSlack), [](std::int64_t value) { return static_cast<Word>(value); });
  return made;
}

void ThresholdTable::set(std::size_t query, const engine::Threshold& threshold) {
  const std::uint32_t limit = engine::limit_of(threshold, at(kQueryDenominator, query), most_count);
  const Slope slope = slope_of(threshold, *this);
  at(kLimit, query) = limit;
  at(kRatio, query) = static_cast<Word>(slope.ratio);
  at(kOffset, query) = static_cast<Word>(slope.offset);
  const std::int64_t slack = static_cast<std::int32_t>(at(kSlack, query));
  at(kNeed, query) = static_cast<Word>(half_of(slack - (std::int64_t{limit} - 1)));
}

QueryLimits::QueryLimits(const cl::Context& context, std::size_t n_queries, std::uint32_t most)
    : most_(most), buffer_(make_buffer(context, CL_MEM_READ_ONLY, n_queries * sizeof(cl_uint))) {}

void QueryLimits::set(DeviceQueue& queue, std::span<const engine::Threshold> thresholds) {
  std::vector<cl_uint> limits;
  for (const engine::Threshold& threshold : thresholds)
    limits.push_back(engine::limit_of(threshold, 1, most_));
  if (limits == sent_) return;
  sent_ = std::move(limits);
  queue.write(buffer_, sent_.size() * sizeof(cl_uint), sent_.data());
}

std::size_t group_items(const cl::Kernel& kernel, const cl::Context& context, std::size_t most) {
  return std::min(most, kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(
                            context.getInfo<CL_CONTEXT_DEVICES>().front()));
}

std::string problem_options(const engine::Problem& problem) {
  return fmt::format(
      "-cl-std=CL1.2 -D FASTID_ALLELES={:d} -D FASTID_COMPARED={:d} -D FASTID_WIDE={:d} "
      "-D RATIO_BITS={}",
      problem.database.encoding == Encoding::kAlleles, reads_called_sites(problem), is_wide(problem),
      ratio_bits(problem));
}

bool nearly_all_called(const engine::Problem& problem) {
  const std::uint64_t sites = problem.database.n_sites;
  for (std::size_t i = 0; i < problem.queries->n_rows(); ++i)
    if (problem.queries->called_sites(i) * std::uint64_t{100} < sites * 97) return false;
  return true;
}

bool counts_pair_denominators(const engine::Problem& problem) {
  const engine::KernelCase which = engine::kernel_case(problem);
  if (engine::denominator_source(which) != engine::DenominatorOf::kPair || engine::counts_both_alleles(which))
    return false;
  return problem.comparison == engine::Comparison::kReverseMixture || !nearly_all_called(problem);
}

namespace {

/// The thresholds of a worker's queries on the device. They are written through the worker's queue, in order.
class DeviceThresholds {
 public:
  DeviceThresholds(const cl::Context& context, ThresholdTable table)
      : table_(std::move(table)),
        buffer_(make_buffer(context, CL_MEM_READ_ONLY, table_.words.size() * sizeof(Word))) {}

  const cl::Buffer& buffer() const { return buffer_; }

  /// Sends the thresholds, one for each query, unless the device has the same already.
  void set(DeviceQueue& queue, std::span<const engine::Threshold> thresholds) {
    const bool all = sent_.size() != thresholds.size();
    if (all) sent_.assign(thresholds.begin(), thresholds.end());
    bool changed = all;
    for (std::size_t i = 0; i < thresholds.size(); ++i) {
      if (!all && sent_[i] == thresholds[i]) continue;
      changed = true;
      sent_[i] = thresholds[i];
      table_.set(i, thresholds[i]);
    }
    if (changed) queue.write(buffer_, table_.words.size() * sizeof(Word), table_.words.data());
  }

 private:
  ThresholdTable table_;                 ///< as it was sent last
  std::vector<engine::Threshold> sent_;  ///< the thresholds that the device has
  cl::Buffer buffer_;
};

// The queries' called sites, one query after the other, if FASTID_COMPARED (kernels/pair.h).
cl::Buffer pack_called_sites(const cl::Context& context, const engine::Problem& problem) {
  std::vector<Word> words;
  for (std::size_t i = 0; reads_called_sites(problem) && i < problem.queries->n_rows(); ++i) {
    const RowView query = problem.queries->row(i);
    words.insert(words.end(), query.called.begin(), query.called.end());
  }
  return make_copy(context, words);
}

/// The kernels of a program with their arguments.
class Comparer final : public PairKernel {
 public:
  Comparer(const cl::Context& context, const cl::Program& program, const engine::Problem& problem,
           const DeviceQueries& queries, const cl::Buffer& called, const DeviceTile& tile)
      : thresholds_(context, queries.thresholds),
        compare_(program, "compare"),
        count_found_(program, "count_found"),
        count_own_bits_(program, "count_own_bits"),
        count_sound_(program, "count_sound"),
        launch_(queries.launch),
        own_bits_(queries.own_bits),
        makes_checksums_(problem.block_bytes() >= kLeastBytes &&
                         group_items(count_sound_, context) >= kGroupItems),
        own_bits_items_(group_items(count_own_bits_, context, kMostOwnBitsItems)) {
    const cl_uint n_words = narrow<cl_uint>(problem.database.n_words());
    const cl_uint n_padded_queries = narrow<cl_uint>(queries.thresholds.n_padded_queries);
    // compare(queries, thresholds, n_padded_queries, bits, second, own_bits, n_words, n_blocks,
    // first_profile, end_profile, first_query, end_query, capacity, found, ...): n_blocks is set by
    // prepare(), the pairs by compare(), and what follows `found` by launch_, from kLaunchArgument on.
    set_arguments(compare_, 0, queries.queries, thresholds_.buffer(), n_padded_queries, tile.bits,
                  tile.second, tile.own_bits, n_words);
    set_arguments(compare_, kFound, tile.found.capacity, tile.found.buffer);
    set_arguments(count_found_, 0, queries.queries, called, thresholds_.buffer(), n_padded_queries, tile.bits,
                  tile.second, n_words, tile.found.capacity, tile.found.buffer);
    set_arguments(count_own_bits_, 0, tile.bits, tile.second, n_words);
    count_own_bits_.setArg(4, tile.own_bits);  // 3: n_profiles, by prepare()
    set_arguments(count_sound_, 0, tile.bits, tile.second, cl_uint{problem.has_second ? 2u : 1u}, n_words);
    count_sound_.setArg(5, tile.bits);  // 4: n_blocks, and 6: where the checksums begin, by count_sound()
    count_sound_.setArg(7, tile.found.buffer);
  }

  void set(DeviceQueue& queue, std::span<const engine::Threshold> thresholds) override {
    thresholds_.set(queue, thresholds);
  }

  void prepare(DeviceQueue& queue, std::size_t n_blocks) override {
    compare_.setArg(kBlocks, narrow<cl_uint>(n_blocks));
    if (!own_bits_) return;
    const std::size_t n = n_blocks * kLanes;
    count_own_bits_.setArg(3, narrow<cl_uint>(n));
    queue.run(count_own_bits_,
              {cl::NDRange(ceil_div(n, own_bits_items_) * own_bits_items_), cl::NDRange(own_bits_items_)});
  }

  void compare(DeviceQueue& queue, const engine::Rectangle& pairs) override {
    set_arguments(compare_, kPairs, cl_uint{pairs.row_begin}, cl_uint{pairs.row_end},  // profiles
                  cl_uint{pairs.column_begin}, cl_uint{pairs.column_end});             // queries
    queue.run(compare_, launch_(compare_, pairs));
    // Only the device knows the number of pairs yet.
    constexpr std::size_t kItems = 16'384;
    queue.run(count_found_, {cl::NDRange(kItems), cl::NullRange});
  }

  bool makes_checksums() const override { return makes_checksums_; }

  void count_sound(DeviceQueue& queue, std::size_t n_blocks, std::size_t at) override {
    count_sound_.setArg(4, narrow<cl_uint>(n_blocks));
    count_sound_.setArg(6, cl_ulong{at / sizeof(std::uint64_t)});
    queue.run(count_sound_,
              {cl::NDRange(ceil_div(n_blocks, kGroupBlocks) * kGroupItems), cl::NDRange(kGroupItems)});
  }

 private:
  static constexpr std::size_t kMostOwnBitsItems = 256;  ///< every driver runs as many; any number works

  /// Where arguments of both kernels `compare` begin: the tile's blocks, its pairs, and where they are
  /// appended.
  enum Argument : cl_uint { kBlocks = 7, kPairs = 8, kFound = 12 };

  DeviceThresholds thresholds_;
  cl::Kernel compare_, count_found_, count_own_bits_, count_sound_;
  decltype(DeviceQueries::launch) launch_;
  bool own_bits_, makes_checksums_;
  std::size_t own_bits_items_;  ///< in a work-group of count_own_bits_
};

}  // namespace

PairKernelMaker pack_compared(const CompareProgram& built, const engine::Problem& problem,
                              std::size_t threads) {
  const auto* const matrix = std::get_if<MatrixShape>(&built.shape);
  DeviceQueries queries = matrix != nullptr
                              ? pack_for_matrix(built.context, problem, *matrix, threads)
                              : pack_for_blocked(built.context, problem, std::get<BlockedShape>(built.shape));
  return [context = built.context, program = built.program, problem, queries = std::move(queries),
          called = pack_called_sites(built.context, problem)](const DeviceTile& tile) {
    return std::make_unique<Comparer>(context, program, problem, queries, called, tile);
  };
}

}  // namespace fastid::opencl
