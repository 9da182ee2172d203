// Google Highway compiles this once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stats/internal/site_sums.cpp"
#include "stats/internal/site_sums.hpp"

#include <vector>

#include "base/cpu_target.hpp"

HWY_BEFORE_NAMESPACE();
namespace fastid::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;
using stats::Figures;
using stats::FillFigures;
using stats::kFigures;
using stats::TwoPlanes;
using stats::WordFigures;

/// Eight sums, in as many vectors as the processor takes for them.
struct Sums {
  using Tag = hn::CappedTag<double, kFigures>;
  static constexpr std::size_t kInVector = hn::MaxLanes(Tag()), kVectors = kFigures / kInVector;
  hn::Vec<Tag> of[kVectors];
};

HWY_INLINE Sums load(const Figures& figures) {
  Sums sums;
  for (std::size_t v = 0; v < Sums::kVectors; ++v)
    sums.of[v] = hn::LoadU(Sums::Tag(), figures.data() + v * Sums::kInVector);
  return sums;
}

HWY_INLINE void store(const Sums& sums, Figures& figures) {
  for (std::size_t v = 0; v < Sums::kVectors; ++v)
    hn::StoreU(sums.of[v], Sums::Tag(), figures.data() + v * Sums::kInVector);
}

HWY_INLINE Sums add(const Sums& a, const Sums& b) {
  Sums sums;
  for (std::size_t v = 0; v < Sums::kVectors; ++v) sums.of[v] = hn::Add(a.of[v], b.of[v]);
  return sums;
}

/// What is seen at each site of a word, two bits of a code each: the low plane's bit and then the high
/// plane's.
HWY_INLINE std::uint64_t code_of(Word low, Word high) {
  const auto spread = [](std::uint64_t bits) HWY_ATTR {
    bits = (bits | bits << 16) & 0x0000ffff0000ffff;
    bits = (bits | bits << 8) & 0x00ff00ff00ff00ff;
    bits = (bits | bits << 4) & 0x0f0f0f0f0f0f0f0f;
    bits = (bits | bits << 2) & 0x3333333333333333;
    return (bits | bits << 1) & 0x5555555555555555;
  };
  return spread(low) | spread(high) << 1;
}

constexpr std::size_t kTwos = kWordBits / 2;  // pairs of neighbouring sites in a word

/// What two neighbouring sites add, from the figures of each.
struct BySite {
  const WordFigures& figures;
  HWY_INLINE Sums of(std::size_t two, std::uint64_t code) const {
    const auto* const at = &figures[2 * two];
    return add(load(at[0][code >> (4 * two) & 3]), load(at[1][code >> (4 * two + 2) & 3]));
  }
};

/// The same from a table: [two sites][their four bits of the code].
struct ByTwo {
  const std::vector<Figures>& sums;
  HWY_INLINE Sums of(std::size_t two, std::uint64_t code) const {
    return load(sums[two * 16 + (code >> (4 * two) & 15)]);
  }
};

template <class By>
void add_word(const By& by, std::size_t word, std::span<const TwoPlanes> people, std::span<Figures> sums) {
  for (std::size_t i = 0; i < people.size(); ++i) {
    const std::uint64_t code = code_of(people[i].low[word], people[i].high[word]);
    Sums fours[kTwos / 2];
    for (std::size_t four = 0; four < kTwos / 2; ++four)
      fours[four] = add(by.of(2 * four, code), by.of(2 * four + 1, code));
    const Sums half = add(add(fours[0], fours[1]), add(fours[2], fours[3])),
               rest = add(add(fours[4], fours[5]), add(fours[6], fours[7]));
    store(add(load(sums[i]), add(half, rest)), sums[i]);
  }
}

void make_twos(const WordFigures& figures, std::vector<Figures>& twos) {
  for (std::size_t two = 0; two < kTwos; ++two)
    for (std::size_t seen = 0; seen < 16; ++seen)
      store(add(load(figures[2 * two][seen & 3]), load(figures[2 * two + 1][seen >> 2])),
            twos[two * 16 + seen]);
}

void add_all(std::size_t n_words, const FillFigures& fill, std::span<const TwoPlanes> people,
             std::span<Figures> sums) {
  constexpr std::size_t kWorthATable = 12;  // people
  WordFigures figures{};
  std::vector<Figures> twos(people.size() < kWorthATable ? 0 : kTwos * 16);
  for (std::size_t word = 0; word < n_words; ++word) {
    if (!fill(word, figures)) continue;
    if (twos.empty()) {
      add_word(BySite{figures}, word, people, sums);
      continue;
    }
    make_twos(figures, twos);
    add_word(ByTwo{twos}, word, people, sums);
  }
}

}  // namespace
}  // namespace fastid::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fastid {
namespace {

HWY_EXPORT(add_all);

}  // namespace

void stats::add_sites(std::size_t n_words, const FillFigures& fill, std::span<const TwoPlanes> people,
                      std::span<Figures> sums) {
  HWY_DYNAMIC_DISPATCH(add_all)(n_words, fill, people, sums);
}

}  // namespace fastid
#endif
