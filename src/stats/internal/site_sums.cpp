// Google Highway compiles this once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stats/internal/site_sums.cpp"
#include "stats/internal/site_sums.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
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

HWY_INLINE Sums join(const Sums& a, const Sums& b) {
  Sums sums;
  for (std::size_t v = 0; v < Sums::kVectors; ++v) sums.of[v] = hn::Add(a.of[v], b.of[v]);
  return sums;
}

constexpr std::size_t kTwos = kWordBits / 2;  // pairs of neighbouring sites in a word
constexpr std::size_t kSeenByTwo = 16;        // that two sites can show

/// Words of people's planes, turned so that one word of all people lies together, and what they show.
class Turned {
 public:
  /// What a person shows at each pair of sites of a word, times kScale: the low plane's bit of the first
  /// site, the high plane's, those of the second. First the even pairs, then the odd ones.
  using Shown = std::array<std::uint8_t, kTwos>;
  /// A processor multiplies an index by 8 as it loads.
  static constexpr std::size_t kScale = 8, kEven = kTwos / 2;

  explicit Turned(std::span<const TwoPlanes> people)
      : people_(people),
        places_(RoundUpTo(people.size(), kAtOnce)),
        low_(kWords * places_),
        high_(kWords * places_),
        shown_(places_) {}

  /// Of all people, at this word.
  const Shown* at(std::size_t word) {
    if (word % kWords == 0) turn(word);
    const std::size_t place = word % kWords * places_;
    const hn::CappedTag<std::uint64_t, kAtOnce> d;
    const hn::Rebind<Word, decltype(d)> words;
    const auto nibbles = hn::Set(d, 0x0f0f0f0f0f0f0f0f);
    for (std::size_t i = 0; i < places_; i += hn::Lanes(d)) {
      const auto low = spread(hn::PromoteTo(d, hn::LoadU(words, low_.data() + place + i))),
                 high = spread(hn::PromoteTo(d, hn::LoadU(words, high_.data() + place + i)));
      const auto code = hn::Or(low, hn::ShiftLeft<1>(high));
      static_assert(kScale == 8);
      hn::StoreInterleaved2(hn::ShiftLeft<3>(hn::And(code, nibbles)),
                            hn::ShiftLeft<3>(hn::And(hn::ShiftRight<4>(code), nibbles)), d,
                            reinterpret_cast<std::uint64_t*>(shown_[i].data()));
    }
    return shown_.data();
  }

 private:
  static constexpr std::size_t kAtOnce = 16, kWords = 16;  // a cache line of each person's
  static std::size_t RoundUpTo(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

  template <class V>
  static HWY_INLINE V spread(V bits) {
    const hn::DFromV<V> d;
    bits = hn::And(hn::Or(bits, hn::ShiftLeft<16>(bits)), hn::Set(d, 0x0000ffff0000ffff));
    bits = hn::And(hn::Or(bits, hn::ShiftLeft<8>(bits)), hn::Set(d, 0x00ff00ff00ff00ff));
    bits = hn::And(hn::Or(bits, hn::ShiftLeft<4>(bits)), hn::Set(d, 0x0f0f0f0f0f0f0f0f));
    bits = hn::And(hn::Or(bits, hn::ShiftLeft<2>(bits)), hn::Set(d, 0x3333333333333333));
    return hn::And(hn::Or(bits, hn::ShiftLeft<1>(bits)), hn::Set(d, 0x5555555555555555));
  }

  void turn(std::size_t first) {
    for (std::size_t some = 0; some < people_.size(); some += kAtOnce) {
      const std::size_t end = std::min(some + kAtOnce, people_.size());
      const std::size_t words = std::min(kWords, people_[some].low.size() - first);
      for (std::size_t word = 0; word < words; ++word)
        for (std::size_t i = some; i < end; ++i) {
          low_[word * places_ + i] = people_[i].low[first + word];
          high_[word * places_ + i] = people_[i].high[first + word];
        }
    }
  }

  std::span<const TwoPlanes> people_;
  std::size_t places_;
  std::vector<Word> low_, high_;  ///< [word][person]
  std::vector<Shown> shown_;
};

/// What two neighbouring sites add, from the figures of each.
struct BySite {
  const WordFigures& figures;
  HWY_INLINE Sums of(std::size_t two, std::size_t shown) const {
    const auto* const at = &figures[2 * two];
    return join(load(at[0][shown / Turned::kScale & 3]), load(at[1][shown / Turned::kScale >> 2]));
  }
};

/// The same from a table: [two sites][what they show].
struct ByTwo {
  const std::vector<Figures>& sums;
  HWY_INLINE Sums of(std::size_t two, std::size_t shown) const {
    static_assert(Turned::kScale == kFigures);
    Sums at;
    const double* const from = sums[two * kSeenByTwo].data() + shown * (kFigures / Turned::kScale);
    for (std::size_t v = 0; v < Sums::kVectors; ++v)
      at.of[v] = hn::LoadU(Sums::Tag(), from + v * Sums::kInVector);
    return at;
  }
};

/// What 16 neighbouring sites add. \param first  of their pairs, in [0, kTwos)
template <std::size_t kFirst, class By>
HWY_INLINE Sums half_word(const By& by, const Turned::Shown& shown) {
  Sums fours[kTwos / 4];
  FASTID_UNROLL
  for (std::size_t i = 0; i < kTwos / 4; ++i) {
    constexpr std::size_t kFour = kFirst / 2;
    fours[i] = join(by.of(kFirst + 2 * i, shown[kFour + i]),
                    by.of(kFirst + 2 * i + 1, shown[Turned::kEven + kFour + i]));
  }
  return join(join(fours[0], fours[1]), join(fours[2], fours[3]));
}

/// The sums of some people.
struct SumsOfPeople {
  std::span<Figures> sums;

  template <class By>
  HWY_INLINE void take(std::size_t i, const By& by, const Turned::Shown& shown) {
    const Sums half = half_word<0>(by, shown), rest = half_word<kTwos / 2>(by, shown);
    store(join(load(sums[i]), join(half, rest)), sums[i]);
  }
};

void make_twos(const WordFigures& figures, std::vector<Figures>& twos) {
  for (std::size_t two = 0; two < kTwos; ++two)
    for (std::size_t second = 0; second < 4; ++second) {
      const Sums of_second = load(figures[2 * two + 1][second]);
      for (std::size_t first = 0; first < 4; ++first)
        store(join(load(figures[2 * two][first]), of_second), twos[two * kSeenByTwo + 4 * second + first]);
    }
}

void add_all(std::size_t n_words, const FillFigures& fill, std::span<const TwoPlanes> people,
             std::span<Figures> sums) {
  static_assert(std::endian::native == std::endian::little);
  constexpr std::size_t kWorthATable = 12;  // people
  SumsOfPeople totals{sums};
  WordFigures figures{};
  std::vector<Figures> twos(people.size() < kWorthATable ? 0 : kTwos * kSeenByTwo);
  Turned turned(people);
  const auto take = [&](const auto& by, const Turned::Shown* shown) HWY_ATTR {
    for (std::size_t i = 0; i < people.size(); ++i) totals.take(i, by, shown[i]);
  };
  for (std::size_t word = 0; word < n_words; ++word) {
    const Turned::Shown* const shown = turned.at(word);
    if (!fill(word, figures)) continue;
    if (twos.empty()) {
      take(BySite{figures}, shown);
      continue;
    }
    make_twos(figures, twos);
    take(ByTwo{twos}, shown);
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
  if (!people.empty()) HWY_DYNAMIC_DISPATCH(add_all)(n_words, fill, people, sums);
}

}  // namespace fastid
#endif
