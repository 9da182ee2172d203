// Google Highway compiles this once for each instruction set. It is the definition in vector loops that are
// written apart from the kernels, and share only the table with them: what they have found is counted again
// here before it is reported.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/plain_counts.cpp"
#include <algorithm>
#include <bit>

#include "base/cpu_target.hpp"
#include "base/error.hpp"
#include "bits/popcount.hpp"
#include "engine/comparison.hpp"
#include "engine/ld.hpp"

HWY_BEFORE_NAMESPACE();
namespace fastid::engine::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

[[gnu::always_inline]] inline std::uint32_t count_bits(Word word) {
#if HWY_ARCH_X86 && HWY_TARGET >= HWY_SSSE3
  return static_cast<std::uint32_t>(bits_set(word));
#else
  return static_cast<std::uint32_t>(std::popcount(word));
#endif
}

// The terms are known when this is compiled, so that their loops become a few instructions.
template <Comparison kComparison, Encoding kBy>
[[gnu::always_inline]] inline PairCounts count_words(const RowView& query, const BlocksView& blocks,
                                                     std::uint64_t profile) {
  constexpr Terms kTerms = terms_of(kComparison, kBy);
  PairCounts counts;
  std::array<std::uint32_t, 2> denominators{};
  for (std::size_t word = 0; word < query.bits.size(); ++word) {
    const Word q = query.bits[word], d = blocks.bits_word(profile, word);
    const Word q_called = query.called[word], d_called = blocks.called_word(profile, word);
    const Word q_major = kBy == Encoding::kAlleles ? query.major[word] : 0;
    const Word d_major = kBy == Encoding::kAlleles ? blocks.major_word(profile, word) : 0;
    counts.compared += count_bits(q_called & d_called);
#pragma GCC unroll 3
    for (std::size_t i = 0; i < kTerms.n_count; ++i)
      counts.count += kTerms.count[i].weight *
                      count_bits(counted_sites(kTerms.count[i], q, q_major, q_called, d, d_major, d_called));
#pragma GCC unroll 2
    for (std::size_t i = 0; i < kTerms.n_denominator; ++i)
      denominators[i] += count_bits(word_of(kTerms.denominator[i].query, q, q_major, q_called) &
                                    word_of(kTerms.denominator[i].stored, d, d_major, d_called));
  }
  counts.denominator =
      kTerms.lesser ? std::min(denominators[0], denominators[1]) : denominators[0] + denominators[1];
  return counts;
}

/// visit(a comparison and an encoding, as types), by the rows of the table from kRow on
template <std::size_t kRow = 0, class Visit>
[[gnu::always_inline]] inline auto for_question(Comparison comparison, Encoding by, const Visit& visit) {
  constexpr auto kComparison = static_cast<Comparison>(kRow);
  if constexpr (kRow + 1 < kComparisons)
    if (comparison != kComparison) return for_question<kRow + 1>(comparison, by, visit);
  if constexpr (by_alleles_alone(kComparison))
    return visit.template operator()<kComparison, Encoding::kAlleles>();
  else
    return by == Encoding::kAlleles ? visit.template operator()<kComparison, Encoding::kAlleles>()
                                    : visit.template operator()<kComparison, Encoding::kMinor>();
}

PairCounts one_pair(Comparison comparison, Encoding by, const RowView& query, const BlocksView& blocks,
                    std::uint64_t profile) {
  return for_question(comparison, by, [&]<Comparison kComparison, Encoding kBy>() {
    return count_words<kComparison, kBy>(query, blocks, profile);
  });
}

/// Some profiles' words of each plane.
template <class V>
struct Planes {
  V minor, major, called;
};

template <Plane kPlane, class V>
[[gnu::always_inline]] inline V plane_of(const Planes<V>& of) {
  switch (kPlane) {
    case Plane::kMinor:
      return of.minor;
    case Plane::kNoMinor:
      return hn::AndNot(of.minor, of.called);
    case Plane::kMajor:
      return of.major;
    case Plane::kNoMajor:
      return hn::AndNot(of.major, of.called);
    case Plane::kBoth:
      return hn::And(of.minor, of.major);
    case Plane::kHomozygous:
      return hn::Xor(of.minor, of.major);
    case Plane::kCalled:
      break;
  }
  return of.called;
}

