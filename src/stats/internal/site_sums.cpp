// Google Highway compiles this once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "stats/internal/site_sums.cpp"
#include "stats/internal/site_sums.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/cpu_target.hpp"
#include "bits/popcount.hpp"

HWY_BEFORE_NAMESPACE();
namespace fastid::stats::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;
using stats::Figures;
using stats::FillFigures;
using stats::kFigures;
using stats::SeenFigures;
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
constexpr std::size_t kFours = kWordBits / 4;
constexpr std::size_t kSeenByTwo = 16;  // that two sites can show
constexpr std::size_t kSeenByFour = kSeenByTwo * kSeenByTwo;

/// What a site shows has two bits: the low plane's, then the high one's. A load instruction multiplies an
/// index by 8, so indices are kept multiplied by the remaining factor, sizeof(Figures) / 8.
constexpr std::size_t kScale = sizeof(Figures) / 8;
static_assert(kScale == 8);

/// Spreads the low bits apart, so that each has a free place beside it. \tparam V  a vector of 64-bit words
template <class V>
HWY_INLINE V spread(V bits) {
  const hn::DFromV<V> d;
  bits = hn::And(hn::Or(bits, hn::ShiftLeft<16>(bits)), hn::Set(d, 0x0000ffff0000ffff));
  bits = hn::And(hn::Or(bits, hn::ShiftLeft<8>(bits)), hn::Set(d, 0x00ff00ff00ff00ff));
  bits = hn::And(hn::Or(bits, hn::ShiftLeft<4>(bits)), hn::Set(d, 0x0f0f0f0f0f0f0f0f));
  bits = hn::And(hn::Or(bits, hn::ShiftLeft<2>(bits)), hn::Set(d, 0x3333333333333333));
  return hn::And(hn::Or(bits, hn::ShiftLeft<1>(bits)), hn::Set(d, 0x5555555555555555));
}

/// What a person shows at each group of neighbouring sites of a word, times kScale: first the even groups,
/// then the odd ones. \tparam Number  holds what the sites of a group can show, times kScale
template <class Number, std::size_t kGroups, std::uint64_t kFirstOfTwo>
struct SeenByGroups {
  static constexpr std::size_t kEven = kGroups / 2;
  static constexpr int kBits = 2 * kWordBits / kGroups;  // of a group
  std::array<Number, kGroups> seen;

  /// For several people, from what they show at all sites of a word.
  template <class V>
  static HWY_INLINE void put(V code, SeenByGroups* people) {
    const hn::DFromV<V> d;
    const auto first = hn::Set(d, kFirstOfTwo);
    hn::StoreInterleaved2(hn::ShiftLeft<3>(hn::And(code, first)),
                          hn::ShiftLeft<3>(hn::And(hn::ShiftRight<kBits>(code), first)), d,
                          reinterpret_cast<std::uint64_t*>(people->seen.data()));
  }
};
using SeenByTwos = SeenByGroups<std::uint8_t, kTwos, 0x0f0f0f0f0f0f0f0f>;
using SeenByFours = SeenByGroups<std::uint16_t, kFours, 0x00ff00ff00ff00ff>;

/// What a person shows at all sites of a word.
struct SeenBySites {
  std::uint64_t seen;

  template <class V>
  static HWY_INLINE void put(V code, SeenBySites* people) {
    hn::StoreU(code, hn::DFromV<V>(), &people->seen);
  }
};

constexpr std::size_t kSide = 4;  // of squares that are turned: words by people

