#include "opencl/counting_engines.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "base/checked.hpp"
#include "engine/rectangle.hpp"
#include "opencl/device/found_list.hpp"
#include "opencl/device_buffer.hpp"
#include "opencl/device_configs.hpp"
#include "opencl/devices.hpp"
#include "opencl/kernel/device_similarity.hpp"
#include "opencl/kernel/launch.hpp"

namespace fastid::opencl {
namespace {

constexpr cl_uint kNoPivot = 0xFFFFFFFF;  // NO_PIVOT of bit_products.cl

/// What a program is built for, as bit_products.cl has it.
struct ProductShape {
  std::uint32_t instruction = 1, rows = 2, columns = 1;  ///< FASTID_MATRIX, _ROWS and _COLUMNS
  std::uint32_t tiles = 4, blocks = 1;

  std::size_t group_items() const { return kWarp * rows * columns; }
  std::size_t group_rows() const { return kMatrixTile * rows * tiles; }
  std::size_t group_columns() const { return kLanes * columns * blocks; }
  engine::KernelStep step() const {
    return engine::kernel_step({kMatrixTile * tiles, 1}, {kLanes * blocks, 1}, 1);
  }
};

/// For a matrix instruction, the device's or the one in OpenCL C; no value where popcounts are to be taken.
std::optional<ProductShape> shape_for(const model::DeviceFacts& facts, BitProducts products) {
  if (products == BitProducts::kPortableMatrix) return ProductShape();
  const auto config = ptx_config(facts);
  if (products == BitProducts::kPopcounts || !config) return std::nullopt;
  return ProductShape{kPtxMatrix, config->matrix_rows, config->matrix_columns};
}

ProgramSource source_of(const ProductShape& shape) {
  constexpr const char* kOfOneProduct =
      "#define STORED_PLANES 1\n"
      "#define MULTIPLIED_PLANES 1\n"
      "#define SUMS 1\n"
      "#define FOR_PLANES(X, word_0, word_1) X(0, word_0)\n"
      "#define FOR_ROW_PRODUCTS(X) X(0, 0, 0)\n";
  return {kOfOneProduct + text_of({"kernels/common.h", "kernels/product_filter.h", "kernels/matrix_product.h",
                                   "kernels/matrix_rows.h", "kernels/bit_products.cl"}),
          fmt::format("-cl-std=CL1.2 -D FASTID_MATRIX={} -D FASTID_MATRIX_ROWS={} "
                      "-D FASTID_MATRIX_COLUMNS={} -D FASTID_TILES={} -D FASTID_BLOCKS={}",
                      shape.instruction, shape.rows, shape.columns, shape.tiles, shape.blocks),
          "multiply_rows"};
}

/// Tiles of 16 rows that a rectangle has a part of.
cl_uint first_tile(const engine::Rectangle& pairs) {
  return pairs.row_begin / kMatrixTile;
}
cl_uint n_tiles(const engine::Rectangle& pairs) {
  return ceil_div<cl_uint>(pairs.row_end, kMatrixTile) - first_tile(pairs);
}

/// What is built once for some vectors.
struct BitsOnDevice : ProgramOn<ProductShape> {
  std::uint32_t side;  ///< of the largest rectangle that is asked for
  std::uint32_t n;     ///< vectors
  std::size_t n_words, n_blocks;
  cl::Buffer words;

  BitsOnDevice(const ProgramOn<ProductShape>& built, std::uint32_t largest, const engine::VectorBlocks& of)
      : ProgramOn(built), side(largest), n(of.n), n_words(of.n_elements), n_blocks(of.blocks.size()) {
    const std::size_t bytes = checked_mul(n_blocks, of.block_bytes());
    words = make_buffer(context, CL_MEM_READ_ONLY, bytes + kTilePadding * sizeof(Word));
    if (bytes > 0) write_in_pieces(cl::CommandQueue(context, on.device), words, bytes, of.blocks.front());
  }

