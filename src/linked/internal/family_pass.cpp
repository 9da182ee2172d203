// Google Highway compiles this once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linked/internal/family_pass.cpp"
#include "linked/internal/family_pass.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "base/cpu_target.hpp"

HWY_BEFORE_NAMESPACE();
namespace fastid::linked::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;
using linked::FamilyEmission;
using linked::FamilyForward;
using linked::FamilyStretch;
using linked::Inheritance;
using linked::kLanes;
using linked::Lanes;
using linked::ShownInLanes;

using FamilyTag = hn::CappedTag<double, kLanes>;
using FamilyBits = hn::RebindToSigned<FamilyTag>;
using W = hn::Vec<FamilyTag>;
constexpr std::size_t kLaneStep = hn::MaxLanes(FamilyTag());

/// 2^kTileBits vectors stay in the nearest cache, so that the moves of the lowest bits and the emission pass
/// over memory once.
constexpr unsigned kTileBits = 7;

/// Each becomes (1 - r) times itself plus r times the other.
HWY_INLINE void cross_over(W r, W& first, W& second) {
  const W moved = hn::Mul(r, hn::Sub(second, first));
  first = hn::Add(first, moved);
  second = hn::Sub(second, moved);
}

HWY_INLINE void cross_lanes(W r, double* first, double* second) {
  for (std::size_t lane = 0; lane < kLanes; lane += kLaneStep) {
    W a = hn::LoadU(FamilyTag(), first + lane), b = hn::LoadU(FamilyTag(), second + lane);
    cross_over(r, a, b);
    hn::StoreU(a, FamilyTag(), first + lane);
    hn::StoreU(b, FamilyTag(), second + lane);
  }
}

/// Exchanges each of n vectors with the vector that differs by the mask.
void take_family_move(W r, std::uint32_t mask, Lanes* vectors, std::size_t n) {
  const std::size_t high = std::bit_floor(mask), low = mask - high;
  for (std::size_t base = 0; base < n; base += 2 * high)
    for (std::size_t i = base; i < base + high; ++i)
      cross_lanes(r, vectors[i].data(), vectors[(i ^ low) + high].data());
}

/// Takes the moves of two neighbouring bits in one pass over the vectors.
void take_two_moves(W r, std::size_t lower, Lanes* vectors, std::size_t n) {
  for (std::size_t base = 0; base < n; base += 4 * lower)
    for (std::size_t i = base; i < base + lower; ++i)
      for (std::size_t lane = 0; lane < kLanes; lane += kLaneStep) {
        const auto at = [&](std::size_t quarter)
                            HWY_ATTR { return vectors[i + quarter * lower].data() + lane; };
        W a = hn::LoadU(FamilyTag(), at(0)), b = hn::LoadU(FamilyTag(), at(1)),
          c = hn::LoadU(FamilyTag(), at(2)), d = hn::LoadU(FamilyTag(), at(3));
        cross_over(r, a, b);
        cross_over(r, c, d);
        cross_over(r, a, c);
        cross_over(r, b, d);
        hn::StoreU(a, FamilyTag(), at(0));
        hn::StoreU(b, FamilyTag(), at(1));
        hn::StoreU(c, FamilyTag(), at(2));
        hn::StoreU(d, FamilyTag(), at(3));
      }
}

/// Weights that choose each lane's emission: the scale for what the lane's person shows, else 0.
struct LaneWeights {
  LaneWeights(const ShownInLanes& shown, const Lanes& scale) {
    for (std::size_t x = 0; x < of.size(); ++x)
      for (std::size_t lane = 0; lane < kLanes; ++lane) of[x][lane] = shown[lane] == x ? scale[lane] : 0;
  }
  std::array<Lanes, 4> of;
};

/// Multiplies each vector by its pattern's emission, and adds them up.
void take_family_emission(const LaneWeights& weights, const FamilyEmission* emissions,
                          const std::uint32_t* pattern_of, Lanes* vectors, std::size_t n, Lanes& sums) {
  for (std::size_t lane = 0; lane < kLanes; lane += kLaneStep) {
    const W major = hn::LoadU(FamilyTag(), weights.of[0].data() + lane),
            both = hn::LoadU(FamilyTag(), weights.of[1].data() + lane),
            minor = hn::LoadU(FamilyTag(), weights.of[2].data() + lane),
            none = hn::LoadU(FamilyTag(), weights.of[3].data() + lane);
    W sum = hn::LoadU(FamilyTag(), sums.data() + lane);
    for (std::size_t v = 0; v < n; ++v) {
      const FamilyEmission& of = emissions[pattern_of[v]];
      const W emission = hn::Add(
          hn::Add(hn::Mul(major, hn::Set(FamilyTag(), of[0])), hn::Mul(both, hn::Set(FamilyTag(), of[1]))),
          hn::Add(hn::Mul(minor, hn::Set(FamilyTag(), of[2])), hn::Mul(none, hn::Set(FamilyTag(), of[3]))));
      const W product = hn::Mul(hn::LoadU(FamilyTag(), vectors[v].data() + lane), emission);
      hn::StoreU(product, FamilyTag(), vectors[v].data() + lane);
      sum = hn::Add(sum, product);
    }
    hn::StoreU(sum, FamilyTag(), sums.data() + lane);
  }
}