/// Turns the squares of words of a few people. Returns how many words are done: all but those past the last
/// whole square, or none where vectors have one lane. \param apart  from one word's place to the next one's
HWY_INLINE std::size_t turn_squares([[maybe_unused]] const std::array<const Word*, kSide>& from,
                                    [[maybe_unused]] std::size_t words, [[maybe_unused]] std::size_t apart,
                                    [[maybe_unused]] Word* to) {
  std::size_t word = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::CappedTag<Word, kSide> d;
  for (; word + kSide <= words; word += kSide) {
    const auto a = hn::LoadU(d, from[0] + word), b = hn::LoadU(d, from[1] + word),
               c = hn::LoadU(d, from[2] + word), e = hn::LoadU(d, from[3] + word);
    const auto low = hn::InterleaveLower(d, a, c), other_low = hn::InterleaveLower(d, b, e),
               high = hn::InterleaveUpper(d, a, c), other_high = hn::InterleaveUpper(d, b, e);
    Word* const out = to + word * apart;
    hn::StoreU(hn::InterleaveLower(d, low, other_low), d, out);
    hn::StoreU(hn::InterleaveUpper(d, low, other_low), d, out + apart);
    hn::StoreU(hn::InterleaveLower(d, high, other_high), d, out + 2 * apart);
    hn::StoreU(hn::InterleaveUpper(d, high, other_high), d, out + 3 * apart);
  }
#endif
  return word;
}

/// Words of people's planes, turned so that one word of all people lies together, and what they show.
template <class Seen>
class Turned {
 public:
  explicit Turned(std::span<const TwoPlanes> people)
      : people_(people),
        places_(RoundUpTo(people.size(), kAtOnce)),
        low_(kWords * places_),
        high_(kWords * places_),
        shown_(places_) {}

  /// What all people show at this word.
  const Seen* at(std::size_t word) {
    if (word % kWords == 0) turn(word);
    const std::size_t place = word % kWords * places_;
    const hn::CappedTag<std::uint64_t, kAtOnce> d;
    const hn::Rebind<Word, decltype(d)> words;
    for (std::size_t i = 0; i < places_; i += hn::Lanes(d)) {
      const auto low = spread(hn::PromoteTo(d, hn::LoadU(words, low_.data() + place + i))),
                 high = spread(hn::PromoteTo(d, hn::LoadU(words, high_.data() + place + i)));
      Seen::put(hn::Or(low, hn::ShiftLeft<1>(high)), shown_.data() + i);
    }
    return shown_.data();
  }

  /// The sites of a word where everybody shows something. \param word  of the last call of at()
  Word shown_by_all(std::size_t word) const {
    const std::size_t place = word % kWords * places_;
    Word by_all = ~Word{0};
    for (std::size_t i = 0; i < people_.size(); ++i) by_all &= low_[place + i] | high_[place + i];
    return by_all;
  }

 private:
  static constexpr std::size_t kAtOnce = 16, kWords = 16;  // a cache line of each person's
  static std::size_t RoundUpTo(std::size_t n, std::size_t to) { return (n + to - 1) / to * to; }

  void turn(std::size_t first) {
    constexpr std::size_t kAhead = 4 * kSide;  // people
    if (people_.empty()) return;
    const std::size_t last = people_.size() - 1, words = std::min(kWords, people_[0].low.size() - first);
    for (std::size_t i = 0; i < people_.size(); i += kSide) {
      std::array<const Word*, kSide> low, high;
      for (std::size_t k = 0; k < kSide; ++k) {
        const TwoPlanes &person = people_[std::min(i + k, last)],
                        &soon = people_[std::min(i + k + kAhead, last)];
        low[k] = person.low.data() + first, high[k] = person.high.data() + first;
        __builtin_prefetch(soon.low.data() + first);
        __builtin_prefetch(soon.high.data() + first);
      }
      turn(low, words, low_.data() + i);
      turn(high, words, high_.data() + i);
    }
  }

  void turn(const std::array<const Word*, kSide>& from, std::size_t words, Word* to) const {
    for (std::size_t word = turn_squares(from, words, places_, to); word < words; ++word)
      for (std::size_t k = 0; k < kSide; ++k) to[word * places_ + k] = from[k][word];
  }

