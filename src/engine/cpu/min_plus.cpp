// The kernels of min_plus.hpp in Google Highway: this file is compiled once for each instruction set.
// cpu_kernel.cpp's rules for a fast inner loop hold here too.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/min_plus.cpp"
#include "engine/cpu/min_plus.hpp"

#include <type_traits>

#include "base/cpu_target.hpp"

HWY_BEFORE_NAMESPACE();
namespace fastid::engine::HWY_NAMESPACE {
namespace min_plus {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
constexpr bool kOfBits = std::is_same_v<T, Word>;

// What an element of a row and one of a column add to their sum.
template <class T, class V>
HWY_INLINE V product(V row, V column) {
  if constexpr (kOfBits<T>)
    return hn::PopulationCount(hn::And(row, column));
  else
    return hn::Min(row, column);
}
template <class T, class V>
HWY_INLINE V lesser(V a, V b) {
  if constexpr (kOfBits<T>)
    return hn::And(a, b);
  else
    return hn::Min(a, b);
}

template <class T>
struct Kernel {
  // Rows and vectors of columns of the micro-kernel, by the registers that sums, columns and a row take.
  static constexpr std::size_t kRows = FASTID_VECTOR_REGISTERS == 32 || kOfBits<T> ? 8 : 4;
  static constexpr std::size_t kVectors = kOfBits<T> ? FASTID_VECTOR_REGISTERS / 16 : 2;
  using D = hn::CappedTag<T, 64 / sizeof(T)>;
  using V = hn::VFromD<D>;
  static constexpr D kTag{};
  static constexpr std::size_t kWidth = hn::MaxLanes(D());
  static constexpr std::size_t kColumns = kVectors * kWidth;
  static_assert(kLanes % kColumns == 0 && kLanes % kRows == 0);

  static HWY_INLINE void add_tile(const T* HWY_RESTRICT rows, const T* HWY_RESTRICT columns, std::size_t n,
                                  T* HWY_RESTRICT sums, std::size_t stride) {
    V sum[kRows][kVectors];
    FASTID_UNROLL for (std::size_t r = 0; r < kRows; ++r)
        FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] =
            hn::Load(kTag, sums + r * stride + v * kWidth);
    for (std::size_t q = 0; q < n; ++q) {
      V column[kVectors];
      FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v) {
        column[v] = hn::Load(kTag, columns + q * kLanes + v * kWidth);
        FASTID_IN_REGISTER(column[v]);
      }
      FASTID_UNROLL for (std::size_t r = 0; r < kRows; ++r) {
        V row = hn::Set(kTag, rows[q * kLanes + r]);
        FASTID_IN_REGISTER(row);
        FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v) sum[r][v] =
            hn::Add(sum[r][v], product<T>(row, column[v]));
      }
    }
    FASTID_UNROLL for (std::size_t r = 0; r < kRows; ++r)
        FASTID_UNROLL for (std::size_t v = 0; v < kVectors; ++v)
            hn::Store(sum[r][v], kTag, sums + r * stride + v * kWidth);
  }

  static HWY_NOINLINE void add(const T* rows, const T* columns, std::size_t n, std::size_t first_row,
                               std::size_t row_end, T* sums, std::size_t stride) {
    for (std::size_t r = first_row / kRows * kRows; r < row_end; r += kRows)
      for (std::size_t c = 0; c < kLanes; c += kColumns)
        add_tile(rows + r, columns + c, n, sums + r * stride + c, stride);
  }

  static HWY_NOINLINE void cut(const T* HWY_RESTRICT rows, const T* HWY_RESTRICT pivot, std::size_t n,
                               T* HWY_RESTRICT out) {
    for (std::size_t q = 0; q < n; ++q) {
      const V least = hn::Set(kTag, pivot[q * kLanes]);
      FASTID_UNROLL for (std::size_t i = 0; i < kLanes; i += kWidth)
          hn::Store(lesser<T>(least, hn::Load(kTag, rows + q * kLanes + i)), kTag, out + q * kLanes + i);
    }
  }

  static constexpr MinPlusKernel<T> kKernel{&add, &cut};
};

const MinPlusKernels kKernels{Kernel<float>::kKernel, Kernel<double>::kKernel, Kernel<Word>::kKernel};

}  // namespace min_plus

const MinPlusKernels* min_plus_kernels_here() {
  return &min_plus::kKernels;
}

}  // namespace fastid::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fastid::engine {

HWY_EXPORT(min_plus_kernels_here);

const MinPlusKernels& min_plus_kernels() {
  return *HWY_DYNAMIC_DISPATCH(min_plus_kernels_here)();
}

}  // namespace fastid::engine
#endif
