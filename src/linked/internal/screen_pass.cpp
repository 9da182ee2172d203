// Google Highway compiles this once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linked/internal/screen_pass.cpp"
#include "linked/internal/screen_pass.hpp"

#include <algorithm>
#include <array>

#include "base/cpu_target.hpp"

HWY_BEFORE_NAMESPACE();
namespace fastid::linked::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;
using ScreenTag = hn::CappedTag<float, fastid::kLanes>;
using ScreenWords = hn::RebindToUnsigned<ScreenTag>;
using ScreenFloats = hn::Vec<ScreenTag>;
using ScreenInts = hn::Vec<ScreenWords>;
constexpr std::size_t kStep = hn::MaxLanes(ScreenTag());
constexpr std::size_t kVectors = 4;  // enough to hide the latency of an operation

/// For each lane, the one of four numbers that the lane's lowest two bits choose.
HWY_INLINE ScreenFloats one_of(const float* four, ScreenInts codes) {
  const ScreenTag tag;
#if FASTID_AVX512
  return ScreenFloats{_mm512_permutevar_ps(hn::LoadDup128(tag, four).raw, codes.raw)};
#elif HWY_TARGET == HWY_AVX2
  return ScreenFloats{_mm256_permutevar_ps(hn::LoadDup128(tag, four).raw, codes.raw)};
#else
  const ScreenInts places = hn::And(codes, hn::Set(ScreenWords(), Word{3}));
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(tag, four[hn::GetLane(places)]);
#else
  return hn::TableLookupLanes(hn::LoadDup128(tag, four), hn::IndicesFromVec(tag, places));
#endif
#endif
}

/// The state of several vectors of profiles along the sites.
class Profiles {
 public:
  /// The first words of each vector's profiles.
  std::array<const Word*, kVectors> minor{}, major{};
  std::array<const float* const*, kVectors> emissions{};  ///< of each vector's query

  HWY_INLINE void pass(const engine::ScreenTable& table) {
    const ScreenTag tag;
    ScreenFloats none[kVectors], one[kVectors];
    ScreenInts exponents[kVectors];
    for (std::size_t v = 0; v < kVectors; ++v) {
      none[v] = hn::Set(tag, engine::ScreenState().none);
      one[v] = hn::Set(tag, engine::ScreenState().one);
      exponents[v] = hn::Zero(ScreenWords());
    }
    for (const engine::ScreenGroup& group : table.groups) {
      ScreenInts codes[2][kVectors];
      for (std::size_t v = 0; v < kVectors; ++v)
        interleave(minor[v] + group.word * fastid::kLanes, major[v] + group.word * fastid::kLanes,
                   codes[0][v], codes[1][v]);
      for (std::size_t s = group.first; s < group.first + group.n_sites; ++s) {
        const engine::ScreenStep& step = table.steps[s];
        const ScreenFloats from_one = hn::Set(tag, step.from_one), stays = hn::Set(tag, step.stays);
        FASTID_UNROLL
        for (std::size_t v = 0; v < kVectors; ++v) {
          const ScreenFloats emission =
              one_of(emissions[v][s], hn::ShiftRightSame(codes[step.odd][v], static_cast<int>(step.even)));
          const ScreenFloats kept = hn::Add(none[v], hn::Mul(stays, one[v]));
          none[v] = hn::Add(none[v], hn::Mul(from_one, one[v]));
          one[v] = hn::Mul(kept, emission);
        }
      }
      FASTID_UNROLL
      for (std::size_t v = 0; v < kVectors; ++v) rescale(group, none[v], one[v], exponents[v]);
    }
    for (std::size_t v = 0; v < kVectors; ++v) {
      hn::StoreU(none[v], tag, none_[v].data());
      hn::StoreU(one[v], tag, one_[v].data());
      hn::StoreU(exponents[v], ScreenWords(), exponents_[v].data());
    }
  }

