#include "opencl/real_similarity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/embedded.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "engine/real_similarity.hpp"
#include "opencl/device/lanes.hpp"
#include "opencl/device_buffer.hpp"
#include "opencl/devices.hpp"
#include "opencl/kernel/comparer.hpp"
#include "opencl/kernel/product_filters.hpp"
#include "opencl/kernel/programs.hpp"

namespace fastid {
namespace {

constexpr std::uint32_t kGpuSide = 4096, kCpuSide = 256;  // of a rectangle: work for all of a device's units
constexpr std::size_t kStep = 16;                         // STEP of min_plus.cl

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
  cl_uint n_blocks;
  cl_uint row_begin, row_end, column_begin, column_end;
  cl_uint n_pivots, pair_columns, capacity, below;
};

/// What is built once for a matrix.
struct OnDevice {
  cl::Context context;
  cl::Device device;
  cl::Program program;
  MinPlusShape shape;
  std::uint32_t side;  ///< of the largest rectangle that is asked for
  const RealMatrix* matrix;
  cl::Buffer vectors;

  OnDevice(const cl::Context& with, const cl::Device& on, const cl::Program& built, const MinPlusShape& as,
           std::uint32_t largest, const RealMatrix& of)
      : context(with), device(on), program(built), shape(as), side(largest), matrix(&of) {
    upload();
  }

  /// With those that fill up the last step, which are 0 and add nothing.
  std::size_t n_elements() const { return ceil_div<std::size_t>(matrix->n_columns(), kStep) * kStep; }

 private:
  void upload() {
    const std::size_t element_bytes = kLanes * bytes_of(matrix->type());  // of a block's
    const std::size_t bytes = matrix->n_columns() * element_bytes, there = n_elements() * element_bytes;
    vectors = make_buffer(context, CL_MEM_READ_ONLY, checked_mul(matrix->n_blocks(), there));
    const cl::CommandQueue queue(context, device);
    with_real(matrix->type(), [&](auto zero) {
      for (std::size_t block = 0; block < matrix->n_blocks(); ++block) {
        const std::size_t at = block * there;
        queue.enqueueWriteBuffer(vectors, CL_TRUE, at, bytes, matrix->block<decltype(zero)>(block));
        if (there > bytes) queue.enqueueFillBuffer(vectors, zero, at + bytes, there - bytes);
      }
    });
    queue.finish();
  }
};

/// Pairs that passed filters: where they are, [filter][row][column] of the rectangle, and their products.
template <class T>
using Places = std::vector<std::pair<cl_uint, T>>;

/// A command queue with buffers of its own: the results of one come back while another's are computed.
class Lane {
 public:
  explicit Lane(const OnDevice& on)
      : on_(on),
        queue_(on.context, on.device, CL_QUEUE_PROFILING_ENABLE),
        copy_(on.program, "copy_pivots"),
        multiply_(on.program, "multiply"),
        find_(on.program, "find") {}

  double kernel_seconds() const { return seconds_; }

  /// \param out  [row][column]
  template <class T>
  void products(std::optional<std::uint32_t> pivot, const Rectangle& pairs, bool below, std::span<T> out) {
    multiply<T>(pivot, pairs, below, out_.reserve(on_.context, out.size_bytes()));
    queue_.enqueueReadBuffer(out_.buffer(), CL_TRUE, 0, out.size_bytes(), out.data());
    count_time();
  }

  /// Pairs that may pass; no value where they are too many.
  template <class T>
  std::optional<Places<T>> find(const Rectangle& pairs, const DeviceFilters<T>& filters) {
    const std::vector<cl_uint>& pivots = filters.pivots;
    if (!pivots.empty()) prepare_pairs<T>(pairs);
    const std::size_t most = SimilarityEngine::most_found(pairs, filters.n);
    set_pivots<T>(find_, pivots);
    pivot_numbers_.reserve(on_.context, sizeof(cl_uint));  // an argument is never null
    find_.setArg(3, pivot_numbers_.buffer());
    find_.setArg(4, pairs_.reserve(on_.context, sizeof(T)));
    find_.setArg(5, put(row_limits_, filters.row));
    find_.setArg(6, put(column_limits_, filters.column));
    find_.setArg(7, found_.reserve(on_.context, (most + 1) * sizeof(cl_uint)));
    find_.setArg(8, found_products_.reserve(on_.context, most * sizeof(T)));
    queue_.enqueueFillBuffer(found_.buffer(), cl_uint{0}, 0, sizeof(cl_uint));
    Question question = question_of(pairs, pivots.size());
    question.pair_columns = prepared_ ? narrow<cl_uint>(prepared_->columns()) : 0;
    question.capacity = narrow<cl_uint>(most);
    enqueue(find_, question);
    cl_uint n = 0;
    queue_.enqueueReadBuffer(found_.buffer(), CL_TRUE, 0, sizeof(n), &n);
    count_time();
    if (n > most) return std::nullopt;
    return read<T>(n);
  }