  std::span<const TwoPlanes> people_;
  std::size_t places_;
  std::vector<Word> low_, high_;  ///< [word][person]
  std::vector<Seen> shown_;
};

/// What two neighbouring sites add, from the figures of each.
struct BySite {
  const WordFigures& figures;
  HWY_INLINE Sums of(std::size_t two, std::size_t seen) const {
    const auto* const at = &figures[2 * two];
    return join(load(at[0][seen / kScale & 3]), load(at[1][seen / kScale >> 2]));
  }
};

HWY_INLINE Sums load_at(const Figures* table, std::size_t seen) {
  Sums at;
  const double* const from = table->data() + seen * (kFigures / kScale);
  for (std::size_t v = 0; v < Sums::kVectors; ++v)
    at.of[v] = hn::LoadU(Sums::Tag(), from + v * Sums::kInVector);
  return at;
}

/// The same as BySite, from a table: [two sites][what they show].
struct ByTwo {
  const std::vector<Figures>& sums;
  HWY_INLINE Sums of(std::size_t two, std::size_t seen) const {
    return load_at(&sums[two * kSeenByTwo], seen);
  }
};

/// What 16 neighbouring sites add. \tparam kFirst  the first of their pairs, in [0, kTwos)
template <std::size_t kFirst, class By>
HWY_INLINE Sums half_word(const By& by, const SeenByTwos& person) {
  Sums fours[kTwos / 4];
  FASTID_UNROLL
  for (std::size_t i = 0; i < kTwos / 4; ++i) {
    constexpr std::size_t kFour = kFirst / 2;
    fours[i] = join(by.of(kFirst + 2 * i, person.seen[kFour + i]),
                    by.of(kFirst + 2 * i + 1, person.seen[SeenByTwos::kEven + kFour + i]));
  }
  return join(join(fours[0], fours[1]), join(fours[2], fours[3]));
}

void make_twos(const WordFigures& figures, std::vector<Figures>& twos) {
  for (std::size_t two = 0; two < kTwos; ++two)
    for (std::size_t second = 0; second < 4; ++second) {
      const Sums of_second = load(figures[2 * two + 1][second]);
      for (std::size_t first = 0; first < 4; ++first)
        store(join(load(figures[2 * two][first]), of_second), twos[two * kSeenByTwo + 4 * second + first]);
    }
}

/// Adds from tables of two sites, or of single sites.
void add_by_twos(std::size_t n_words, const FillFigures& fill, std::span<const TwoPlanes> people,
                 std::span<Figures> sums) {
  constexpr std::size_t kWorthATable = 12;  // people
  WordFigures figures{};
  std::vector<Figures> twos(people.size() < kWorthATable ? 0 : kTwos * kSeenByTwo);
  Turned<SeenByTwos> turned(people);
  const auto take = [&](const auto& by, const SeenByTwos* shown) HWY_ATTR {
    for (std::size_t i = 0; i < people.size(); ++i) {
      const Sums half = half_word<0>(by, shown[i]), rest = half_word<kTwos / 2>(by, shown[i]);
      store(join(load(sums[i]), join(half, rest)), sums[i]);
    }
  };
  for (std::size_t word = 0; word < n_words; ++word) {
    const SeenByTwos* const shown = turned.at(word);
    if (!fill(word, figures)) continue;
    if (twos.empty()) {
      take(BySite{figures}, shown);
      continue;
    }
    make_twos(figures, twos);
    take(ByTwo{twos}, shown);
  }
}

/// Tables of four neighbouring sites, for half of a word, which stay in a processor's nearest cache where
/// everybody shows something.
class FourTables {
 public:
  FourTables() : sums_(kFours / 2 * kSeenByFour) {}