/// Lanes `lane` and up of a block, a word of all of them after the other: count(query's planes, stored ones).
template <Encoding kBy, class D, class Count>
[[gnu::always_inline]] inline void for_words(D d, const RowView& query, const BlocksView& block,
                                             std::size_t lane, const Count& count) {
  using V = hn::Vec<D>;
  for (std::size_t word = 0; word < query.bits.size(); ++word) {
    const Planes<V> asked{hn::Set(d, query.bits[word]), hn::Set(d, query.major_word(word)),
                          hn::Set(d, query.called[word])};
    const std::size_t at = word * kLanes + lane;
    const V minor = hn::LoadU(d, block.bits + at);
    const V second = block.second == nullptr ? hn::Set(d, sites_mask(block.shape.n_sites, word))
                                             : hn::LoadU(d, block.second + at);
    // A second plane of called sites holds those with a minor allele too.
    count(asked, Planes<V>{minor, second,
                           kBy == Encoding::kAlleles || block.shape.encoding == Encoding::kAlleles
                               ? hn::Or(minor, second)
                               : second});
  }
}

template <Comparison kComparison, Encoding kBy>
[[gnu::always_inline]] inline Word count_lanes(const RowView& query, const BlocksView& block, Word wanted,
                                               std::span<PairCounts, kLanes> counts) {
  constexpr Terms kTerms = terms_of(kComparison, kBy);
  const hn::CappedTag<Word, kLanes> d;
  using V = hn::Vec<decltype(d)>;
  Word counted = 0;
  for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(d)) {
    const Word lanes = ((Word{2} << (hn::Lanes(d) - 1)) - 1) << lane;
    if ((wanted & lanes) == 0) continue;
    counted |= lanes;
    V count = hn::Zero(d), first = count, second = count, compared = count;
    const auto term = [&]<std::size_t kTerm>(const Planes<V>& asked, const Planes<V>& stored) {
      if constexpr (kTerm < kTerms.n_count) {
        constexpr Term kOf = kTerms.count[kTerm];
        V sites = hn::And(plane_of<kOf.products[0].query>(asked), plane_of<kOf.products[0].stored>(stored));
        if constexpr (kOf.n_products == 2)
          sites = hn::Or(sites, hn::And(plane_of<kOf.products[1].query>(asked),
                                        plane_of<kOf.products[1].stored>(stored)));
        V bits = hn::PopulationCount(sites);
        if constexpr (kOf.weight == 2) bits = hn::Add(bits, bits);
        static_assert(kOf.weight <= 2);
        count = hn::Add(count, bits);
      }
    };
    for_words<kBy>(d, query, block, lane, [&](const Planes<V>& asked, const Planes<V>& stored) {
      compared = hn::Add(compared, hn::PopulationCount(hn::And(asked.called, stored.called)));
      term.template operator()<0>(asked, stored);
      term.template operator()<1>(asked, stored);
      term.template operator()<2>(asked, stored);
      first = hn::Add(first, hn::PopulationCount(hn::And(plane_of<kTerms.denominator[0].query>(asked),
                                                         plane_of<kTerms.denominator[0].stored>(stored))));
      if constexpr (kTerms.n_denominator == 2)
        second =
            hn::Add(second, hn::PopulationCount(hn::And(plane_of<kTerms.denominator[1].query>(asked),
                                                        plane_of<kTerms.denominator[1].stored>(stored))));
    });
    std::array<std::array<Word, kLanes>, 3> sums{};
    hn::StoreU(count, d, sums[0].data());
    hn::StoreU(kTerms.lesser ? hn::Min(first, second) : hn::Add(first, second), d, sums[1].data());
    hn::StoreU(compared, d, sums[2].data());
    for (std::size_t i = 0; i < hn::Lanes(d); ++i) counts[lane + i] = {sums[0][i], sums[1][i], sums[2][i]};
  }
  return counted;
}

Word block_of_pairs(Comparison comparison, Encoding by, const RowView& query, const BlocksView& block,
                    Word wanted, std::span<PairCounts, kLanes> counts) {
  return for_question(comparison, by, [&]<Comparison kComparison, Encoding kBy>() {
    return count_lanes<kComparison, kBy>(query, block, wanted, counts);
  });
}

void block_of_genotypes(const RowView& query, const BlocksView& block,
                        std::span<GenotypeCounts, kLanes> counts) {
  const hn::CappedTag<Word, kLanes> d;
  using V = hn::Vec<decltype(d)>;
  for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(d)) {
    V compared = hn::Zero(d), ibs0 = compared, both_het = compared, first_het = compared,
      second_het = compared;
    for_words<Encoding::kAlleles>(d, query, block, lane, [&](const Planes<V>& a, const Planes<V>& b) {
      const V called = hn::And(a.called, b.called), first = hn::And(hn::And(a.minor, a.major), called),
              second = hn::And(hn::And(b.minor, b.major), called);
      const V apart = hn::Or(hn::And(a.minor, b.major), hn::And(a.major, b.minor));
      compared = hn::Add(compared, hn::PopulationCount(called));
      ibs0 = hn::Add(ibs0, hn::PopulationCount(hn::AndNot(hn::Or(first, second), apart)));
      both_het = hn::Add(both_het, hn::PopulationCount(hn::And(first, second)));
      first_het = hn::Add(first_het, hn::PopulationCount(first));
      second_het = hn::Add(second_het, hn::PopulationCount(second));
    });
    std::array<std::array<Word, kLanes>, 5> sums{};
    hn::StoreU(compared, d, sums[0].data());
    hn::StoreU(ibs0, d, sums[1].data());
    hn::StoreU(both_het, d, sums[2].data());
    hn::StoreU(first_het, d, sums[3].data());
    hn::StoreU(second_het, d, sums[4].data());
    for (std::size_t i = 0; i < hn::Lanes(d); ++i)
      counts[lane + i] = {sums[0][i], sums[1][i], sums[2][i], sums[3][i], sums[4][i]};
  }
}

