// compare.cl on the host's side: packs the queries by row blocks, turns bars into limits, and cuts ranges
// into work-groups.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "engine/cpu_queries.hpp"
#include "opencl/comparer.hpp"

namespace fastid {
namespace {

// Lines of the bars' table, each one word for a row; as compare.cl names them.
enum BarLine : std::size_t { kLimit, kMaxCount, kNum, kDen, kRatio, kOwnWeight, kBarLines };

// A bar's share in units of 2^-15, rounded up; no share is more than 1.
std::uint32_t ratio_of(const Bar& bar) {
  constexpr std::uint64_t kOne = 32768;
  if (bar.den == 0) return kOne;
  return static_cast<std::uint32_t>(std::min(kOne, ceil_div(bar.num * kOne, std::uint64_t{bar.den})));
}

bool weights_of_profiles(const Problem& problem, const BlockedShape& shape) {
  return !shape.fused && weight_source(kernel_case(problem)) != WeightOf::kQuery;
}

// Where most sites of each query are called, the stored side alone bounds a pair's weight closely, and few
// pairs pass the bound that fail the bar. Else the weights are counted with the pairs, at twice the work.
bool is_fused(const Problem& problem) {
  if (weight_source(kernel_case(problem)) != WeightOf::kPair) return false;
  if (problem.comparison == Comparison::kReverseMixture) return true;
  const std::uint64_t sites = problem.database.n_sites;
  for (std::size_t i = 0; i < problem.queries->n_rows(); ++i)
    if (problem.queries->called_sites(i) * std::uint64_t{100} < sites * 97) return true;
  return false;
}

class BlockedComparer final : public Comparer {
 public:
  BlockedComparer(const cl::Context& context, const cl::Program& program, const Problem& problem,
                  const BlockedShape& shape, const DeviceTile& tile)
      : problem_(problem),
        config_(shape.config),
        planes_(query_words(kernel_case(problem))),
        n_words_(problem.database.n_words()),
        n_rows_(ceil_div<std::size_t>(problem.queries->n_rows(), config_.m_c) * config_.m_c),
        compare_(program, "compare"),
        weigh_(program, "weigh"),
        count_(program, "count_all"),
        table_(std::max<std::size_t>(1, kBarLines * n_rows_)) {
    std::vector<Word> words = packed_queries();
    queries_ = cl::Buffer(context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, words.size() * sizeof(Word),
                          words.data());
    bars_ = cl::Buffer(context, CL_MEM_READ_ONLY, table_.size() * sizeof(Word));
    if (weights_of_profiles(problem, shape))
      weights_ = cl::Buffer(context, CL_MEM_READ_WRITE, tile.most_profiles * sizeof(Word));
    set_fixed_arguments(tile, context.getInfo<CL_CONTEXT_DEVICES>().front());
  }

  void set_bars(const cl::CommandQueue& queue, std::span<const Bar> bars) override {
    if (sent_.size() == bars.size() && std::ranges::equal(sent_, bars, same_bar)) return;
    sent_.assign(bars.begin(), bars.end());
    for (std::size_t i = 0; i < bars.size(); ++i) {
      const std::uint32_t weight = table_[kOwnWeight * n_rows_ + i];
      table_[kLimit * n_rows_ + i] = std::min(limit_of(bars[i], weight), problem_.database.n_sites + 1);
      table_[kMaxCount * n_rows_ + i] = bars[i].max_count;
      table_[kNum * n_rows_ + i] = bars[i].num;
      table_[kDen * n_rows_ + i] = bars[i].den;
      table_[kRatio * n_rows_ + i] = ratio_of(bars[i]);
    }
    queue.enqueueWriteBuffer(bars_, CL_FALSE, 0, table_.size() * sizeof(Word), table_.data());
  }