  /// \param first  the first group of four, in [0, kFours) \param by_all  sites where everybody shows
  /// something
  HWY_INLINE void make(const std::vector<Figures>& twos, std::size_t first, Word by_all) {
    for (std::size_t four = 0; four < kFours / 2; ++four) {
      const std::size_t two = 2 * (first + four);
      const Figures* const of_first = &twos[two * kSeenByTwo];
      for (std::size_t second = 0; second < kSeenByTwo; ++second) {
        if (is_not_shown(second, by_all >> (2 * two + 2))) continue;
        const Sums of_second = load(twos[(two + 1) * kSeenByTwo + second]);
        for (std::size_t seen = 0; seen < kSeenByTwo; ++seen)
          if (!is_not_shown(seen, by_all >> (2 * two)))
            store(join(load(of_first[seen]), of_second),
                  sums_[four * kSeenByFour + second * kSeenByTwo + seen]);
      }
    }
  }

  /// What 16 neighbouring sites add.
  template <std::size_t kFirst>
  HWY_INLINE Sums half_word(const SeenByFours& person) const {
    const auto of = [&](std::size_t four) HWY_ATTR {
      const std::size_t at = kFirst / 2 + four / 2 + four % 2 * SeenByFours::kEven;
      return load_at(&sums_[four * kSeenByFour], person.seen[at]);
    };
    return join(join(of(0), of(1)), join(of(2), of(3)));
  }

 private:
  /// Whether `seen` is impossible at two sites. \param by_all  where everybody shows something, from the
  /// first of the two on
  static bool is_not_shown(std::size_t seen, Word by_all) {
    return ((seen & 3) == 0 && (by_all & 1) != 0) || (seen >> 2 == 0 && (by_all & 2) != 0);
  }

  std::vector<Figures> sums_;  ///< [four][what is shown of its last two sites, then of its first]
};

/// Adds from tables of four sites: half as many steps, for so many people that making the tables pays.
void add_by_fours(std::size_t n_words, const FillFigures& fill, std::span<const TwoPlanes> people,
                  std::span<Figures> sums) {
  WordFigures figures{};
  std::vector<Figures> twos(kTwos * kSeenByTwo), halves(people.size());
  FourTables fours;
  Turned<SeenByFours> turned(people);
  for (std::size_t word = 0; word < n_words; ++word) {
    const SeenByFours* const shown = turned.at(word);
    if (!fill(word, figures)) continue;
    make_twos(figures, twos);
    const Word by_all = turned.shown_by_all(word);
    fours.make(twos, 0, by_all);
    for (std::size_t i = 0; i < people.size(); ++i) store(fours.half_word<0>(shown[i]), halves[i]);
    fours.make(twos, kFours / 2, by_all);
    for (std::size_t i = 0; i < people.size(); ++i)
      store(join(load(sums[i]), join(load(halves[i]), fours.half_word<kFours / 2>(shown[i]))), sums[i]);
  }
}

/// Whether tables of four sites are made in less time than they save, judged by a word: they take three times
/// as long where somebody shows nothing at most sites.
bool are_worth_fours(std::size_t n_words, std::span<const TwoPlanes> people) {
  constexpr std::size_t kWorth = 512, kWorthAll = 4096;  // people
  if (people.size() < kWorth || people.size() >= kWorthAll) return people.size() >= kWorthAll;
  Word by_all = ~Word{0};
  for (const TwoPlanes& of : people) by_all &= of.low[n_words / 2] | of.high[n_words / 2];
  return static_cast<std::size_t>(bits_set(by_all)) >= kWordBits * 3 / 4;
}

void add_all(std::size_t n_words, const FillFigures& fill, std::span<const TwoPlanes> people,
             std::span<Figures> sums) {
  static_assert(std::endian::native == std::endian::little);
  if (n_words > 0 && are_worth_fours(n_words, people))
    add_by_fours(n_words, fill, people, sums);
  else
    add_by_twos(n_words, fill, people, sums);
}

using PeopleTag = hn::CappedTag<double, kFigures>;
constexpr std::size_t kPeople = hn::MaxLanes(PeopleTag());  // that one figure is added up for at once
using PeopleCodes = hn::RebindToSigned<PeopleTag>;
/// A site's figure, as often as fills a vector.
using SeenTable = std::array<double, (kPeople > 4 ? kPeople : 4)>;

