#include "opencl/counting_engines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "opencl/device_buffer.hpp"
#include "opencl/devices.hpp"
#include "opencl/kernel/device_similarity.hpp"

namespace fastid::opencl {
namespace {

constexpr std::size_t kStep = 16;  // STEP of min_plus.cl

/// FASTID_TYPE of min_plus.cl, and REAL of product_filter.h.
template <class T>
inline constexpr int kType = 3;
template <>
inline constexpr int kType<float> = 1;
template <>
inline constexpr int kType<double> = 2;
template <class T>
using LimitOf = std::conditional_t<std::is_same_v<T, double>, double, float>;

/// What min_plus.cl takes as a pivot where there is none: with it nothing is less.
template <class T>
constexpr T nowhere_least() {
  if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::infinity();
  return std::numeric_limits<T>::max();
}

/// What a program is built for, as min_plus.cl has it.
struct MinPlusShape {
  int type = kType<float>;
  bool staged = true;

  std::size_t items() const { return staged ? 16 : 1; }
  std::size_t rows() const { return staged && type == kType<double> ? 4 : 8; }
  std::size_t vectors() const { return 2; }
  std::size_t width() const { return staged ? (type == kType<double> ? 2 : 4) : 16; }

  std::size_t tile_rows() const { return items() * rows(); }
  std::size_t tile_columns() const { return items() * vectors() * width(); }
  /// Of words of bits; no bits of numbers are counted.
  engine::KernelStep step() const {
    return type == kType<Word> ? engine::kernel_step({rows(), 1}, {vectors() * width(), 1}, 1)
                               : engine::KernelStep{};
  }
};

ProgramSource source_of(const MinPlusShape& shape) {
  return {text_of({"kernels/common.h", "kernels/product_filter.h", "kernels/min_plus.cl"}),
          fmt::format("-cl-std=CL1.2 -D FASTID_TYPE={} -D FASTID_DOUBLE_LIMITS={:d} -D FASTID_STAGED={:d} "
                      "-D FASTID_ITEMS={} -D FASTID_ROWS={} -D FASTID_VECTORS={} -D FASTID_WIDTH={}",
                      shape.type, shape.type == kType<double>, shape.staged, shape.items(), shape.rows(),
                      shape.vectors(), shape.width()),
          "multiply"};
}

/// Question of min_plus.cl.
struct Question {
  cl_ulong n = 0;
  cl_uint n_blocks = 0;
  cl_uint row_begin = 0, row_end = 0, column_begin = 0, column_end = 0;
  cl_uint n_pivots = 0, pair_columns = 0, capacity = 0, below = 0;
  cl_float scale = 0;
  engine::ProductPlanes planes;
};

/// What is built once for some vectors.
template <class T>
struct VectorsOnDevice : ProgramOn<MinPlusShape> {
  std::uint32_t side;      ///< of the largest rectangle that is asked for
  std::uint32_t n;         ///< vectors
  std::size_t n_elements;  ///< with those that fill up the last step, which are 0 and add nothing
  cl::Buffer vectors;

  VectorsOnDevice(const ProgramOn<MinPlusShape>& built, std::uint32_t largest, const engine::VectorBlocks& of)
      : ProgramOn(built), side(largest), n(of.n), n_elements(ceil_div(of.n_elements, kStep) * kStep) {
    const std::size_t bytes = of.block_bytes(), there = n_elements * kLanes * sizeof(T);
    vectors = make_buffer(context, CL_MEM_READ_ONLY, checked_mul(of.blocks.size(), there));
    const cl::CommandQueue queue(context, on.device);
    for (std::size_t block = 0; block < of.blocks.size(); ++block) {
      const std::size_t at = block * there;
      queue.enqueueWriteBuffer(vectors, CL_TRUE, at, bytes, of.blocks[block]);
      if (there > bytes) queue.enqueueFillBuffer(vectors, T{}, at + bytes, there - bytes);
    }
    queue.finish();
  }

  std::size_t n_blocks() const { return ceil_div<std::size_t>(n, kLanes); }
  /// Any number, since only their limits and pivots take room.
  std::size_t filters_at_once(const engine::Rectangle& /*pairs*/,
                              const engine::ProductPlanes& /*planes*/) const {
    return std::numeric_limits<std::size_t>::max();
  }
};

/// A command queue with buffers of its own: the results of one come back while another's are computed.
template <class T>
class MinPlusQueue {
 public:
  using Product = T;
  using Limit = LimitOf<T>;
  static constexpr bool kFindsByCommonUnits = false;

