// find_passing() in Google Highway: this file is compiled once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/product_filter.cpp"
#include "engine/cpu/product_filter.hpp"

#include "base/cpu_target.hpp"

HWY_BEFORE_NAMESPACE();
namespace fastid::engine::HWY_NAMESPACE {
namespace product_filter {
namespace hn = hwy::HWY_NAMESPACE;

using D = hn::CappedTag<double, 8>;
constexpr D kTag{};
constexpr std::size_t kWidth = hn::MaxLanes(kTag);

std::size_t find_one_by_one(const ProductFilter& filter, std::size_t row, std::span<const double> products,
                            std::size_t first, std::uint32_t* places) {
  std::size_t n = 0;
  for (std::size_t j = first; j < products.size(); ++j)
    if (filter.passes(row, j, products[j])) places[n++] = static_cast<std::uint32_t>(j);
  return n;
}

template <bool kPivot>
std::size_t find(const ProductFilter& filter, std::size_t row, std::span<const double> products,
                 std::uint32_t* places) {
  const double* const pairs = kPivot ? filter.pairs[row] : nullptr;
  const ProductLimits& columns = filter.column;
  const auto row_least = hn::Set(kTag, filter.row.least[row]), row_sum = hn::Set(kTag, filter.row.sum[row]),
             row_there = hn::Set(kTag, filter.row.there[row]);
  std::size_t n = 0, j = 0;
  for (; j + kWidth <= products.size(); j += kWidth) {
    const auto product = hn::LoadU(kTag, products.data() + j);
    const auto has = kPivot ? hn::Sub(hn::LoadU(kTag, pairs + j), product) : product;
    const auto have = hn::Add(hn::Add(has, row_there), hn::LoadU(kTag, columns.there.data() + j));
    const auto least = hn::Min(row_least, hn::LoadU(kTag, columns.least.data() + j));
    const auto needed = hn::Mul(least, hn::Add(row_sum, hn::LoadU(kTag, columns.sum.data() + j)));
    const auto passes = hn::Ge(have, needed);
    if (HWY_LIKELY(hn::AllFalse(kTag, passes))) continue;
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(kTag, passes, bits);
    for (std::size_t v = 0; v < kWidth; ++v)
      if ((bits[0] >> v & 1) != 0) places[n++] = static_cast<std::uint32_t>(j + v);
  }
  return n + find_one_by_one(filter, row, products, j, places + n);
}

}  // namespace product_filter

std::size_t find_passing_here(const ProductFilter& filter, std::size_t row, std::span<const double> products,
                              std::uint32_t* places) {
  if (filter.correlation) return product_filter::find_one_by_one(filter, row, products, 0, places);
  return filter.pairs.empty() ? product_filter::find<false>(filter, row, products, places)
                              : product_filter::find<true>(filter, row, products, places);
}

}  // namespace fastid::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fastid::engine {

HWY_EXPORT(find_passing_here);

std::size_t find_passing(const ProductFilter& filter, std::size_t row, std::span<const double> products,
                         std::uint32_t* places) {
  return HWY_DYNAMIC_DISPATCH(find_passing_here)(filter, row, products, places);
}

}  // namespace fastid::engine
#endif