 private:
  template <class T>
  const cl::Buffer& put(GrowingBuffer& to, const std::vector<T>& from) {
    const std::size_t bytes = from.size() * sizeof(T);
    queue_.enqueueWriteBuffer(to.reserve(on_.context, bytes), CL_TRUE, 0, bytes, from.data());
    return to.buffer();
  }

  template <class T>
  Places<T> read(std::size_t n) {
    Places<T> found(n);
    if (n == 0) return found;
    std::vector<cl_uint> places(n);
    std::vector<T> products(n);
    queue_.enqueueReadBuffer(found_.buffer(), CL_TRUE, sizeof(cl_uint), n * sizeof(cl_uint), places.data());
    queue_.enqueueReadBuffer(found_products_.buffer(), CL_TRUE, 0, n * sizeof(T), products.data());
    for (std::size_t i = 0; i < n; ++i) found[i] = {places[i], products[i]};
    return found;
  }

  /// The products without a pivot stay for the next pivots, which ask for a little more each.
  template <class T>
  void prepare_pairs(const Rectangle& pairs) {
    if (prepared_ && prepared_->begins_with(pairs)) return;
    prepared_.reset();
    const Rectangle more = pairs.grown(on_.side, on_.matrix->n_rows());
    multiply<T>(std::nullopt, more, true, pairs_.reserve(on_.context, more.pairs() * sizeof(T)));
    prepared_ = more;
  }

  /// \param below  only those of pairs whose column is below their row are needed
  template <class T>
  void multiply(std::optional<std::uint32_t> pivot, const Rectangle& pairs, bool below,
                const cl::Buffer& out) {
    const std::vector<cl_uint> pivots(pivot ? 1 : 0, pivot.value_or(0));
    set_pivots<T>(multiply_, pivots);
    multiply_.setArg(3, out);
    Question question = question_of(pairs, pivots.size());
    question.below = below ? 1U : 0U;
    enqueue(multiply_, question);
  }

  /// Sets the vectors and the pivots of a kernel.
  template <class T>
  void set_pivots(cl::Kernel& kernel, const std::vector<cl_uint>& pivots) {
    const std::size_t n = on_.n_elements();
    cl::Buffer& copies =
        pivots_.reserve(on_.context, std::max<std::size_t>(1, pivots.size()) * n * sizeof(T));
    if (pivots.empty())
      queue_.enqueueFillBuffer(copies, std::numeric_limits<T>::infinity(), 0, n * sizeof(T));
    else {
      const Question question = question_of({}, pivots.size());
      copy_.setArg(0, on_.vectors);
      copy_.setArg(1, put(pivot_numbers_, pivots));
      copy_.setArg(2, sizeof(question), &question);
      copy_.setArg(3, copies);
      start(copy_, cl::NDRange(n, pivots.size()), cl::NullRange);
    }
    kernel.setArg(0, on_.vectors);
    kernel.setArg(1, copies);
  }

  Question question_of(const Rectangle& pairs, std::size_t n_pivots) const {
    return {.n = on_.n_elements(),
            .n_blocks = narrow<cl_uint>(on_.matrix->n_blocks()),
            .row_begin = pairs.row_begin,
            .row_end = pairs.row_end,
            .column_begin = pairs.column_begin,
            .column_end = pairs.column_end,
            .n_pivots = narrow<cl_uint>(n_pivots),
            .pair_columns = 0,
            .capacity = 0,
            .below = 0};
  }