  engine::ScreenState end(std::size_t v, std::size_t lane) const {
    return {none_[v][lane], one_[v][lane], static_cast<std::int32_t>(exponents_[v][lane])};
  }

 private:
  /// Two bits for each site, as in Seen: `even` has the word's even sites, and `odd` has each odd site in the
  /// place of its even neighbour.
  static HWY_INLINE void interleave(const Word* minor, const Word* major, ScreenInts& even, ScreenInts& odd) {
    const ScreenWords words;
    const ScreenInts lower = hn::Set(words, Word{0x55555555});
    const ScreenInts minors = hn::LoadU(words, minor), majors = hn::LoadU(words, major);
    even = hn::Or(hn::And(majors, lower), hn::ShiftLeft<1>(hn::And(minors, lower)));
    odd = hn::Or(hn::And(hn::ShiftRight<1>(majors), lower), hn::AndNot(lower, minors));
  }

  static HWY_INLINE void rescale(const engine::ScreenGroup& group, ScreenFloats& none, ScreenFloats& one,
                                 ScreenInts& exponents) {
    const ScreenTag tag;
    const ScreenWords words;
    const ScreenFloats sum = hn::Add(none, hn::Mul(hn::Set(tag, group.one), one));
    const ScreenInts bias = hn::Set(words, Word{127});
    const ScreenInts exponent =
        hn::Sub(hn::ShiftRight<engine::kMantissaBits>(hn::BitCast(words, sum)), bias);  // the sum is above 0
    const ScreenFloats power =
        hn::BitCast(tag, hn::ShiftLeft<engine::kMantissaBits>(hn::Sub(bias, exponent)));
    const ScreenFloats scale = hn::Mul(power, hn::Set(tag, group.norm));
    none = hn::Mul(none, scale);
    one = hn::Mul(one, scale);
    exponents = hn::Add(exponents, exponent);
  }

  std::array<std::array<float, kStep>, kVectors> none_{}, one_{};
  std::array<std::array<Word, kStep>, kVectors> exponents_{};
};

void pass_all_screens(const engine::ScreenTable& table, const float* const* const* emissions,
                      const BlocksView& view, std::uint32_t* counts) {
  static_assert(linked::kScreenSlot % kStep == 0);
  const std::size_t units = static_cast<std::size_t>(view.shape.n_blocks()) * (fastid::kLanes / kStep);
  for (std::size_t first = 0; first < units; first += kVectors) {
    Profiles profiles;
    for (std::size_t v = 0; v < kVectors; ++v) {  // the last ones may be the same again
      const std::size_t place = std::min(first + v, units - 1) * kStep;
      const std::size_t at = place / fastid::kLanes * view.shape.block_words() + place % fastid::kLanes;
      profiles.minor[v] = view.bits + at;
      profiles.major[v] = view.second + at;
      profiles.emissions[v] = emissions[place / linked::kScreenSlot];
    }
    profiles.pass(table);
    for (std::size_t v = 0; v < std::min(kVectors, units - first); ++v)
      for (std::size_t lane = 0; lane < kStep; ++lane)
        counts[(first + v) * kStep + lane] =
            engine::screen_count(profiles.end(v, lane), table.groups.back().one);
  }
}

}  // namespace
}  // namespace fastid::linked::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fastid::linked {
namespace {

HWY_EXPORT(pass_all_screens);

}  // namespace

void pass_screens(const engine::ScreenTable& table, const float* const* const* emissions,
                  const BlocksView& view, std::uint32_t* counts) {
  HWY_DYNAMIC_DISPATCH(pass_all_screens)(table, emissions, view, counts);
}

void pass_screen(const engine::ScreenTable& table, const float* const* emissions, const BlocksView& view,
                 std::uint32_t* counts) {
  const std::size_t slots = static_cast<std::size_t>(view.shape.n_blocks()) * (fastid::kLanes / kScreenSlot);
  pass_screens(table, std::vector(slots, emissions).data(), view, counts);
}

}  // namespace fastid::linked
#endif