  explicit MinPlusQueue(const VectorsOnDevice<T>& vectors)
      : on_(vectors),
        queue_(vectors.context, vectors.on.device),
        copy_(vectors.program, "copy_pivots"),
        multiply_(vectors.program, "multiply"),
        find_(vectors.program, "find") {}

  double kernel_seconds() { return queue_.kernel_seconds(); }

  /// \param out  [row][column]
  void products(std::optional<std::uint32_t> pivot, const engine::Rectangle& pairs,
                const engine::ProductPlanes& planes, engine::Wanted wanted, std::span<T> out) {
    multiply(pivot, pairs, planes, wanted, out_.reserve(on_.context, out.size_bytes()));
    queue_.read(out_.buffer(), 0, out.data(), out.size());
  }

  /// Pairs that may pass; no value where they are too many.
  std::optional<std::vector<engine::FoundProduct>> find(const engine::Rectangle& pairs,
                                                        const DeviceFilters<Limit>& filters) {
    const std::vector<cl_uint>& pivots = filters.pivots;
    if (!pivots.empty())
      prepared_.prepare(pairs, filters.planes, on_.side, on_.n, [&](const engine::Rectangle& all) {
        multiply(std::nullopt, all, filters.planes, engine::Wanted::kBelowDiagonal,
                 pairs_.reserve(on_.context, all.pairs() * sizeof(T)));
      });
    const std::size_t most = engine::SimilarityEngine::most_found(pairs, filters.n);
    const engine::ProductPlanes planes = chosen_from(filters.planes, !pivots.empty());
    set_pivots(find_, pivots, planes);
    pivot_numbers_.reserve(on_.context, sizeof(cl_uint));  // an argument is never null
    set_arguments(find_, 3, pivot_numbers_.buffer(), pairs_.reserve(on_.context, sizeof(T)),
                  row_limits_.put(on_.context, queue_.get(), filters.row),
                  column_limits_.put(on_.context, queue_.get(), filters.column),
                  found_.reserve(on_.context, (most + 1) * sizeof(cl_uint)),
                  found_products_.reserve(on_.context, most * sizeof(T)));
    queue_.clear(found_.buffer(), sizeof(cl_uint));
    Question question = question_of(pairs, pivots.size(), planes);
    question.scale = filters.scale;
    question.pair_columns = prepared_.columns();
    question.capacity = narrow<cl_uint>(most);
    enqueue(find_, question);
    cl_uint n = 0;
    queue_.read(found_.buffer(), 0, &n, 1);
    if (n > most) return std::nullopt;
    return read(pairs, n);
  }

 private:
  /// What was found: places, [filter][row][column] of the rectangle, and products.
  std::vector<engine::FoundProduct> read(const engine::Rectangle& pairs, std::size_t n) {
    std::vector<engine::FoundProduct> found(n);
    std::vector<cl_uint> places(n);
    std::vector<T> products(n);
    queue_.read(found_.buffer(), sizeof(cl_uint), places.data(), n);
    queue_.read(found_products_.buffer(), 0, products.data(), n);
    for (std::size_t i = 0; i < n; ++i) {
      const std::size_t filter = places[i] / pairs.pairs(), pair = places[i] % pairs.pairs();
      found[i] = {static_cast<std::uint32_t>(filter),
                  pairs.row_begin + static_cast<std::uint32_t>(pair / pairs.columns()),
                  pairs.column_begin + static_cast<std::uint32_t>(pair % pairs.columns()),
                  static_cast<double>(products[i])};
    }
    return found;
  }

  void multiply(std::optional<std::uint32_t> pivot, const engine::Rectangle& pairs,
                const engine::ProductPlanes& planes, engine::Wanted wanted, const cl::Buffer& out) {
    const engine::ProductPlanes chosen = chosen_from(planes, pivot.has_value());
    const std::vector<cl_uint> pivots(pivot ? 1 : 0, pivot.value_or(0));
    set_pivots(multiply_, pivots, chosen);
    multiply_.setArg(3, out);
    Question question = question_of(pairs, pivots.size(), chosen);
    question.below = wanted == engine::Wanted::kBelowDiagonal ? 1U : 0U;
    enqueue(multiply_, question);
  }