  void prepare(const cl::CommandQueue& queue, std::size_t n_blocks, std::vector<cl::Event>& events) override {
    if (weights_() == nullptr) return;
    constexpr std::size_t kGroupItems =
        256;  // as many as every driver runs; the kernel needs nothing of them
    const std::size_t group = std::min(kGroupItems, most_items_), profiles = n_blocks * kLanes;
    weigh_.setArg(2, narrow<cl_uint>(profiles));
    queue.enqueueNDRangeKernel(weigh_, cl::NullRange, cl::NDRange(ceil_div(profiles, group) * group),
                               cl::NDRange(group), nullptr, &events.emplace_back());
  }

  void compare(const cl::CommandQueue& queue, const PairRange& range, std::size_t n_blocks,
               std::vector<cl::Event>& events) override {
    compare_.setArg(7, narrow<cl_uint>(n_blocks));
    compare_.setArg(8, narrow<cl_uint>(range.first_profile));
    compare_.setArg(9, narrow<cl_uint>(range.end_profile));
    compare_.setArg(10, narrow<cl_uint>(range.first_query));
    compare_.setArg(11, narrow<cl_uint>(range.end_query));
    const auto groups = [](std::size_t first, std::size_t end, std::size_t tile, std::size_t grid) {
      const std::size_t tiles = ceil_div(end, tile) - first / tile;
      return grid == 0 ? tiles : std::min(grid, tiles);
    };
    const std::size_t columns =
        groups(range.first_profile, range.end_profile, config_.n_r, config_.grid_columns);
    const std::size_t rows = groups(range.first_query, range.end_query, config_.m_c, config_.grid_rows);
    queue.enqueueNDRangeKernel(
        compare_, cl::NullRange, cl::NDRange(columns * config_.group_columns, rows * config_.group_rows),
        cl::NDRange(config_.group_columns, config_.group_rows), nullptr, &events.emplace_back());
  }

  void count(const cl::CommandQueue& queue, const BlockSeries& series, std::size_t n_profiles,
             std::size_t first_query, std::size_t n_queries, const cl::Buffer& counts,
             std::vector<cl::Event>& events) override {
    count_.setArg(6, narrow<cl_uint>(series.first));
    count_.setArg(7, narrow<cl_uint>(series.step));
    count_.setArg(8, narrow<cl_uint>(n_profiles));
    count_.setArg(9, narrow<cl_uint>(first_query));
    count_.setArg(10, counts);
    send_weights_once(queue);
    queue.enqueueNDRangeKernel(count_, cl::NullRange, cl::NDRange(series.n * kLanes, n_queries),
                               cl::NDRange(kLanes, 1), nullptr, &events.emplace_back());
  }

 private:
  static bool same_bar(const Bar& a, const Bar& b) {
    return a.max_count == b.max_count && a.num == b.num && a.den == b.den;
  }

  // Row blocks of m_c queries, word by word; rows past the last query are 0, and so are their limits, which
  // nothing is below. Fills in the queries' own weights.
  std::vector<Word> packed_queries() {
    std::vector<Word> words(std::max<std::size_t>(1, checked_mul(n_rows_ * planes_, n_words_)));
    for (std::size_t i = 0; i < problem_.queries->n_rows(); ++i) {
      const RowView row = problem_.queries->row(i);
      table_[kOwnWeight * n_rows_ + i] = most_weight(problem_.comparison, row);
      Word* to = words.data() + (i / config_.m_c * n_words_ * planes_) * config_.m_c + i % config_.m_c;
      for (std::size_t k = 0; k < n_words_; ++k, to += planes_ * config_.m_c) {
        const QueryWords both = query_words_of(problem_.comparison, row.bits[k], row.called[k]);
        to[0] = both.q;
        if (planes_ == 2) to[config_.m_c] = both.m;
      }
    }
    return words;
  }

