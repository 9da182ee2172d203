#include "opencl/bit_similarity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <optional>
#include <random>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/embedded.hpp"
#include "base/log.hpp"
#include "engine/bit_vectors.hpp"
#include "engine/rectangle.hpp"
#include "opencl/device_buffer.hpp"
#include "opencl/devices.hpp"
#include "opencl/kernel/comparer.hpp"
#include "opencl/kernel/matrix_comparer.hpp"
#include "opencl/kernel/programs.hpp"

namespace fastid {
namespace {

constexpr float kFloatSlack = 1e-6F;      // find_pairs() compares in float
constexpr cl_uint kNoPivot = 0xFFFFFFFF;  // NO_PIVOT of bit_products.cl

/// What a program is built for, as bit_products.cl has it.
struct ProductShape {
  std::uint32_t instruction = 1, rows = 2, columns = 1;  ///< FASTID_MATRIX, _ROWS and _COLUMNS
  std::uint32_t tiles = 4, blocks = 1;

  std::size_t group_items() const { return kWarp * rows * columns; }
  std::size_t group_rows() const { return kMatrixTile * rows * tiles; }
  std::size_t group_columns() const { return kLanes * columns * blocks; }
  /// A GPU's work-groups are many, and their results small beside the time that they take.
  std::uint32_t side() const { return instruction == kPtxMatrix ? 2048 : 256; }
};

/// The device's matrix instruction where a config has one, else the one in OpenCL C.
std::vector<ProductShape> shapes_for(const DeviceFacts& facts) {
  std::vector<ProductShape> shapes;
  if (const auto config = ptx_config(facts))
    shapes.push_back({kPtxMatrix, config->matrix_rows, config->matrix_columns});
  shapes.emplace_back();
  return shapes;
}

ProgramSource source_of(const ProductShape& shape) {
  std::string text;
  for (const std::string_view file :
       {"kernels/thresholds.h", "kernels/matrix_product.h", "kernels/bit_products.cl"})
    text += embedded_text(file);
  return {std::move(text),
          fmt::format("-cl-std=CL1.2 -D FASTID_WIDE=0 -D FASTID_MATRIX={} -D FASTID_MATRIX_ROWS={} "
                      "-D FASTID_MATRIX_COLUMNS={} -D FASTID_TILES={} -D FASTID_BLOCKS={}",
                      shape.instruction, shape.rows, shape.columns, shape.tiles, shape.blocks),
          "multiply_rows"};
}

/// Vectors on a device, and a rectangle of their products at a time.
class DeviceVectors {
 public:
  DeviceVectors(cl::Context context, const cl::Device& device, const cl::Program& program,
                const ProductShape& shape, const BlocksView& vectors, std::uint32_t most_found)
      : context_(std::move(context)),
        shape_(shape),
        vectors_(vectors.shape),
        most_found_(most_found),
        queue_(context_, device, CL_QUEUE_PROFILING_ENABLE),
        pack_(program, "pack_rows"),
        multiply_(program, "multiply_rows"),
        find_(program, "find_pairs") {
    const std::size_t bytes =
        checked_mul(static_cast<std::size_t>(vectors_.n_blocks()), vectors_.block_bytes());
    words_ = make_buffer(context_, CL_MEM_READ_ONLY, bytes + kTilePadding * sizeof(Word));
    queue_.enqueueWriteBuffer(words_, CL_TRUE, 0, bytes, vectors.bits);
    found_ = make_buffer(context_, CL_MEM_READ_WRITE, kFoundHead + std::size_t{most_found} * sizeof(Found));
  }

  double kernel_seconds() const { return seconds_; }

  void products(std::optional<std::uint32_t> pivot, const Rectangle& pairs, std::span<double> out) {
    if (pairs.pairs() == 0) return;
    multiply(pivot, pairs, products_);
    counts_.resize(pairs.pairs());
    queue_.enqueueReadBuffer(products_.buffer, CL_TRUE, 0, counts_.size() * sizeof(cl_uint), counts_.data());
    std::ranges::copy(counts_, out.begin());
  }