  /// Sets the vectors and the pivots of a kernel.
  void set_pivots(cl::Kernel& kernel, const std::vector<cl_uint>& pivots,
                  const engine::ProductPlanes& planes) {
    const std::size_t n = on_.n_elements, n_copies = pivots.size() * planes.pivot.n;
    cl::Buffer& copies = pivots_.reserve(on_.context, std::max<std::size_t>(1, n_copies) * n * sizeof(T));
    if (pivots.empty())
      queue_.get().enqueueFillBuffer(copies, nowhere_least<T>(), 0, n * sizeof(T));
    else {
      const Question question = question_of({}, pivots.size(), planes);
      set_arguments(copy_, 0, on_.vectors, pivot_numbers_.put(on_.context, queue_.get(), pivots), question,
                    copies);
      queue_.run(copy_, launch_for_each(n, n_copies));
    }
    set_arguments(kernel, 0, on_.vectors, copies);
  }

  Question question_of(const engine::Rectangle& pairs, std::size_t n_pivots,
                       const engine::ProductPlanes& planes) const {
    return {.n = on_.n_elements,
            .n_blocks = narrow<cl_uint>(on_.n_blocks()),
            .row_begin = pairs.row_begin,
            .row_end = pairs.row_end,
            .column_begin = pairs.column_begin,
            .column_end = pairs.column_end,
            .n_pivots = narrow<cl_uint>(n_pivots),
            .planes = planes};
  }

  void enqueue(cl::Kernel& kernel, const Question& question) {
    kernel.setArg(2, question);
    const MinPlusShape& shape = on_.shape;
    const std::size_t rows = question.row_end - question.row_begin / kLanes * kLanes;
    const std::size_t columns = question.column_end - question.column_begin / kLanes * kLanes;
    const std::size_t group = shape.items() * shape.items();
    queue_.run(kernel, {cl::NDRange(ceil_div(columns, shape.tile_columns()) * group,
                                    ceil_div(rows, shape.tile_rows()), std::max(1U, question.n_pivots)),
                        cl::NDRange(group, 1, 1)});
  }

  const VectorsOnDevice<T>& on_;
  DeviceQueue queue_;
  cl::Kernel copy_, multiply_, find_;
  GrowingBuffer out_, pairs_, pivots_, pivot_numbers_, row_limits_, column_limits_, found_, found_products_;
  PreparedPairs prepared_;  ///< of pairs_
};

void check_numbers(const OpenClDevice& device, const engine::VectorBlocks& vectors) {
  const bool in_double = vectors.numbers == engine::RealType::kDouble;
  const std::string name = device.name();
  const auto config = with_cl_errors(name, [&] {
    return in_double ? device.device.getInfo<CL_DEVICE_DOUBLE_FP_CONFIG>()
                     : device.device.getInfo<CL_DEVICE_SINGLE_FP_CONFIG>();
  });
  if (config == 0)
    throw DeviceError(fmt::format(
        "{}: has no numbers of double precision; give a matrix of float, or run with --device cpu", name));
  if ((config & CL_FP_DENORM) == 0 && vectors.has_denormals)
    throw DeviceError(
        fmt::format("{}: takes the smallest numbers of the matrix for 0; run with --device cpu", name));
}

}  // namespace

std::unique_ptr<engine::SimilarityEngine> make_min_plus_similarity(const OpenClDevice& device,
                                                                   const engine::VectorBlocks& vectors,
                                                                   MinPlusReads reads) {
  if (vectors.numbers) check_numbers(device, vectors);
  const bool on_cpu = device.facts.type == "CPU";
  const bool staged = reads == MinPlusReads::kBest ? !on_cpu : reads == MinPlusReads::kStaged;
  return engine::with_element(vectors, [&](auto zero) {
    using T = decltype(zero);
    return make_device_similarity<VectorsOnDevice<T>, MinPlusQueue<T>>(device, MinPlusShape{kType<T>, staged},
                                                                       source_of, !on_cpu, vectors);
  });
}

}  // namespace fastid::opencl
