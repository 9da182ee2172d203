#include "opencl/real_similarity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/embedded.hpp"
#include "base/error.hpp"
#include "base/lender.hpp"
#include "base/log.hpp"
#include "engine/real_similarity.hpp"
#include "opencl/device_buffer.hpp"
#include "opencl/devices.hpp"
#include "opencl/kernel/comparer.hpp"
#include "opencl/kernel/programs.hpp"

namespace fastid {
namespace {

constexpr std::uint32_t kGpuSide = 4096, kCpuSide = 256;  // of a rectangle: work for all of a device's units
constexpr std::size_t kPairsOfFound = 16;  // of so many pairs one may pass before all come back instead

/// What a program is built for, as min_plus.cl has it.
struct MinPlusShape {
  bool in_double = false, staged = true;

  std::size_t items() const { return staged ? 16 : 1; }
  std::size_t rows() const { return staged && in_double ? 4 : 8; }
  std::size_t vectors() const { return 2; }
  std::size_t width() const { return staged ? (in_double ? 2 : 4) : 16; }

  std::size_t tile_rows() const { return items() * rows(); }
  std::size_t tile_columns() const { return items() * vectors() * width(); }
};

ProgramSource source_of(const MinPlusShape& shape) {
  return {
      std::string(embedded_text("kernels/min_plus.cl")),
      fmt::format(
          "-cl-std=CL1.2 -D FASTID_DOUBLE={:d} -D FASTID_STAGED={:d} -D FASTID_ITEMS={} -D FASTID_ROWS={} "
          "-D FASTID_VECTORS={} -D FASTID_WIDTH={}",
          shape.in_double, shape.staged, shape.items(), shape.rows(), shape.vectors(), shape.width()),
      "multiply"};
}

/// Question of min_plus.cl.
struct Question {
  cl_ulong n;
  cl_uint n_blocks, copied_from, n_copied;
  cl_uint row_begin, row_end, column_begin, column_end, result_begin;
  cl_uint pivot, pair_columns, capacity, below;
};

/// What is built once for a matrix.
struct OnDevice {
  cl::Context context;
  cl::Device device;
  cl::Program program;
  MinPlusShape shape;
  std::size_t most_copied;
  std::uint32_t side;  ///< of the largest rectangle that is asked for
  const RealMatrix* matrix;
  cl::Buffer vectors;

  std::size_t block_bytes() const { return matrix->n_columns() * kLanes * bytes_of(matrix->type()); }
};

/// A command queue with buffers of its own: the results of one come back while another's are computed.
class Lane {
 public:
  explicit Lane(const OnDevice& on)
      : on_(on),
        queue_(on.context, on.device, CL_QUEUE_PROFILING_ENABLE),
        cut_(on.program, "cut_rows"),
        multiply_(on.program, "multiply"),
        find_(on.program, "find") {}

  double kernel_seconds() const { return seconds_; }

  /// \param out  numbers of T, [row][column]
  void products(std::optional<std::uint32_t> pivot, const Rectangle& pairs, void* out) {
    out_.reserve(on_, pairs.pairs() * bytes_of(on_.matrix->type()));
    multiply(pivot, pairs, false, out_.buffer);
    queue_.enqueueReadBuffer(out_.buffer, CL_TRUE, 0, pairs.pairs() * bytes_of(on_.matrix->type()), out);
    count_time();
  }