/// The sites of two rows' words, one or several of each, where these genotypes meet.
template <class V, class Visit>
[[gnu::always_inline]] inline void for_genotypes(const Planes<V>& one, const Planes<V>& other,
                                                 const Visit& visit) {
  const V compared = hn::And(one.called, other.called);
  const V het = hn::And(hn::And(one.minor, one.major), compared),
          other_het = hn::And(hn::And(other.minor, other.major), compared);
  const V apart = hn::And(hn::Or(hn::And(one.minor, other.major), hn::And(one.major, other.minor)), compared);
  visit(compared, hn::AndNot(hn::Or(het, other_het), apart), hn::And(het, other_het), het, other_het);
}

/// Adds up so many words at a time, from `word` on, as long as there are as many.
template <class D>
[[gnu::always_inline]] inline void add_genotypes(D d, const RowView& first, const RowView& second,
                                                 std::size_t& word, GenotypeCounts& counts) {
  using V = hn::Vec<D>;
  const auto planes = [&](const RowView& row) HWY_ATTR {
    return Planes<V>{hn::LoadU(d, row.bits.data() + word), hn::LoadU(d, row.major.data() + word),
                     hn::LoadU(d, row.called.data() + word)};
  };
  V sums[] = {hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d), hn::Zero(d)};
  for (; word + hn::Lanes(d) <= first.called.size(); word += hn::Lanes(d))
    for_genotypes(planes(first), planes(second), [&](const auto&... sites) HWY_ATTR {
      std::size_t i = 0;
      ((sums[i] = hn::Add(sums[i], hn::PopulationCount(sites)), ++i), ...);
    });
  const auto all = [&](std::size_t i) HWY_ATTR { return hn::GetLane(hn::SumOfLanes(d, sums[i])); };
  counts.compared += all(0);
  counts.ibs0 += all(1);
  counts.both_het += all(2);
  counts.first_het += all(3);
  counts.second_het += all(4);
}

GenotypeCounts genotypes_of_rows(const RowView& first, const RowView& second) {
  GenotypeCounts counts;
  std::size_t word = 0;
  add_genotypes(hn::ScalableTag<Word>(), first, second, word, counts);
  add_genotypes(hn::CappedTag<Word, 1>(), first, second, word, counts);
  return counts;
}

/// The words of one site's planes, which lie kLanes apart. \param sites  by alleles
class SiteWords {
 public:
  SiteWords(const BlocksView& sites, std::uint64_t site) {
    const BlocksView block = sites.block(site / kLanes);
    minor_ = block.bits + site % kLanes;
    major_ = block.second + site % kLanes;
  }

  Word minor(std::size_t word) const { return minor_[word * kLanes]; }
  Word major(std::size_t word) const { return major_[word * kLanes]; }
  Word called(std::size_t word) const { return minor(word) | major(word); }

 private:
  const Word *minor_, *major_;
};

LdCounts two_sites(LdUnit unit, const BlocksView& sites, std::uint64_t first, std::uint64_t second) {
  LdCounts counts;
  const SiteWords a(sites, first), b(sites, second);
  for (std::size_t word = 0; word < sites.shape.n_words(); ++word) {
    const Word both = a.called(word) & b.called(word);
    const Word x = a.minor(word) & both, y = b.minor(word) & both;
    counts.called += count_bits(both);
    if (unit == LdUnit::kHaplotypes) {
      counts.x += count_bits(x);
      counts.y += count_bits(y);
      counts.xy += count_bits(x & y);
    } else {
      const Word x2 = ~a.major(word) & both, y2 = ~b.major(word) & both;
      counts.x += count_bits(x) + count_bits(x2);
      counts.y += count_bits(y) + count_bits(y2);
      counts.xx += count_bits(x) + 3 * count_bits(x2);
      counts.yy += count_bits(y) + 3 * count_bits(y2);
      counts.xy += count_bits(x & y) + count_bits(x & y2) + count_bits(x2 & y) + count_bits(x2 & y2);
    }
  }
  if (unit == LdUnit::kHaplotypes) {
    counts.xx = counts.x;
    counts.yy = counts.y;
  }
  return counts;
}