  void find(std::optional<std::uint32_t> pivot, const Rectangle& pairs, const ProductFilter& filter,
            std::vector<FoundProduct>& out) {
    if (pairs.pairs() == 0) return;
    if (pivot && !(rectangle_ && rectangle_->begins_with(pairs))) {  // a pivot asks for more than that before
      const Rectangle more = pairs.grown(shape_.side(), narrow<std::uint32_t>(vectors_.n_profiles));
      multiply(std::nullopt, more, without_pivot_);
      rectangle_ = more;
    }
    const std::size_t n = run_filter(pivot, pairs, filter);
    if (n > pairs.pairs())
      throw DeviceError(fmt::format("the device found {} pairs among {}", n, pairs.pairs()));
    if (n <= most_found_) return read_found(n, out);
    Rectangle first = pairs, rest = pairs;  // the longer side in two
    if (pairs.rows() >= pairs.columns())
      first.row_end = rest.row_begin = pairs.row_begin + static_cast<std::uint32_t>(pairs.rows() / 2);
    else
      first.column_end = rest.column_begin =
          pairs.column_begin + static_cast<std::uint32_t>(pairs.columns() / 2);
    for (const Rectangle& of : {first, rest}) {
      ProductFilter some = filter;
      some.row = filter.row.subspan(of.row_begin - pairs.row_begin, of.rows());
      some.column = filter.column.subspan(of.column_begin - pairs.column_begin, of.columns());
      find(pivot, of, some, out);
    }
  }

 private:
  struct Found {
    cl_uint row, column, product;
  };
  static constexpr std::size_t kFoundHead = 3 * sizeof(cl_uint);

  /// A buffer that grows, in steps: rectangles of triples become a little larger with each pivot.
  struct Growing {
    cl::Buffer buffer;
    std::size_t bytes = 0;
  };
  cl::Buffer& at_least(Growing& of, std::size_t bytes) const {
    constexpr std::size_t kStep = std::size_t{1} << 20;
    if (of.bytes < bytes) {
      bytes = ceil_div(bytes, kStep) * kStep;
      of.buffer = cl::Buffer();
      of.buffer = make_buffer(context_, CL_MEM_READ_WRITE, bytes);
      of.bytes = bytes;
    }
    return of.buffer;
  }

  cl_uint first_tile(const Rectangle& pairs) const { return pairs.row_begin / kMatrixTile; }
  cl_uint n_tiles(const Rectangle& pairs) const {
    return ceil_div<cl_uint>(pairs.row_end, kMatrixTile) - first_tile(pairs);
  }

  void pack(std::optional<std::uint32_t> pivot, const Rectangle& pairs) {
    const std::size_t items = ceil_div(vectors_.n_words(), kMatrixStep) * kWarp;  // of a tile
    at_least(packed_, checked_mul(std::size_t{n_tiles(pairs)} * items, sizeof(cl_uint4)));
    pack_.setArg(0, words_);
    pack_.setArg(1, narrow<cl_uint>(vectors_.n_words()));
    pack_.setArg(2, narrow<cl_uint>(vectors_.n_profiles));
    pack_.setArg(3, first_tile(pairs));
    pack_.setArg(4, cl_uint{pivot.value_or(kNoPivot)});
    pack_.setArg(5, packed_.buffer);
    queue_.enqueueNDRangeKernel(pack_, cl::NullRange, cl::NDRange(items, n_tiles(pairs)),
                                cl::NDRange(kWarp, 1));
  }