  /// Pairs that may pass, as places of the rectangle and products; no value where they are so many that all
  /// had better come back. Limits are of T, as products are.
  template <class T>
  std::optional<std::vector<std::pair<cl_uint, T>>> find(std::optional<std::uint32_t> pivot,
                                                         const Rectangle& pairs,
                                                         const std::vector<T>& row_limits,
                                                         const std::vector<T>& column_limits) {
    if (pivot) prepare_pairs(pairs);
    const std::size_t capacity = std::max<std::size_t>(1, pairs.pairs() / kPairsOfFound);
    found_.reserve(on_, (capacity + 1) * sizeof(cl_uint));
    found_products_.reserve(on_, capacity * sizeof(T));
    pairs_.reserve(on_, sizeof(T));  // an argument is never null
    put(row_limits_, row_limits);
    put(column_limits_, column_limits);
    queue_.enqueueFillBuffer(found_.buffer, cl_uint{0}, 0, sizeof(cl_uint));
    find_.setArg(3, pairs_.buffer);
    find_.setArg(4, row_limits_.buffer);
    find_.setArg(5, column_limits_.buffer);
    find_.setArg(6, found_.buffer);
    find_.setArg(7, found_products_.buffer);
    run(find_, pivot, pairs, capacity);
    cl_uint n = 0;
    queue_.enqueueReadBuffer(found_.buffer, CL_TRUE, 0, sizeof(n), &n);
    count_time();
    if (n > capacity) return std::nullopt;
    return read<T>(n);
  }

 private:
  /// A buffer that grows.
  struct Growing {
    cl::Buffer buffer;
    std::size_t bytes = 0;

    void reserve(const OnDevice& on, std::size_t needed) {
      if (needed <= bytes) return;
      bytes = 0;
      buffer = cl::Buffer();  // given back before the next is asked for
      buffer = make_buffer(on.context, CL_MEM_READ_WRITE, needed);
      bytes = needed;
    }
  };

  template <class T>
  void put(Growing& to, const std::vector<T>& from) {
    to.reserve(on_, from.size() * sizeof(T));
    queue_.enqueueWriteBuffer(to.buffer, CL_TRUE, 0, from.size() * sizeof(T), from.data());
  }

  template <class T>
  std::vector<std::pair<cl_uint, T>> read(std::size_t n) {
    std::vector<std::pair<cl_uint, T>> found(n);
    if (n == 0) return found;
    std::vector<cl_uint> places(n);
    std::vector<T> products(n);
    queue_.enqueueReadBuffer(found_.buffer, CL_TRUE, sizeof(cl_uint), n * sizeof(cl_uint), places.data());
    queue_.enqueueReadBuffer(found_products_.buffer, CL_TRUE, 0, n * sizeof(T), products.data());
    for (std::size_t i = 0; i < n; ++i) found[i] = {places[i], products[i]};
    return found;
  }

  /// The products without a pivot stay for the next pivots, which ask for a little more each.
  void prepare_pairs(const Rectangle& pairs) {
    if (prepared_ && prepared_->begins_with(pairs)) return;
    prepared_.reset();
    const Rectangle more = pairs.grown(on_.side, on_.matrix->n_rows());
    pairs_.reserve(on_, more.pairs() * bytes_of(on_.matrix->type()));
    multiply(std::nullopt, more, true, pairs_.buffer);
    prepared_ = more;
  }

  /// \param below  only those of pairs whose column is below their row are needed
  void multiply(std::optional<std::uint32_t> pivot, const Rectangle& pairs, bool below,
                const cl::Buffer& out) {
    multiply_.setArg(3, out);
    run(multiply_, pivot, pairs, 0, below);
  }