  std::size_t items_of_a_tile() const { return ceil_div(n_words, kMatrixStep) * kWarp; }
  std::size_t packed_bytes(const engine::Rectangle& pairs) const {
    return checked_mul(std::size_t{n_tiles(pairs)} * items_of_a_tile(), sizeof(cl_uint4));
  }
  /// Of so many filters the rows are packed at a time.
  std::size_t filters_at_once(const engine::Rectangle& pairs, const engine::ProductPlanes& planes) const {
    constexpr std::size_t kMostPacked = std::size_t{1} << 29;  // bytes
    return std::max<std::size_t>(1, kMostPacked / (packed_bytes(pairs) * packed_choices(planes)));
  }
  static std::size_t packed_choices(const engine::ProductPlanes& planes) {
    return std::size_t{planes.row.n} * planes.pivot.n;
  }
};

/// A command queue with buffers of its own: the results of one come back while another's are computed.
class BitQueue {
 public:
  using Product = cl_uint;
  using Limit = cl_float;
  static constexpr bool kFindsByCommonUnits = true;

  explicit BitQueue(const BitsOnDevice& bits)
      : on_(bits),
        queue_(bits.context, bits.on.device),
        pack_(bits.program, "pack_rows"),
        multiply_(bits.program, "multiply_rows"),
        find_proportional_(bits.program, "find_proportional"),
        find_correlated_(bits.program, "find_correlated"),
        find_by_common_units_(bits.program, "find_by_common_units") {}

  double kernel_seconds() { return queue_.kernel_seconds(); }

  /// \param out  [row][column]
  void products(std::optional<std::uint32_t> pivot, const engine::Rectangle& pairs,
                const engine::ProductPlanes& planes, engine::Wanted wanted, std::span<cl_uint> out) {
    multiply(pivot, pairs, planes, wanted, products_);
    queue_.read(products_.buffer(), 0, out.data(), out.size());
  }

  /// Pairs that may pass; no value where they are too many.
  std::optional<std::vector<engine::FoundProduct>> find(const engine::Rectangle& pairs,
                                                        const DeviceFilters<cl_float>& filters) {
    constexpr std::size_t kFirstRead = 1024;  // pairs that are read together with their number
    const std::size_t most = engine::SimilarityEngine::most_found(pairs, filters.n);
    run_filters(pairs, filters, most);
    const std::size_t n = list_.read_head(queue_, found_.buffer(), std::min(kFirstRead, most)).filter;
    if (n > most) return std::nullopt;
    std::vector<Found> places;
    list_.append(queue_, found_.buffer(), n, places);
    std::vector<engine::FoundProduct> found;
    for (const Found& each : places)
      found.push_back({each.filter, each.row, each.column, static_cast<double>(each.product)});
    return found;
  }

 private:
  /// As kernels append it to a buffer, whose head has their number first.
  struct Found {
    cl_uint filter, row, column, product;
  };
  static constexpr auto kBelow = engine::Wanted::kBelowDiagonal;

  void pack(const std::vector<cl_uint>& pivots, const engine::Rectangle& pairs,
            const engine::ProductPlanes& planes) {
    const std::size_t choices = pivots.size() * BitsOnDevice::packed_choices(planes);
    packed_.reserve(on_.context, checked_mul(choices, on_.packed_bytes(pairs)));
    set_arguments(pack_, 0, on_.words, narrow<cl_uint>(on_.n_words), cl_uint{on_.n}, first_tile(pairs),
                  pivots_.put(on_.context, queue_.get(), pivots), planes, packed_.buffer());
    queue_.run(pack_,
               {cl::NDRange(on_.items_of_a_tile(), n_tiles(pairs), choices), cl::NDRange(kWarp, 1, 1)});
  }

  void set_rectangle(cl::Kernel& kernel, const engine::Rectangle& pairs,
                     const engine::ProductPlanes& planes) const {
    set_arguments(kernel, 0, packed_.buffer(), on_.words, narrow<cl_uint>(on_.n_words),
                  narrow<cl_uint>(on_.n_blocks), first_tile(pairs), n_tiles(pairs), cl_uint{pairs.row_begin},
                  cl_uint{pairs.row_end}, cl_uint{pairs.column_begin}, cl_uint{pairs.column_end}, planes);
  }

  void run(const cl::Kernel& kernel, const engine::Rectangle& pairs, std::size_t n_pivots) {
    const std::size_t rows = ceil_div<std::size_t>(n_tiles(pairs) * kMatrixTile, on_.shape.group_rows());
    const std::size_t columns =
        ceil_div(pairs.column_end - pairs.column_begin / kLanes * kLanes, on_.shape.group_columns());
    queue_.run(kernel, {cl::NDRange(columns * on_.shape.group_items(), rows, n_pivots),
                        cl::NDRange(on_.shape.group_items(), 1, 1)});
  }