  void set_rectangle(cl::Kernel& kernel, const Rectangle& pairs) const {
    kernel.setArg(0, packed_.buffer);
    kernel.setArg(1, words_);
    kernel.setArg(2, narrow<cl_uint>(vectors_.n_words()));
    kernel.setArg(3, narrow<cl_uint>(vectors_.n_blocks()));
    kernel.setArg(4, first_tile(pairs));
    kernel.setArg(5, n_tiles(pairs));
    kernel.setArg(6, cl_uint{pairs.row_begin});
    kernel.setArg(7, cl_uint{pairs.row_end});
    kernel.setArg(8, cl_uint{pairs.column_begin});
    kernel.setArg(9, cl_uint{pairs.column_end});
  }

  cl::Event run(const cl::Kernel& kernel, const Rectangle& pairs) const {
    const std::size_t rows = ceil_div<std::size_t>(n_tiles(pairs) * kMatrixTile, shape_.group_rows());
    const std::size_t columns =
        ceil_div(pairs.column_end - pairs.column_begin / kLanes * kLanes, shape_.group_columns());
    cl::Event ran;
    queue_.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(columns * shape_.group_items(), rows),
                                cl::NDRange(shape_.group_items(), 1), nullptr, &ran);
    return ran;
  }

  void multiply(std::optional<std::uint32_t> pivot, const Rectangle& pairs, Growing& into) {
    pack(pivot, pairs);
    set_rectangle(multiply_, pairs);
    multiply_.setArg(10, at_least(into, checked_mul(pairs.pairs(), sizeof(cl_uint))));
    const cl::Event ran = run(multiply_, pairs);
    ran.wait();
    seconds_ += seconds_of(ran);
  }

  /// How many pairs may pass, of which the buffer holds the first.
  std::size_t run_filter(std::optional<std::uint32_t> pivot, const Rectangle& pairs,
                         const ProductFilter& filter) {
    std::vector<cl_float> need(filter.column.begin(), filter.column.end());
    need.insert(need.end(), filter.row.begin(), filter.row.end());
    at_least(need_, need.size() * sizeof(cl_float));
    queue_.enqueueWriteBuffer(need_.buffer, CL_TRUE, 0, need.size() * sizeof(cl_float), need.data());
    queue_.enqueueFillBuffer(found_, cl_uint{0}, 0, kFoundHead);
    pack(pivot, pairs);
    set_rectangle(find_, pairs);
    find_.setArg(10, pivot ? without_pivot_.buffer : found_);
    find_.setArg(11, pivot ? narrow<cl_uint>(rectangle_->columns()) : cl_uint{0});
    find_.setArg(12, need_.buffer);
    find_.setArg(13, cl_float{kFloatSlack});
    find_.setArg(14, cl_uint{most_found_});
    find_.setArg(15, found_);
    const cl::Event ran = run(find_, pairs);
    cl_uint n = 0;
    queue_.enqueueReadBuffer(found_, CL_TRUE, 0, sizeof n, &n);
    seconds_ += seconds_of(ran);
    return n;
  }

  void read_found(std::size_t n, std::vector<FoundProduct>& out) {
    std::vector<Found> found(n);
    if (n > 0) queue_.enqueueReadBuffer(found_, CL_TRUE, kFoundHead, n * sizeof(Found), found.data());
    for (const Found& each : found) out.push_back({each.row, each.column, static_cast<double>(each.product)});
  }

  cl::Context context_;
  ProductShape shape_;
  BlockShape vectors_;
  std::uint32_t most_found_;
  cl::CommandQueue queue_;
  cl::Kernel pack_, multiply_, find_;
  cl::Buffer words_, found_;
  Growing packed_, products_, without_pivot_, need_;
  std::optional<Rectangle> rectangle_;  ///< of without_pivot_
  std::vector<cl_uint> counts_;
  double seconds_ = 0;  ///< that kernels ran
};

class OpenClBitSimilarity final : public SimilarityEngine {
 public:
  OpenClBitSimilarity(const OpenClDevice& device, const BlocksView& vectors, std::uint32_t most_found)
      : name_("opencl:" + device.facts.selector), sums_(bits_of_vectors(vectors)) {
    const cl::Context context = with_cl_errors(name_, [&] { return cl::Context(device.device); });
    use_first_built(name_, context, device, shapes_for(device.facts), source_of,
                    [&](const cl::Program& program, const ProductShape& shape) {
                      side_ = shape.side();
                      prove(context, device.device, program, shape);
                      vectors_.emplace(with_cl_memory_errors(name_, [&] {
                        return DeviceVectors(context, device.device, program, shape, vectors, most_found);
                      }));
                    });
  }