HWY_INLINE void fill_table(SeenTable& table, const SeenFigures& figures) {
#if FASTID_AVX512
  const hn::Vec<PeopleTag> twice{_mm512_broadcast_f64x4(_mm256_loadu_pd(figures.data()))};
  hn::StoreU(twice, PeopleTag(), table.data());
#else
  std::ranges::copy(figures, table.begin());
#endif
}

HWY_INLINE hn::Vec<PeopleTag> looked_up(const SeenTable& table, hn::Vec<PeopleCodes> seen) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
  return hn::TableLookupLanes(hn::LoadU(PeopleTag(), table.data()), hn::IndicesFromVec(PeopleTag(), seen));
#else
  return hn::GatherIndex(PeopleTag(), table.data(), seen);
#endif
}

#if FASTID_AVX512
/// What two neighbouring sites add: where the second one shows 0 or 1, and where it shows 2 or 3.
struct TwoSeenTable {
  SeenTable low, high;
};

HWY_INLINE void fill_table(TwoSeenTable& table, const SeenTable* two) {
  const PeopleTag tag;
  alignas(64) constexpr std::int64_t kLow[] = {0, 0, 0, 0, 1, 1, 1, 1}, kHigh[] = {2, 2, 2, 2, 3, 3, 3, 3};
  const auto first = hn::LoadU(tag, two[0].data()), second = hn::LoadU(tag, two[1].data());
  const auto low = hn::TableLookupLanes(second, hn::SetTableIndices(tag, kLow)),
             high = hn::TableLookupLanes(second, hn::SetTableIndices(tag, kHigh));
  hn::StoreU(hn::Add(first, low), tag, table.low.data());
  hn::StoreU(hn::Add(first, high), tag, table.high.data());
}

HWY_INLINE hn::Vec<PeopleTag> looked_up(const TwoSeenTable& table, hn::Vec<PeopleCodes> seen) {
  return hn::Vec<PeopleTag>{_mm512_permutex2var_pd(hn::LoadU(PeopleTag(), table.low.data()).raw, seen.raw,
                                                   hn::LoadU(PeopleTag(), table.high.data()).raw)};
}
#endif

/// What the sites of some neighbouring tables add. \param seen  indices for all tables of the word
template <std::size_t kTables, class Table>
HWY_INLINE hn::Vec<PeopleTag> tree_of(const Table* tables, const hn::Vec<PeopleCodes>* seen) {
  if constexpr (kTables == 1)
    return looked_up(*tables, *seen);
  else
    return hn::Add(tree_of<kTables / 2>(tables, seen),
                   tree_of<kTables / 2>(tables + kTables / 2, seen + kTables / 2));
}

/// Adds a word's figures to the sums of kPeople people. \tparam kSites  sites of a table
/// \param apart  distance from one figure's sums to the next figure's
template <std::size_t kSites, class Table>
HWY_INLINE void add_word(std::span<const Table> tables, const SeenBySites* people, double* sums,
                         std::size_t apart) {
  constexpr std::size_t kTables = kWordBits / kSites, kBits = 2 * kSites;
  const PeopleTag tag;
  const PeopleCodes places;
  const auto codes = hn::LoadU(places, reinterpret_cast<const std::int64_t*>(people));
  hn::Vec<PeopleCodes> seen[kTables];
  const auto see = [&]<std::size_t... kTable>(std::index_sequence<kTable...>) HWY_ATTR {
    ((seen[kTable] = hn::And(hn::ShiftRight<kBits * kTable>(codes), hn::Set(places, (1 << kBits) - 1))), ...);
  };
  see(std::make_index_sequence<kTables>());
  for (std::size_t f = 0; f < tables.size() / kTables; ++f, sums += apart)
    hn::StoreU(hn::Add(hn::LoadU(tag, sums), tree_of<kTables>(&tables[f * kTables], seen)), tag, sums);
}