  void multiply(std::optional<std::uint32_t> pivot, const engine::Rectangle& pairs,
                const engine::ProductPlanes& planes, engine::Wanted wanted, GrowingBuffer& into) {
    const engine::ProductPlanes chosen = chosen_from(planes, pivot.has_value());
    pack({pivot.value_or(kNoPivot)}, pairs, chosen);
    set_rectangle(multiply_, pairs, chosen);
    set_arguments(multiply_, 11, cl_uint{wanted == engine::Wanted::kBelowDiagonal},
                  into.reserve(on_.context, checked_mul(pairs.pairs(), sizeof(cl_uint))));
    run(multiply_, pairs, 1);
  }

  void count_common_units(const engine::Rectangle& pairs, const engine::CommonPlanes& planes) {
    multiply(std::nullopt, pairs, planes.units, kBelow, common_units_);
    multiply(std::nullopt, pairs, planes.row, kBelow, of_rows_);
    multiply(std::nullopt, pairs, planes.column, kBelow, of_columns_);
  }

  /// Puts pairs that may pass into the buffer, which holds the first ones.
  void run_filters(const engine::Rectangle& pairs, const DeviceFilters<cl_float>& filters, std::size_t most) {
    const bool has_pivots = !filters.pivots.empty();
    if (has_pivots)
      prepared_.prepare(pairs, filters.planes, on_.side, on_.n, [&](const engine::Rectangle& all) {
        multiply(std::nullopt, all, filters.planes, kBelow, without_pivot_);
      });
    if (filters.common) count_common_units(pairs, *filters.common);
    const engine::ProductPlanes planes = chosen_from(filters.planes, has_pivots);
    const std::vector<cl_uint> pivots = has_pivots ? filters.pivots : std::vector<cl_uint>{kNoPivot};
    pack(pivots, pairs, planes);
    queue_.clear(found_.reserve(on_.context, (1 + most) * sizeof(Found)), sizeof(Found));
    cl::Kernel& find = filters.common      ? find_by_common_units_
                       : filters.scale > 0 ? find_correlated_
                                           : find_proportional_;
    set_rectangle(find, pairs, planes);
    const cl_uint columns = filters.common ? narrow<cl_uint>(pairs.columns()) : prepared_.columns();
    set_arguments(find, 11, pivots_.buffer(),
                  filters.common ? common_units_.buffer()
                  : has_pivots   ? without_pivot_.buffer()
                                 : found_.buffer(),
                  has_pivots || filters.common ? columns : cl_uint{0},
                  row_limits_.put(on_.context, queue_.get(), filters.row),
                  column_limits_.put(on_.context, queue_.get(), filters.column), filters.scale,
                  narrow<cl_uint>(most), found_.buffer());
    if (filters.common) set_arguments(find, 19, of_rows_.buffer(), of_columns_.buffer());
    run(find, pairs, pivots.size());
  }

  const BitsOnDevice& on_;
  DeviceQueue queue_;
  cl::Kernel pack_, multiply_, find_proportional_, find_correlated_, find_by_common_units_;
  GrowingBuffer packed_, pivots_, products_, without_pivot_, row_limits_, column_limits_, found_;
  GrowingBuffer common_units_, of_rows_, of_columns_;
  FoundList<Found> list_;
  PreparedPairs prepared_;  ///< of without_pivot_
};

}  // namespace

std::unique_ptr<engine::SimilarityEngine> make_opencl_similarity(const std::string& selector,
                                                                 const engine::VectorBlocks& vectors,
                                                                 BitProducts products, MinPlusReads reads) {
  const OpenClDevice device = select_opencl_device(selector);
  const std::optional<ProductShape> shape =
      vectors.numbers ? std::nullopt : shape_for(device.facts, products);
  std::unique_ptr<engine::SimilarityEngine> made;
  const auto make = [&] {
    const bool on_gpu = shape->instruction == kPtxMatrix;
    made = make_device_similarity<BitsOnDevice, BitQueue>(device, *shape, source_of, on_gpu, vectors);
  };
  if (shape && try_kernel(make, products != BitProducts::kBest).empty()) return made;
  return make_min_plus_similarity(device, vectors, reads);
}

}  // namespace fastid::opencl