  /// Runs a kernel over a rectangle: with a pivot a strip of rows after the other, as many as are copied.
  void run(cl::Kernel& kernel, std::optional<std::uint32_t> pivot, const Rectangle& pairs,
           std::size_t capacity, bool below = false) {
    Question question{.n = on_.matrix->n_columns(),
                      .n_blocks = narrow<cl_uint>(on_.matrix->n_blocks()),
                      .copied_from = 0,
                      .n_copied = narrow<cl_uint>(on_.matrix->n_blocks()),
                      .row_begin = pairs.row_begin,
                      .row_end = pairs.row_end,
                      .column_begin = pairs.column_begin,
                      .column_end = pairs.column_end,
                      .result_begin = pairs.row_begin,
                      .pivot = pivot ? 1U : 0U,
                      .pair_columns = prepared_ ? narrow<cl_uint>(prepared_->columns()) : 0,
                      .capacity = narrow<cl_uint>(capacity),
                      .below = below ? 1U : 0U};
    kernel.setArg(1, on_.vectors);
    if (!pivot) {
      kernel.setArg(0, on_.vectors);
      return enqueue(kernel, question);
    }
    const std::size_t strip_blocks =
        std::max(ceil_div(on_.shape.tile_rows(), kLanes), on_.most_copied / on_.block_bytes());
    for (std::size_t block = pairs.row_begin / kLanes; block * kLanes < pairs.row_end;
         block += strip_blocks) {
      const std::size_t end = std::min(block + strip_blocks, ceil_div<std::size_t>(pairs.row_end, kLanes));
      question.copied_from = narrow<cl_uint>(block);
      question.n_copied = narrow<cl_uint>(end - block);
      question.row_begin = std::max(pairs.row_begin, narrow<cl_uint>(block * kLanes));
      question.row_end = std::min(pairs.row_end, narrow<cl_uint>(end * kLanes));
      cut(*pivot, question);
      kernel.setArg(0, copied_.buffer);
      enqueue(kernel, question);
    }
  }

  void cut(std::uint32_t pivot, Question question) {
    copied_.reserve(on_, question.n_copied * on_.block_bytes());
    question.pivot = pivot;
    cut_.setArg(0, on_.vectors);
    cut_.setArg(1, sizeof(question), &question);
    cut_.setArg(2, copied_.buffer);
    constexpr std::size_t kElements = 8;  // of a work-group
    start(cut_,
          cl::NDRange(kLanes, ceil_div<std::size_t>(question.n, kElements) * kElements, question.n_copied),
          cl::NDRange(kLanes, kElements, 1));
  }

  void enqueue(cl::Kernel& kernel, const Question& question) {
    kernel.setArg(2, sizeof(question), &question);
    const MinPlusShape& shape = on_.shape;
    const std::size_t rows = question.row_end - question.row_begin / kLanes * kLanes;
    const std::size_t columns = question.column_end - question.column_begin / kLanes * kLanes;
    const std::size_t group = shape.items() * shape.items();
    start(kernel,
          cl::NDRange(ceil_div(columns, shape.tile_columns()) * group, ceil_div(rows, shape.tile_rows())),
          cl::NDRange(group, 1));
  }

  void start(const cl::Kernel& kernel, const cl::NDRange& items, const cl::NDRange& group) {
    running_.emplace_back();
    queue_.enqueueNDRangeKernel(kernel, cl::NullRange, items, group, nullptr, &running_.back());
  }

  /// Once all that was started has ended.
  void count_time() {
    for (const cl::Event& event : running_) seconds_ += seconds_of(event);
    running_.clear();
  }

  const OnDevice& on_;
  cl::CommandQueue queue_;
  cl::Kernel cut_, multiply_, find_;
  Growing out_, pairs_, copied_, row_limits_, column_limits_, found_, found_products_;
  std::optional<Rectangle> prepared_;
  std::vector<cl::Event> running_;
  double seconds_ = 0;
};

cl::Buffer upload(const cl::Context& context, const cl::Device& device, const RealMatrix& matrix,
                  std::size_t block_bytes) {
  cl::Buffer vectors = make_buffer(context, CL_MEM_READ_ONLY, checked_mul(matrix.n_blocks(), block_bytes));
  const cl::CommandQueue queue(context, device);
  with_real(matrix.type(), [&](auto zero) {
    for (std::size_t block = 0; block < matrix.n_blocks(); ++block)
      queue.enqueueWriteBuffer(vectors, CL_TRUE, block * block_bytes, block_bytes,
                               matrix.block<decltype(zero)>(block));
  });
  return vectors;
}

/// A matrix on a device, and the lanes of those who ask. Each lane makes the products without a pivot of a
/// rectangle anew, so that more lanes than keep the device busy would cost more than they bring.
class DeviceProducts {
 public:
  DeviceProducts(const cl::Context& context, const cl::Device& device, const cl::Program& program,
                 const MinPlusShape& shape, const RealMatrix& matrix, std::size_t most_copied,
                 std::uint32_t side)
      : on_{context, device, program, shape, most_copied, side, &matrix, {}} {
    on_.vectors = upload(context, device, matrix, on_.block_bytes());
    for (std::size_t i = 0; i < kLanesOfADevice; ++i) free_.put(&lanes_.emplace_back(on_));
  }