GenotypeCells cells_of_sites(const BlocksView& sites, std::uint64_t first, std::uint64_t second,
                             std::span<const Word> people) {
  GenotypeCells cells{};
  const SiteWords a(sites, first), b(sites, second);
  const auto genotypes = [](const SiteWords& of, std::size_t word) {
    const Word minor = of.minor(word), major = of.major(word);
    return std::array{major & ~minor, minor & major, minor & ~major};
  };
  for (std::size_t word = 0; word < sites.shape.n_words(); ++word) {
    const Word among = people.empty() ? ~Word{0} : people[word];
    const std::array<Word, 3> of_first = genotypes(a, word), of_second = genotypes(b, word);
#pragma GCC unroll 3
    for (std::size_t i = 0; i < 3; ++i)
#pragma GCC unroll 3
      for (std::size_t j = 0; j < 3; ++j) cells[i][j] += count_bits(of_first[i] & of_second[j] & among);
  }
  return cells;
}

void cells_of_block(const BlocksView& sites, std::uint64_t site, std::uint64_t block,
                    std::span<GenotypeCells, kLanes> cells) {
  const hn::CappedTag<Word, kLanes> d;
  using V = hn::Vec<decltype(d)>;
  const SiteWords own(sites, site);
  const BlocksView of = sites.block(block);
  for (std::size_t lane = 0; lane < kLanes; lane += hn::MaxLanes(d)) {
    V sums[3][3];
    for (auto& row : sums)
      for (V& sum : row) sum = hn::Zero(d);
    for (std::size_t word = 0; word < sites.shape.n_words(); ++word) {
      const V minor = hn::LoadU(d, of.bits + word * kLanes + lane),
              major = hn::LoadU(d, of.second + word * kLanes + lane), own_minor = hn::Set(d, own.minor(word)),
              own_major = hn::Set(d, own.major(word));
      const V asked[] = {hn::AndNot(own_minor, own_major), hn::And(own_minor, own_major),
                         hn::AndNot(own_major, own_minor)};
      const V stored[] = {hn::AndNot(minor, major), hn::And(minor, major), hn::AndNot(major, minor)};
      FASTID_UNROLL
      for (std::size_t i = 0; i < 3; ++i) FASTID_UNROLL
      for (std::size_t j = 0; j < 3; ++j)
        sums[i][j] = hn::Add(sums[i][j], hn::PopulationCount(hn::And(asked[i], stored[j])));
    }
    std::array<Word, kLanes> of_lanes{};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j) {
        hn::StoreU(sums[i][j], d, of_lanes.data());
        for (std::size_t k = 0; k < hn::MaxLanes(d); ++k) cells[lane + k][i][j] = of_lanes[k];
      }
  }
}

}  // namespace
}  // namespace fastid::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fastid::engine {

HWY_EXPORT(one_pair);
HWY_EXPORT(block_of_pairs);
HWY_EXPORT(block_of_genotypes);
HWY_EXPORT(genotypes_of_rows);
HWY_EXPORT(two_sites);
HWY_EXPORT(cells_of_sites);
HWY_EXPORT(cells_of_block);

PairCounts count_pair(Comparison comparison, Encoding by, const RowView& query, const BlocksView& blocks,
                      std::uint64_t profile) {
  return HWY_DYNAMIC_DISPATCH(one_pair)(comparison, by, query, blocks, profile);
}

Word count_block(Comparison comparison, Encoding by, const RowView& query, const BlocksView& block,
                 std::span<PairCounts, kLanes> counts, Word wanted) {
  return HWY_DYNAMIC_DISPATCH(block_of_pairs)(comparison, by, query, block, wanted, counts);
}

void count_genotypes(const RowView& query, const BlocksView& block,
                     std::span<GenotypeCounts, kLanes> counts) {
  HWY_DYNAMIC_DISPATCH(block_of_genotypes)(query, block, counts);
}

GenotypeCounts count_genotypes(const RowView& first, const RowView& second) {
  return HWY_DYNAMIC_DISPATCH(genotypes_of_rows)(first, second);
}

LdCounts count_sites(LdUnit unit, const BlocksView& sites, std::uint64_t first, std::uint64_t second) {
  return HWY_DYNAMIC_DISPATCH(two_sites)(unit, sites, first, second);
}

GenotypeCells count_cells(const BlocksView& sites, std::uint64_t first, std::uint64_t second,
                          std::span<const Word> people) {
  return HWY_DYNAMIC_DISPATCH(cells_of_sites)(sites, first, second, people);
}

void count_cells(const BlocksView& sites, std::uint64_t site, std::uint64_t block,
                 std::span<GenotypeCells, kLanes> cells) {
  HWY_DYNAMIC_DISPATCH(cells_of_block)(sites, site, block, cells);
}

}  // namespace fastid::engine
#endif