  void enqueue(cl::Kernel& kernel, const Question& question) {
    kernel.setArg(2, sizeof(question), &question);
    const MinPlusShape& shape = on_.shape;
    const std::size_t rows = question.row_end - question.row_begin / kLanes * kLanes;
    const std::size_t columns = question.column_end - question.column_begin / kLanes * kLanes;
    const std::size_t group = shape.items() * shape.items();
    start(kernel,
          cl::NDRange(ceil_div(columns, shape.tile_columns()) * group, ceil_div(rows, shape.tile_rows()),
                      std::max(1U, question.n_pivots)),
          cl::NDRange(group, 1, 1));
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
  cl::Kernel copy_, multiply_, find_;
  GrowingBuffer out_, pairs_, pivots_, pivot_numbers_, row_limits_, column_limits_, found_, found_products_;
  std::optional<Rectangle> prepared_;  ///< of pairs_
  std::vector<cl::Event> running_;
  double seconds_ = 0;
};

template <class T>
void read_products(Lane& lane, std::optional<std::uint32_t> pivot, const Rectangle& pairs, bool below,
                   std::span<double> out) {
  const auto products = std::make_unique_for_overwrite<T[]>(pairs.pairs());
  lane.products(pivot, pairs, below, std::span(products.get(), pairs.pairs()));
  std::copy_n(products.get(), pairs.pairs(), out.begin());
}

class OpenClRealSimilarity final : public SimilarityEngine {
 public:
  OpenClRealSimilarity(const OpenClDevice& device, const RealMatrix& matrix, MinPlusReads reads)
      : name_("opencl:" + device.facts.selector), matrix_(matrix), on_cpu_(device.facts.type == "CPU") {
    MinPlusShape shape{.in_double = matrix.type() == RealType::kDouble};
    shape.staged = reads == MinPlusReads::kBest ? !on_cpu_ : reads == MinPlusReads::kStaged;
    check_numbers(device.device);
    const cl::Context context = with_cl_errors(name_, [&] { return cl::Context(device.device); });
    use_first_built(name_, context, device, std::vector{shape}, source_of,
                    [&](const cl::Program& program, const MinPlusShape& built) {
                      prove(context, device.device, program, built);
                      with_cl_memory_errors(name_, [&] {
                        on_device_.emplace(context, device.device, program, built, rectangle_side(), matrix);
                        lanes_.emplace(*on_device_);
                      });
                    });
  }

  ~OpenClRealSimilarity() override { log::detail("{}: kernel {:.6f} s", name_, lanes_->kernel_seconds()); }
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
    read(pivot, pairs, false, out);
  }
  void products_below(std::optional<std::uint32_t> pivot, const Rectangle& pairs,
                      std::span<double> out) const override {
    read(pivot, pairs, true, out);
  }

  std::size_t pairs_at_once() const override {
    return on_cpu_ ? SimilarityEngine::pairs_at_once() : kPairsAtOnce;
  }

  std::optional<std::vector<FoundProduct>> find(const Rectangle& pairs,
                                                std::span<const ProductFilter> filters) const override {
    constexpr std::size_t kMostPlaces = std::size_t{1} << 32;
    if (pairs.pairs() == 0 || filters.empty()) return std::vector<FoundProduct>();
    if (checked_mul(filters.size(), pairs.pairs()) >= kMostPlaces)
      return SimilarityEngine::find(pairs, filters);
    return with_cl_memory_errors(name_, [&] {
      return with_real(matrix_.type(), [&](auto zero) { return find_few<decltype(zero)>(pairs, filters); });
    });
  }

 private:
  void read(std::optional<std::uint32_t> pivot, const Rectangle& pairs, bool below,
            std::span<double> out) const {
    if (pairs.pairs() == 0) return;
    with_cl_memory_errors(name_, [&] {
      with_real(matrix_.type(),
                [&](auto zero) { read_products<decltype(zero)>(*lanes_->lend(), pivot, pairs, below, out); });
    });
  }

  template <class T>
  std::optional<std::vector<FoundProduct>> find_few(const Rectangle& pairs,
                                                    std::span<const ProductFilter> filters) const {
    const DeviceFilters<T> on_device(filters);
    const std::optional<Places<T>> places = lanes_->lend()->find<T>(pairs, on_device);
    if (!places) return std::nullopt;
    std::vector<FoundProduct> found;
    for (const auto& [place, product] : *places) {
      const std::size_t filter = place / pairs.pairs(), pair = place % pairs.pairs();
      if (filter >= filters.size())
        throw DeviceError(
            fmt::format("{}: the device found a pair that it was not asked for; {}", name_, kDistrust));
      found.push_back({static_cast<std::uint32_t>(filter),
                       pairs.row_begin + static_cast<std::uint32_t>(pair / pairs.columns()),
                       pairs.column_begin + static_cast<std::uint32_t>(pair % pairs.columns()), product});
    }
    return found;
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
      const OnDevice on(context, device, program, shape, kRows, matrix);
      Lane lane(on);
      for (const auto pivot : {std::optional<std::uint32_t>(), std::optional<std::uint32_t>(41)}) {
        reference->products(pivot, all, right);
        read_products<T>(lane, pivot, all, false, computed);
        if (computed != right)
          throw DeviceError(fmt::format("{}: the device computes other products than the definition; {}",
                                        name_, kDistrust));
      }
    });
  }

  std::string name_;
  const RealMatrix& matrix_;
  bool on_cpu_;
  std::optional<OnDevice> on_device_;
  mutable std::optional<Lanes<Lane>> lanes_;
};

}  // namespace

std::unique_ptr<SimilarityEngine> make_opencl_real_similarity(const std::string& selector,
                                                              const RealMatrix& matrix, MinPlusReads reads) {
  return std::make_unique<OpenClRealSimilarity>(select_opencl_device(selector), matrix, reads);
}

}  // namespace fastid
