#include "opencl/opencl_lane.hpp"

#include <algorithm>
#include <vector>

#include "base/checked.hpp"

namespace fastid {
namespace {

constexpr std::size_t kGroupItems = 64;  // work-items in a group, along the profiles

// Memory that the device takes by direct transfer, mapped for the host while it lives.
class PinnedWords {
 public:
  PinnedWords() = default;
  PinnedWords(const cl::Context& context, const cl::CommandQueue& queue, std::size_t n_words)
      : queue_(queue), buffer_(context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, n_words * sizeof(Word)) {
    words_ = static_cast<Word*>(
        queue_.enqueueMapBuffer(buffer_, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, n_words * sizeof(Word)));
    std::fill_n(words_, n_words, Word{0});
  }
  ~PinnedWords() {
    if (words_ == nullptr) return;
    try {
      queue_.enqueueUnmapMemObject(buffer_, words_);
      queue_.finish();
    } catch (const cl::Error&) {
      // The memory goes with the context.
    }
  }
  PinnedWords(const PinnedWords&) = delete;
  PinnedWords& operator=(const PinnedWords&) = delete;

  Word* data() { return words_; }

 private:
  cl::CommandQueue queue_;
  cl::Buffer buffer_;
  Word* words_ = nullptr;
};

// A rectangle of pairs: profiles of the tile x queries.
struct Range {
  std::size_t first_profile, end_profile, first_query, end_query;

  std::size_t profiles() const { return end_profile - first_profile; }
  std::size_t queries() const { return end_query - first_query; }
  std::size_t pairs() const { return profiles() * queries(); }
};

// `range` cut along its longer side into at least two parts, `pieces` where it has as many rows; not for a
// single pair.
std::vector<Range> cut(const Range& range, std::size_t pieces) {
  const bool by_profile = range.profiles() >= range.queries();
  const std::size_t length = by_profile ? range.profiles() : range.queries();
  const std::size_t step = std::max<std::size_t>(1, length / std::max<std::size_t>(2, pieces));
  std::vector<Range> parts;
  for (std::size_t at = 0; at < length; at += step) {
    const std::size_t end = std::min(length, at + step);
    Range part = range;
    (by_profile ? part.first_profile : part.first_query) += at;
    (by_profile ? part.end_profile : part.end_query) =
        (by_profile ? range.first_profile : range.first_query) + end;
    parts.push_back(part);
  }
  return parts;
}

class OpenClLane final : public Lane {
 public:
  OpenClLane(const OpenClContext& context, const cl::Program& program, const Problem& problem,
             std::size_t tile_blocks, const OpenClTuning& tuning)
      : name_(context.name),
        problem_(problem),
        capacity_(narrow<cl_uint>(std::max<std::size_t>(1, tuning.candidates))),
        most_pairs_(std::clamp<std::size_t>(tuning.pairs, 1, UINT32_MAX)),
        tile_words_(std::max<std::size_t>(1, checked_mul(tile_blocks, problem.database.block_words()))),
        queue_(context.context, context.device),
        kernel_(program, "compare_ref"),
        host_bits_(context.context, queue_, tile_words_),
        bits_(context.context, CL_MEM_READ_ONLY, tile_words_ * sizeof(Word)),
        n_found_(context.context, CL_MEM_READ_WRITE, sizeof(cl_uint)),
        found_(context.context, CL_MEM_WRITE_ONLY, capacity_ * sizeof(cl_uint4)) {
    if (problem.has_called) {
      host_called_ = std::make_unique<PinnedWords>(context.context, queue_, tile_words_);
      called_ = cl::Buffer(context.context, CL_MEM_READ_ONLY, tile_words_ * sizeof(Word));
    }
    const std::size_t most = kernel_.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(context.device);
    group_items_ = std::min(kGroupItems, most);
    upload_queries(context.context);
    set_fixed_arguments();
  }

  // What was queued before an error still reads this lane's memory.
  ~OpenClLane() override {
    try {
      queue_.finish();
    } catch (const cl::Error&) {
      // The device has failed; it reads no more.
    }
  }
  OpenClLane(const OpenClLane&) = delete;
  OpenClLane& operator=(const OpenClLane&) = delete;

  TileBuffer buffer() override { return {host_bits_.data(), host_called_ ? host_called_->data() : nullptr}; }

  void compare(const BlockShape& tile, std::span<const Bar> bars, std::vector<Candidate>& out) override {
    if (tile.n_profiles == 0 || bars.empty()) return;
    with_cl_errors(name_, [&] {
      upload_tile(tile);
      upload_bars(bars);
      compare_range({0, static_cast<std::size_t>(tile.n_profiles), 0, bars.size()}, out);
    });
  }

  void count(const BlockShape& tile, const BlockSeries& series, std::vector<PairCount>& out) override {
    const TileBuffer host = buffer();
    count_by_definition(problem_, {tile, host.bits, host.called}, series, out);
  }