  /// A lane that nobody else has meanwhile.
  Lender<Lane>::Loan lane() { return free_.lend(); }

  double kernel_seconds() const {
    double seconds = 0;
    for (const Lane& lane : lanes_) seconds += lane.kernel_seconds();
    return seconds;
  }

 private:
  OnDevice on_;
  std::deque<Lane> lanes_;
  Lender<Lane> free_;
};

template <class T>
void read_products(DeviceProducts& device, std::optional<std::uint32_t> pivot, const Rectangle& pairs,
                   std::span<double> out) {
  std::vector<T> products(pairs.pairs());
  device.lane()->products(pivot, pairs, products.data());
  std::ranges::copy(products, out.begin());
}

class OpenClRealSimilarity final : public SimilarityEngine {
 public:
  OpenClRealSimilarity(const OpenClDevice& device, const RealMatrix& matrix,
                       const RealSimilarityOptions& options)
      : name_("opencl:" + device.facts.selector), matrix_(matrix), on_cpu_(device.facts.type == "CPU") {
    MinPlusShape shape{.in_double = matrix.type() == RealType::kDouble};
    shape.staged = options.reads == MinPlusReads::kBest ? !on_cpu_ : options.reads == MinPlusReads::kStaged;
    check_numbers(device.device);
    const cl::Context context = with_cl_errors(name_, [&] { return cl::Context(device.device); });
    use_first_built(name_, context, device, std::vector{shape}, source_of,
                    [&](const cl::Program& program, const MinPlusShape& built) {
                      prove(context, device.device, program, built);
                      products_ = with_cl_memory_errors(name_, [&] {
                        return std::make_unique<DeviceProducts>(context, device.device, program, built,
                                                                matrix, options.most_copied,
                                                                rectangle_side());
                      });
                    });
  }

  ~OpenClRealSimilarity() override { log::detail("{}: kernel {:.6f} s", name_, products_->kernel_seconds()); }
  OpenClRealSimilarity(const OpenClRealSimilarity&) = delete;
  OpenClRealSimilarity& operator=(const OpenClRealSimilarity&) = delete;

  std::uint32_t n_vectors() const override { return matrix_.n_rows(); }
  std::span<const double> sums() const override { return matrix_.sums(); }
  std::uint32_t rectangle_side() const override { return on_cpu_ ? kCpuSide : kGpuSide; }
  std::uint32_t least_side() const override {
    return on_cpu_ ? SimilarityEngine::least_side() : rectangle_side();
  }

  void products(std::optional<std::uint32_t> pivot, const Rectangle& pairs,
                std::span<double> out) const override {
    if (pairs.pairs() == 0) return;
    with_cl_memory_errors(name_, [&] {
      with_real(matrix_.type(),
                [&](auto zero) { read_products<decltype(zero)>(*products_, pivot, pairs, out); });
    });
  }

  void find(std::optional<std::uint32_t> pivot, const Rectangle& pairs, const ProductFilter& filter,
            std::vector<FoundProduct>& out) const override {
    constexpr std::size_t kMostPlaces = std::size_t{1} << 32;
    if (pairs.pairs() == 0) return;
    const bool found = pairs.pairs() < kMostPlaces && with_cl_memory_errors(name_, [&] {
                         return with_real(matrix_.type(), [&](auto zero) {
                           return find_few<decltype(zero)>(pivot, pairs, filter, out);
                         });
                       });
    if (!found) SimilarityEngine::find(pivot, pairs, filter, out);
  }

