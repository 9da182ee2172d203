// Google Highway compiles this once for each instruction set: plain x86-64 has no popcount instruction.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "import/io/count_bits.cpp"
#include "import/io/count_bits.hpp"

#include "bits/popcount.hpp"

#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fastid::imports::HWY_NAMESPACE {
namespace {

[[gnu::always_inline]] inline std::uint64_t count_word(std::uint64_t word) {
#if HWY_ARCH_X86 && HWY_TARGET >= HWY_SSSE3
  return static_cast<std::uint64_t>(bits_set(word));
#else
  return static_cast<std::uint64_t>(__builtin_popcountll(word));
#endif
}

std::uint64_t count(std::span<const std::uint64_t> words) {
  std::uint64_t n = 0;
  for (const std::uint64_t word : words) n += count_word(word);
  return n;
}

std::uint64_t count_common(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  std::uint64_t n = 0;
  for (std::size_t i = 0; i < a.size(); ++i) n += count_word(a[i] & b[i]);
  return n;
}

}  // namespace
}  // namespace fastid::imports::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fastid::imports {

HWY_EXPORT(count);
HWY_EXPORT(count_common);

std::uint64_t count_bits(std::span<const std::uint64_t> words) {
  return HWY_DYNAMIC_DISPATCH(count)(words);
}

std::uint64_t count_common_bits(std::span<const std::uint64_t> a, std::span<const std::uint64_t> b) {
  return HWY_DYNAMIC_DISPATCH(count_common)(a, b);
}

}  // namespace fastid::imports
#endif