  void set_fixed_arguments(const DeviceTile& tile, const cl::Device& device) {
    const cl_uint n_rows = narrow<cl_uint>(n_rows_), n_words = narrow<cl_uint>(n_words_);
    const std::size_t held = std::min<std::size_t>(n_words_, config_.k_c / planes_);
    const auto common = [&](cl::Kernel& kernel) {
      kernel.setArg(0, queries_);
      kernel.setArg(1, bars_);
      kernel.setArg(2, n_rows);
      kernel.setArg(3, tile.bits);
      kernel.setArg(4, tile.called);
    };
    common(compare_);
    compare_.setArg(5, weights_() == nullptr ? tile.bits : weights_);  // not read where there are none
    compare_.setArg(6, n_words);
    compare_.setArg(12, tile.capacity);
    compare_.setArg(13, tile.found);
    compare_.setArg(14, cl::Local(std::max<std::size_t>(1, held * planes_) * config_.m_c * sizeof(Word)));
    common(count_);
    count_.setArg(5, n_words);
    if (weights_() == nullptr) return;
    const bool by_called = problem_.comparison == Comparison::kIdentity;
    weigh_.setArg(0, by_called ? tile.called : tile.bits);
    weigh_.setArg(1, n_words);
    weigh_.setArg(3, weights_);
    most_items_ = weigh_.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(device);
  }

  // A count may come before any bars.
  void send_weights_once(const cl::CommandQueue& queue) {
    if (sent_.empty())
      queue.enqueueWriteBuffer(bars_, CL_FALSE, 0, table_.size() * sizeof(Word), table_.data());
  }

  Problem problem_;
  KernelConfig config_;
  std::size_t planes_;
  std::size_t n_words_;
  std::size_t most_items_ = 1;  ///< of a work-group of weigh_
  std::size_t n_rows_;          ///< queries, filled up to whole row blocks
  cl::Kernel compare_, weigh_, count_;
  std::vector<Word> table_;
  std::vector<Bar> sent_;
  cl::Buffer queries_, bars_, weights_;
};

}  // namespace

BlockedShape blocked_shape(const Problem& problem, KernelConfig config, std::uint64_t local_bytes) {
  const bool square = problem.queries->n_rows() >= problem.database.n_profiles && config.ld_n_r != 0;
  if (square) {
    config.n_r = config.ld_n_r;
    config.grid_rows = config.ld_grid_rows;
    config.grid_columns = config.ld_grid_columns;
  }
  // One word less than fits: drivers may take a little for themselves, as NVIDIA's do.
  const std::uint64_t fits = local_bytes / (std::uint64_t{4} * config.m_c);
  if (config.k_c > fits) config.k_c = static_cast<std::uint32_t>(std::max<std::uint64_t>(3, fits) - 1);
  while (config.carry_levels > 0 && problem.database.n_words() >> config.carry_levels == 0)
    --config.carry_levels;
  return {config, is_fused(problem)};
}

std::string blocked_options(const Problem& problem, const BlockedShape& shape) {
  constexpr std::uint32_t kNarrowSites = 65535;  // products of two counts fit in 32 bits
  return fmt::format(
      "-cl-std=CL1.2 -D FASTID_CASE={} -D FASTID_FUSED={:d} -D FASTID_WHOLE={:d} -D FASTID_WIDE={:d}",
      static_cast<int>(kernel_case(problem)), shape.fused,
      problem.database.n_words() <= shape.config.k_c / query_words(kernel_case(problem)),
      problem.database.n_sites > kNarrowSites);
}

std::uint64_t blocked_bytes(const Problem& problem) {
  constexpr std::uint64_t kMostRows = 64;  // that filling up to whole row blocks may add, about
  const std::uint64_t rows = problem.queries->n_rows() + kMostRows;
  const std::uint64_t words = query_words(kernel_case(problem)) * problem.database.n_words() + kBarLines;
  return checked_mul(rows, words) * sizeof(Word);
}

std::unique_ptr<Comparer> make_blocked_comparer(const cl::Context& context, const cl::Program& program,
                                                const Problem& problem, const BlockedShape& shape,
                                                const DeviceTile& tile) {
  return std::make_unique<BlockedComparer>(context, program, problem, shape, tile);
}

}  // namespace fastid