 private:
  /// False where too many pairs pass to come back alone.
  template <class T>
  bool find_few(std::optional<std::uint32_t> pivot, const Rectangle& pairs, const ProductFilter& filter,
                std::vector<FoundProduct>& out) const {
    const std::vector<T> row_limits(filter.row.begin(), filter.row.end()),
        column_limits(filter.column.begin(), filter.column.end());
    const auto found = products_->lane()->find<T>(pivot, pairs, row_limits, column_limits);
    if (!found) return false;
    for (const auto& [place, product] : *found) {
      if (place >= pairs.pairs())
        throw DeviceError(
            fmt::format("{}: the device found a pair that it was not asked for; {}", name_, kDistrust));
      out.push_back({pairs.row_begin + static_cast<std::uint32_t>(place / pairs.columns()),
                     pairs.column_begin + static_cast<std::uint32_t>(place % pairs.columns()), product});
    }
    return true;
  }

  void check_numbers(const cl::Device& device) const {
    const bool in_double = matrix_.type() == RealType::kDouble;
    const auto config = with_cl_errors(name_, [&] {
      return in_double ? device.getInfo<CL_DEVICE_DOUBLE_FP_CONFIG>()
                       : device.getInfo<CL_DEVICE_SINGLE_FP_CONFIG>();
    });
    if (config == 0)
      throw DeviceError(fmt::format(
          "{}: has no numbers of double precision; give a matrix of float, or run with --device cpu", name_));
    if ((config & CL_FP_DENORM) == 0 && matrix_.has_denormals())
      throw DeviceError(
          fmt::format("{}: takes the smallest numbers of the matrix for 0; run with --device cpu", name_));
  }

  // The device must compute what the definition computes of a small matrix, with and without a pivot.
  void prove(const cl::Context& context, const cl::Device& device, const cl::Program& program,
             const MinPlusShape& shape) const {
    with_real(matrix_.type(), [&](auto zero) { prove<decltype(zero)>(context, device, program, shape); });
  }
  template <class T>
  void prove(const cl::Context& context, const cl::Device& device, const cl::Program& program,
             const MinPlusShape& shape) const {
    constexpr std::uint32_t kRows = 70, kColumns = 37;
    std::mt19937 random(1);
    std::vector<T> numbers(std::size_t{kRows} * kColumns);
    for (T& number : numbers) number = std::generate_canonical<T, 60>(random);
    RealMatrix matrix(name_, matrix_.type(), kColumns);
    matrix.append<T>(numbers);
    const Rectangle all{0, kRows, 0, kRows};
    std::vector<double> right(all.pairs()), computed(all.pairs());
    const auto reference = make_real_similarity_engine("reference", matrix);
    with_cl_memory_errors(name_, [&] {
      DeviceProducts products(context, device, program, shape, matrix, 1, kRows);
      for (const auto pivot : {std::optional<std::uint32_t>(), std::optional<std::uint32_t>(41)}) {
        reference->products(pivot, all, right);
        read_products<T>(products, pivot, all, computed);
        if (computed != right)
          throw DeviceError(fmt::format("{}: the device computes other products than the definition; {}",
                                        name_, kDistrust));
      }
    });
  }

  std::string name_;
  const RealMatrix& matrix_;
  bool on_cpu_;
  std::unique_ptr<DeviceProducts> products_;
};

}  // namespace

std::unique_ptr<SimilarityEngine> make_opencl_real_similarity(const std::string& selector,
                                                              const RealMatrix& matrix,
                                                              const RealSimilarityOptions& options) {
  return std::make_unique<OpenClRealSimilarity>(select_opencl_device(selector), matrix, options);
}

}  // namespace fastid
