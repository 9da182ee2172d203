#include "report/npy.hpp"

#include <fmt/format.h>

#include <bit>

namespace fastid::report {

std::string npy_head(std::size_t rows, std::size_t columns) {
  constexpr std::size_t kHead = 128;  // so that values begin at a multiple of 64, as NumPy has it
  std::string head = std::string(kNpyOfFloats) + fmt::format("{}, {}), }}", rows, columns);
  head.resize(kHead - 1, ' ');
  return head + '\n';
}

std::string_view npy_bytes(std::span<const float> values) {
  static_assert(std::endian::native == std::endian::little);
  return {reinterpret_cast<const char*>(values.data()), values.size_bytes()};
}

}  // namespace fastid::report