/// The power of 2 that brings the sum near 1.
void rescale_family(FamilyForward& forward) {
  const auto bias = hn::Set(FamilyBits(), 1023);
  for (std::size_t lane = 0; lane < kLanes; lane += kLaneStep) {
    const W sum = hn::LoadU(FamilyTag(), forward.sum.data() + lane);
    const auto exponent = hn::Sub(hn::ShiftRight<52>(hn::BitCast(FamilyBits(), sum)), bias);
    hn::StoreU(hn::BitCast(FamilyTag(), hn::ShiftLeft<52>(hn::Sub(bias, exponent))), FamilyTag(),
               forward.scale.data() + lane);
    const auto all = hn::LoadU(FamilyBits(), forward.exponents.data() + lane);
    hn::StoreU(hn::Add(all, exponent), FamilyBits(), forward.exponents.data() + lane);
  }
}

/// Moves of several bits and of high bits go over all vectors, moves of low bits over a tile at a time. A
/// founder with two meioses has one bit, and a move for each meiosis.
struct MovesInOrder {
  explicit MovesInOrder(const Inheritance& inheritance) {
    const std::size_t tile = std::size_t{1} << kTileBits;
    std::uint32_t taken = 0;
    for (unsigned bit = kTileBits; bit < inheritance.bits(); bit += 2) high.push_back(std::size_t{1} << bit);
    for (const std::uint32_t mask : inheritance.moves())
      if (!std::has_single_bit(mask))
        several.push_back(mask);
      else if (mask < tile)
        low.push_back(mask);
      else if ((taken & mask) != 0)
        several.push_back(mask);
      else
        taken |= mask;  // with `high`
  }
  std::vector<std::uint32_t> several, low;
  std::vector<std::size_t> high;  ///< the lower of two bits, or the highest of all
};

void pass_all_vectors(const Inheritance& inheritance, const FamilyStretch& stretch, FamilyForward& forward) {
  const MovesInOrder moves(inheritance);
  const std::size_t n = inheritance.n_vectors(), tile = std::min(n, std::size_t{1} << kTileBits);
  for (std::size_t s = 0; s < stretch.recombination.size(); ++s) {
    const W r = hn::Set(FamilyTag(), stretch.recombination[s]);
    Lanes* const vectors = forward.vectors.data();
    for (const std::uint32_t mask : moves.several) take_family_move(r, mask, vectors, n);
    for (const std::size_t bit : moves.high)
      if (2 * bit < n)
        take_two_moves(r, bit, vectors, n);
      else
        take_family_move(r, static_cast<std::uint32_t>(bit), vectors, n);
    const LaneWeights weights(stretch.shown[s], forward.scale);
    forward.sum.fill(0);
    for (std::size_t first = 0; first < n; first += tile) {
      for (const std::uint32_t mask : moves.low) take_family_move(r, mask, vectors + first, tile);
      take_family_emission(weights, stretch.emissions.data() + s * inheritance.n_patterns(),
                           inheritance.pattern_of().data() + first, vectors + first, tile, forward.sum);
    }
    rescale_family(forward);
  }
}

}  // namespace
}  // namespace fastid::linked::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fastid::linked {
namespace {

HWY_EXPORT(pass_all_vectors);

}  // namespace

linked::FamilyForward::FamilyForward(std::size_t n_vectors) : vectors(n_vectors) {
  for (Lanes& of : vectors) of.fill(1 / static_cast<double>(n_vectors));
  sum.fill(1);
  scale.fill(1);
}

linked::Lanes linked::FamilyForward::log10() const {
  Lanes log10{};
  for (std::size_t lane = 0; lane < kLanes; ++lane)
    log10[lane] = std::log10(sum[lane] * scale[lane]) + std::log10(2.) * static_cast<double>(exponents[lane]);
  return log10;
}

void pass_family(const Inheritance& inheritance, const FamilyStretch& stretch, FamilyForward& forward) {
  HWY_DYNAMIC_DISPATCH(pass_all_vectors)(inheritance, stretch, forward);
}

}  // namespace fastid::linked
#endif