/// Fills a word's tables of a few figures. \param soon  places that are looked up soon, to prefetch: each
/// query reads other entries of a large table
template <std::size_t kFew>
HWY_INLINE void fill_word(const std::span<const SeenFigures>* figures, const std::uint32_t* places,
                          const std::uint32_t* soon, SeenTable* tables) {
  std::array<const SeenFigures*, kFew> of;
  for (std::size_t f = 0; f < kFew; ++f) of[f] = figures[f].data();
  for (std::size_t site = 0; site < kWordBits; ++site) {
    const std::size_t place = places[site], ahead = soon[site];
    FASTID_UNROLL
    for (std::size_t f = 0; f < kFew; ++f) {
      if (f % 2 == 0) __builtin_prefetch(of[f] + ahead);  // a cache line holds two
      fill_table(tables[f * kWordBits + site], of[f][place]);
    }
  }
}

/// Adds figure by figure, for kPeople people at once.
void add_few(std::span<const std::span<const SeenFigures>> figures, std::span<const std::uint32_t> places,
             std::span<const TwoPlanes> people, std::span<double> sums) {
  constexpr std::size_t kAhead = 2 * kWordBits;
  const std::size_t n = people.size(), padded = (n + kPeople - 1) / kPeople * kPeople;
  std::vector<double> all(figures.size() * padded);
  std::vector<SeenTable> tables(figures.size() * kWordBits);
#if FASTID_AVX512
  constexpr std::size_t kWorthTwos = 48;  // people
  std::vector<TwoSeenTable> twos(n < kWorthTwos ? 0 : tables.size() / 2);
#endif
  Turned<SeenBySites> turned(people);
  for (std::size_t word = 0; word < places.size() / kWordBits; ++word) {
    const std::uint32_t* const at = &places[word * kWordBits];
    const std::uint32_t* const soon = &places[std::min(word * kWordBits + kAhead, places.size() - kWordBits)];
    std::size_t f = 0;
    for (; f + 5 <= figures.size(); f += 5) fill_word<5>(&figures[f], at, soon, &tables[f * kWordBits]);
    for (; f < figures.size(); ++f) fill_word<1>(&figures[f], at, soon, &tables[f * kWordBits]);
    const SeenBySites* const shown = turned.at(word);
#if FASTID_AVX512
    for (std::size_t two = 0; two < twos.size(); ++two) fill_table(twos[two], &tables[2 * two]);
    for (std::size_t i = 0; i < n && !twos.empty(); i += kPeople)
      add_word<2>(std::span<const TwoSeenTable>(twos), shown + i, &all[i], padded);
    if (!twos.empty()) continue;
#endif
    for (std::size_t i = 0; i < n; i += kPeople)
      add_word<1>(std::span<const SeenTable>(tables), shown + i, &all[i], padded);
  }
  for (std::size_t f = 0; f < figures.size(); ++f)
    for (std::size_t i = 0; i < n; ++i) sums[f * n + i] += all[f * padded + i];
}

}  // namespace
}  // namespace fastid::stats::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fastid::stats {
namespace {

HWY_EXPORT(add_all);
HWY_EXPORT(add_few);

}  // namespace

void add_sites(std::size_t n_words, const FillFigures& fill, std::span<const TwoPlanes> people,
               std::span<Figures> sums) {
  if (!people.empty()) HWY_DYNAMIC_DISPATCH(add_all)(n_words, fill, people, sums);
}

void add_figures(std::span<const std::span<const SeenFigures>> tables, std::span<const std::uint32_t> places,
                 std::span<const TwoPlanes> people, std::span<double> sums) {
  if (!people.empty()) HWY_DYNAMIC_DISPATCH(add_few)(tables, places, people, sums);
}

}  // namespace fastid::stats
#endif
