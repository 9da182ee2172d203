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
using stats::FillFigures;
using stats::Figures;
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

constexpr std::size_t kFours = kWordBits / 4;  // of a word's sites

/// What is seen at the i-th of some sites, by their bits of the two planes.
HWY_INLINE std::size_t seen(std::size_t high, std::size_t low, unsigned i) {
  return (high >> i & 1) << 1 | (low >> i & 1);
}

/// Four neighbouring sites, by their own figures.
struct BySite {
  const WordFigures& figures;
  HWY_INLINE Sums of(std::size_t four, std::size_t high, std::size_t low) const {
    const auto* const at = &figures[4 * four];
    return add(add(load(at[0][seen(high, low, 0)]), load(at[1][seen(high, low, 1)])),
               add(load(at[2][seen(high, low, 2)]), load(at[3][seen(high, low, 3)])));
  }
};

/// By the sums of two: [two sites][their high bits, their low bits].
struct ByTwo {
  const std::vector<Figures>& sums;
  HWY_INLINE Sums of(std::size_t four, std::size_t high, std::size_t low) const {
    const Figures* const at = &sums[four * 32];
    return add(load(at[(high & 3) << 2 | (low & 3)]), load(at[16 + ((high >> 2) << 2 | low >> 2)]));
  }
};

/// By the sums of four.
struct ByFour {
  const std::vector<Figures>& sums;
  HWY_INLINE Sums of(std::size_t four, std::size_t high, std::size_t low) const {
    return load(sums[four * 256 + (high << 4 | low)]);
  }
};

template <class By>
void add_word(const By& by, std::size_t word, std::span<const TwoPlanes> people, std::span<Figures> sums) {
  for (std::size_t i = 0; i < people.size(); ++i) {
    const std::size_t low = people[i].low[word], high = people[i].high[word];
    Sums fours[kFours];
    for (std::size_t four = 0; four < kFours; ++four)
      fours[four] = by.of(four, high >> (4 * four) & 15, low >> (4 * four) & 15);
    const Sums half = add(add(fours[0], fours[1]), add(fours[2], fours[3])),
               rest = add(add(fours[4], fours[5]), add(fours[6], fours[7]));
    store(add(load(sums[i]), add(half, rest)), sums[i]);
  }
}

void make_twos(const WordFigures& figures, std::vector<Figures>& twos) {
  for (std::size_t two = 0; two < 2 * kFours; ++two)
    for (std::size_t high = 0; high < 4; ++high)
      for (std::size_t low = 0; low < 4; ++low)
        store(add(load(figures[2 * two][seen(high, low, 0)]), load(figures[2 * two + 1][seen(high, low, 1)])),
              twos[two * 16 + (high << 2 | low)]);
}

void make_fours(const std::vector<Figures>& twos, std::vector<Figures>& fours) {
  for (std::size_t four = 0; four < kFours; ++four)
    for (std::size_t high = 0; high < 16; ++high)
      for (std::size_t low = 0; low < 16; ++low)
        store(ByTwo{twos}.of(four, high, low), fours[four * 256 + (high << 4 | low)]);
}

void add_all(std::size_t n_words, const FillFigures& fill, std::span<const TwoPlanes> people,
             std::span<Figures> sums) {
  constexpr std::size_t kWorthTwos = 12, kWorthFours = 400;  // people for whom tables are made
  WordFigures figures{};
  std::vector<Figures> twos(people.size() < kWorthTwos ? 0 : 2 * kFours * 16),
      fours(people.size() < kWorthFours ? 0 : kFours * 256);
  for (std::size_t word = 0; word < n_words; ++word) {
    if (!fill(word, figures)) continue;
    if (twos.empty()) {
      add_word(BySite{figures}, word, people, sums);
      continue;
    }
    make_twos(figures, twos);
    if (fours.empty()) {
      add_word(ByTwo{twos}, word, people, sums);
      continue;
    }
    make_fours(twos, fours);
    add_word(ByFour{fours}, word, people, sums);
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
