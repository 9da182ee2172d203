#include "tune/measure/opencl_micro_host.hpp"

#include <array>

#include "bits/popcount.hpp"

namespace fastid::tune {
namespace {

constexpr std::uint32_t kOdd = 0x9E3779B1;

using Chain = std::array<std::uint32_t, 4>;

std::uint32_t step(Op op, std::uint32_t old, std::uint32_t last) {
  switch (op) {
    case Op::kAnd:
      return (last & kMask) + old;
    case Op::kXor:
      return (last ^ kFlip) + old;
    case Op::kLogic:
      return (last & kMask) ^ old;
    case Op::kPopcount:
      return static_cast<std::uint32_t>(bits_set(last)) + old;
    case Op::kAdd:
      break;
  }
  return last + old;
}

Chain start(std::uint32_t item, std::uint32_t element, std::uint32_t salt, std::uint32_t chain) {
  const std::uint32_t x = (item * 16 + element) * kOdd + salt + chain * 0x85EBCA6Bu;
  return {x | 0x0F0F0F00u, (x * 3) | 0xF0F0F000u, (x * 5) | 0x33CC3300u, (x * 7) | 0xCC33CC00u};
}

// The chain's result: the exclusive or of its four variables.
std::uint32_t end_of(Op op, Chain chain, std::uint64_t steps) {
  for (std::uint64_t n = 0; n < steps; ++n) chain[n % 4] = step(op, chain[n % 4], chain[(n + 3) % 4]);
  return chain[0] ^ chain[1] ^ chain[2] ^ chain[3];
}

}  // namespace

std::uint32_t host_chains(const ChainRun& run, std::uint32_t words, std::uint32_t item, std::uint32_t salt) {
  const std::uint64_t steps = std::uint64_t{run.rounds} * static_cast<std::uint64_t>(kChainSteps);
  std::uint32_t sum = 0;
  for (std::uint32_t element = 0; element < words; ++element)
    for (std::uint32_t chain = 0; chain < (run.latency ? 1u : 4u); ++chain)
      sum ^= end_of(chain < 2 ? run.first : run.second, start(item, element, salt, chain), steps);
  return sum;
}

std::uint32_t host_local_reads(std::uint32_t at, std::uint32_t rounds, std::uint32_t mask) {
  std::uint32_t sum = 0;
  for (std::uint32_t round = 0; round < rounds; ++round, at += 17)
    for (std::uint32_t i = 0; i < 16; ++i) sum += ((at + i) & mask) * kOdd;
  return sum;
}

std::uint32_t host_matrix_products(std::uint32_t rounds, std::uint32_t item, std::uint32_t salt) {
  constexpr std::uint32_t kChains = 8;
  const std::uint32_t warp = item / 32 * 32, r = item % 32 / 4, g = item % 4;
  std::uint32_t sum = 0;
  for (std::uint32_t k = 0; k < 4; ++k) {  // words k and k + 4 of both rows, which work-item 4 r + k has
    const std::uint32_t of_row = warp + 4 * r + k;
    const std::array<std::uint32_t, 2> low = {of_row, salt}, high = {of_row ^ salt, ~of_row};
    for (std::uint32_t column = 2 * g; column < 2 * g + 2; ++column) {
      const std::uint32_t of_column = warp + 4 * column + k;
      for (std::size_t row = 0; row < 2; ++row)
        sum += static_cast<std::uint32_t>(bits_set(low[row] & (of_column * salt)) +
                                          bits_set(high[row] & (of_column + salt)));
    }
  }
  return kChains * rounds * sum;
}

std::uint32_t host_stream_sum(std::uint32_t n, std::uint32_t salt) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint32_t word = 0; word < 4; ++word) sum ^= word + i * kOdd + salt;
  return sum;
}

}  // namespace fastid::tune
