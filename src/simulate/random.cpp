#include "simulate/random.hpp"

#include <vector>

namespace fastid::simulate {
namespace {

using State = std::array<std::uint64_t, 4>;
constexpr std::size_t kWordBits = 64, kStateBits = 4 * kWordBits;

/// A linear map of states over bits: the state that each bit becomes.
using Leap = std::array<State, kStateBits>;

State after(const Leap& leap, const State& state) {
  State sum{};
  for (std::size_t bit = 0; bit < kStateBits; ++bit) {
    const std::uint64_t mask = -(state[bit / kWordBits] >> bit % kWordBits & 1);
    for (std::size_t word = 0; word < sum.size(); ++word) sum[word] ^= leap[bit][word] & mask;
  }
  return sum;
}

/// Leap k skips 2^k numbers. \param one  the leap over one number
std::vector<Leap> leaps_from(const Leap& one) {
  std::vector<Leap> leaps{one};
  while (leaps.size() < kWordBits) {
    const Leap& last = leaps.back();
    Leap twice{};
    for (std::size_t bit = 0; bit < kStateBits; ++bit) twice[bit] = after(last, last[bit]);
    leaps.push_back(twice);
  }
  return leaps;
}

}  // namespace

void Stream::skip(std::uint64_t n) {
  static const std::vector<Leap> leaps = [] {
    Leap one{};
    for (std::size_t bit = 0; bit < kStateBits; ++bit) {
      Stream stream;
      stream.state_[bit / kWordBits] = std::uint64_t{1} << bit % kWordBits;
      stream.next();
      one[bit] = stream.state_;
    }
    return leaps_from(one);
  }();
  constexpr std::uint64_t kFew = 512;  // which are drawn as fast
  for (; n % kFew != 0; --n) next();
  for (std::size_t k = 0; k < leaps.size(); ++k)
    if ((n >> k & 1) != 0) state_ = after(leaps[k], state_);
}

}  // namespace fastid::simulate