  ~OpenClBitSimilarity() override { log::detail("{}: kernels {:.6f} s", name_, vectors_->kernel_seconds()); }
  OpenClBitSimilarity(const OpenClBitSimilarity&) = delete;
  OpenClBitSimilarity& operator=(const OpenClBitSimilarity&) = delete;

  std::uint32_t n_vectors() const override { return static_cast<std::uint32_t>(sums_.size()); }
  std::span<const double> sums() const override { return sums_; }
  std::uint32_t rectangle_side() const override { return side_; }
  std::uint32_t least_side() const override { return side_; }

  void products(std::optional<std::uint32_t> pivot, const Rectangle& pairs,
                std::span<double> out) const override {
    const std::lock_guard lock(using_);
    with_cl_memory_errors(name_, [&] { vectors_->products(pivot, pairs, out); });
  }

  void find(std::optional<std::uint32_t> pivot, const Rectangle& pairs, const ProductFilter& filter,
            std::vector<FoundProduct>& out) const override {
    const std::size_t before = out.size();
    {
      const std::lock_guard lock(using_);
      with_cl_memory_errors(name_, [&] { vectors_->find(pivot, pairs, filter, out); });
    }
    for (const FoundProduct& each : std::span(out).subspan(before))
      if (each.row < pairs.row_begin || each.row >= pairs.row_end || each.column < pairs.column_begin ||
          each.column >= pairs.column_end)
        throw DeviceError(
            fmt::format("{}: the device found a pair that it was not asked for; {}", name_, kDistrust));
  }

 private:
  // The device must count what the definition counts of a few vectors, with and without a pivot.
  void prove(const cl::Context& context, const cl::Device& device, const cl::Program& program,
             const ProductShape& shape) const {
    constexpr std::uint32_t kVectors = 70, kUnits = 301;
    BitBlocks few({kVectors, kUnits}, BitBlocks::Start::kAllCalled);
    std::minstd_rand rng(1);
    for (std::uint32_t vector = 0; vector < kVectors; ++vector)
      for (std::uint32_t unit = 0; unit < kUnits; ++unit) few.set(vector, unit, rng() % 2 == 0);
    const BlocksView vectors{few.shape(), few.view().bits, nullptr};
    const Rectangle all{0, kVectors, 0, kVectors};
    std::vector<double> right(all.pairs()), counted(all.pairs());
    with_cl_memory_errors(name_, [&] {
      DeviceVectors on_device(context, device, program, shape, vectors, 1);
      for (const std::optional<std::uint32_t> pivot : {std::optional<std::uint32_t>(), std::optional(3u)}) {
        make_bit_similarity("reference", vectors)->products(pivot, all, right);
        on_device.products(pivot, all, counted);
        if (counted != right)
          throw DeviceError(fmt::format("{}: the device counts bits wrongly; {}", name_, kDistrust));
      }
    });
  }

  std::string name_;
  std::vector<double> sums_;
  std::uint32_t side_ = 0;
  mutable std::mutex using_;
  mutable std::optional<DeviceVectors> vectors_;
};

}  // namespace

std::unique_ptr<SimilarityEngine> make_opencl_bit_similarity(const std::string& selector,
                                                             const BlocksView& vectors,
                                                             std::uint32_t most_found) {
  return std::make_unique<OpenClBitSimilarity>(select_opencl_device(selector), vectors, most_found);
}

}  // namespace fastid