 private:
  void upload_queries(const cl::Context& context) {
    const ProfileRows& queries = *problem_.queries;
    const std::size_t words = queries.n_rows() * queries.n_words();
    if (words == 0) return;
    query_bits_ = cl::Buffer(context, CL_MEM_READ_ONLY, words * sizeof(Word));
    query_called_ = cl::Buffer(context, CL_MEM_READ_ONLY, words * sizeof(Word));
    bars_ = cl::Buffer(context, CL_MEM_READ_ONLY, queries.n_rows() * sizeof(cl_uint4));
    std::vector<Word> bits, called;  // one write for each plane: a call may cost more than its bytes
    for (std::size_t i = 0; i < queries.n_rows(); ++i) {
      const RowView row = queries.row(i);
      bits.insert(bits.end(), row.bits.begin(), row.bits.end());
      called.insert(called.end(), row.called.begin(), row.called.end());
    }
    queue_.enqueueWriteBuffer(query_bits_, CL_TRUE, 0, words * sizeof(Word), bits.data());
    queue_.enqueueWriteBuffer(query_called_, CL_TRUE, 0, words * sizeof(Word), called.data());
  }

  void set_fixed_arguments() {
    kernel_.setArg(0, query_bits_);
    kernel_.setArg(1, query_called_);
    kernel_.setArg(2, bits_);
    kernel_.setArg(3, problem_.has_called ? called_ : bits_);  // not read where there is none
    kernel_.setArg(4, narrow<cl_uint>(problem_.database.n_words()));
    kernel_.setArg(5, cl_uint{problem_.database.n_sites});
    kernel_.setArg(9, bars_);
    kernel_.setArg(10, capacity_);
    kernel_.setArg(11, n_found_);
    kernel_.setArg(12, found_);
  }

  void upload_tile(const BlockShape& tile) {
    const std::size_t bytes = static_cast<std::size_t>(tile.n_blocks()) * tile.block_bytes();
    if (bytes > tile_words_ * sizeof(Word)) throw Failure("a tile is larger than its lane");
    queue_.enqueueWriteBuffer(bits_, CL_FALSE, 0, bytes, host_bits_.data());
    if (host_called_) queue_.enqueueWriteBuffer(called_, CL_FALSE, 0, bytes, host_called_->data());
  }

  void upload_bars(std::span<const Bar> bars) {
    bar_words_.clear();
    for (const Bar& bar : bars) bar_words_.push_back({{bar.max_count, bar.num, bar.den, 0}});
    queue_.enqueueWriteBuffer(bars_, CL_FALSE, 0, bar_words_.size() * sizeof(cl_uint4), bar_words_.data());
  }

  // Nothing is lost: where more pairs pass than the buffer holds, what it holds is dropped and the parts are
  // run again. A range of more pairs than the device can count is cut before it is run.
  void compare_range(const Range& range, std::vector<Candidate>& out) {
    std::size_t pieces = ceil_div(range.pairs(), most_pairs_);
    if (pieces <= 1) {
      const std::size_t n = run(range);
      if (n <= capacity_) return fetch(n, out);
      pieces = n / capacity_ + 1;
    }
    for (const Range& part : cut(range, pieces)) compare_range(part, out);
  }

  // Returns how many pairs passed.
  std::size_t run(const Range& range) {
    static constexpr cl_uint kNone = 0;  // read after this call returns, where it throws
    queue_.enqueueWriteBuffer(n_found_, CL_FALSE, 0, sizeof kNone, &kNone);
    kernel_.setArg(6, narrow<cl_uint>(range.first_profile));
    kernel_.setArg(7, narrow<cl_uint>(range.end_profile));
    kernel_.setArg(8, narrow<cl_uint>(range.first_query));
    const std::size_t items = ceil_div(range.profiles(), group_items_) * group_items_;
    queue_.enqueueNDRangeKernel(kernel_, cl::NullRange, cl::NDRange(items, range.queries()),
                                cl::NDRange(group_items_, 1));
    cl_uint n = 0;
    queue_.enqueueReadBuffer(n_found_, CL_TRUE, 0, sizeof n, &n);
    return n;
  }

  void fetch(std::size_t n, std::vector<Candidate>& out) {
    if (n == 0) return;
    static_assert(sizeof(Candidate) == sizeof(cl_uint4));  // query, profile, count, weight in both
    const std::size_t before = out.size();
    out.resize(before + n);
    queue_.enqueueReadBuffer(found_, CL_TRUE, 0, n * sizeof(Candidate), out.data() + before);
  }

  std::string name_;
  Problem problem_;
  cl_uint capacity_;        ///< candidates that found_ holds
  std::size_t most_pairs_;  ///< that a run of the kernel can count
  std::size_t tile_words_;
  std::size_t group_items_ = 1;
  cl::CommandQueue queue_;  ///< in order
  cl::Kernel kernel_;
  PinnedWords host_bits_;
  std::unique_ptr<PinnedWords> host_called_;
  cl::Buffer bits_, called_, query_bits_, query_called_, bars_, n_found_, found_;
  std::vector<cl_uint4> bar_words_;
};

}  // namespace

std::unique_ptr<Lane> make_opencl_lane(const OpenClContext& context, const cl::Program& program,
                                       const Problem& problem, std::size_t tile_blocks,
                                       const OpenClTuning& tuning) {
  return std::make_unique<OpenClLane>(context, program, problem, tile_blocks, tuning);
}

}  // namespace fastid
