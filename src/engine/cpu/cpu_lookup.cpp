// The kernels of cpu_lookup.hpp in Google Highway: this file is compiled once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/cpu_lookup.cpp"
#include "engine/cpu/cpu_lookup.hpp"

#include <bit>

#include "base/cpu_target.hpp"

HWY_BEFORE_NAMESPACE();
namespace fastid::engine::HWY_NAMESPACE {

#if HWY_TARGET == HWY_SCALAR || (HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL)
// It has no instruction for lookups, or one that counts the bits of a vector, which is as fast.
const LookupKernels* lookup_kernels(std::size_t) {
  return nullptr;
}
#else

namespace hn = hwy::HWY_NAMESPACE;

using ByteTag = hn::CappedTag<std::uint8_t, 64>;
using HalfTag = hn::Repartition<std::uint16_t, ByteTag>;
using WordTag = hn::Repartition<std::uint32_t, ByteTag>;
using Bytes = hn::VFromD<ByteTag>;
using Halves = hn::VFromD<HalfTag>;
using Words = hn::VFromD<WordTag>;
constexpr ByteTag kBytes;
constexpr HalfTag kHalves;
constexpr WordTag kWords;

constexpr std::size_t kV = hn::MaxLanes(ByteTag());      // profiles of a vector
constexpr std::size_t kP = FASTID_VECTOR_REGISTERS / 8;  // vectors, and
constexpr std::size_t kQ =
    FASTID_VECTOR_REGISTERS / 16;        // pairs of queries counted together: what registers hold
constexpr std::size_t kStored = kV / 2;  // sums of a vector
static_assert(kP * kV <= kMaxLookupProfiles && 2 * kQ <= kMaxSet);

// ---- The index ----
//
// Byte 4i + k of a vector belongs to profile k * kV/4 + i of the vector's kV profiles. Four loads, each of a
// word of kV/4 profiles, are rearranged by shifts and masks into four vectors, each of which holds one byte
// of the word for all kV profiles.

HWY_INLINE Words select(Words mask, Words yes, Words no) {
#if FASTID_AVX512
  asm("vpternlogd $0xca, %2, %1, %0" : "+v"(mask.raw) : "v"(yes.raw), "v"(no.raw));
  return mask;
#else
  return hn::Or(hn::And(mask, yes), hn::AndNot(mask, no));
#endif
}

struct FourBytes {
  Words byte[4];
};

// byte[j]: byte j of a word of each profile.
HWY_INLINE FourBytes turn(const Words (&w)[4]) {
  const Words even_bytes = hn::Set(kWords, 0x00ff00ffU), low_half = hn::Set(kWords, 0x0000ffffU);
  const Words a = select(even_bytes, w[0], hn::ShiftLeft<8>(w[1]));   // bytes 0 of 0, 0 of 1, 2 of 0, 2 of 1
  const Words b = select(even_bytes, hn::ShiftRight<8>(w[0]), w[1]);  // bytes 1, 1, 3, 3
  const Words c = select(even_bytes, w[2], hn::ShiftLeft<8>(w[3]));
  const Words d = select(even_bytes, hn::ShiftRight<8>(w[2]), w[3]);
  return {{select(low_half, a, hn::ShiftLeft<16>(c)), select(low_half, b, hn::ShiftLeft<16>(d)),
           select(low_half, hn::ShiftRight<16>(a), c), select(low_half, hn::ShiftRight<16>(b), d)}};
}

// index_word() of a vector.
template <IndexPlane kPlane>
HWY_INLINE Words load_index(const Word* bits, const Word* second) {
  const Words first_pairs = hn::Set(kWords, CodedWord::kFirstPairs), word = hn::Load(kWords, bits);
  if constexpr (kPlane == IndexPlane::kBits) return word;
  const Words other = hn::Load(kWords, second);
  if constexpr (kPlane == IndexPlane::kOthers) return hn::AndNot(word, other);
  if constexpr (kPlane == IndexPlane::kFirstPairs) return select(first_pairs, other, hn::ShiftLeft<2>(word));
  return select(first_pairs, hn::ShiftRight<2>(other), word);
}

// One word of the profiles of vector `p`.
template <IndexPlane kPlane>
HWY_INLINE FourBytes load_turned(const Word* bits, const Word* second, std::size_t block_words,
                                 std::size_t p) {
  Words w[4];
  FASTID_UNROLL for (std::size_t k = 0; k < 4; ++k) {
    const std::size_t profile = p * kV + k * (kV / 4);
    const std::size_t at = profile / kLanes * block_words + profile % kLanes;
    w[k] = load_index<kPlane>(bits + at, second + (kPlane == IndexPlane::kBits ? 0 : at));
  }
  return turn(w);
}

HWY_INLINE void store_index(Words index, std::uint8_t* to) {
  hn::Store(hn::BitCast(kBytes, index), kBytes, to);
}

// The two halves of each byte.
HWY_INLINE void pack_word(const FourBytes& word, std::uint8_t* index, std::size_t stride) {
  const Words low = hn::Set(kWords, 0x0f0f0f0fU);
  FASTID_UNROLL for (std::size_t j = 0; j < 4; ++j) {
    store_index(hn::And(word.byte[j], low), index + j * 2 * stride);
    store_index(hn::And(hn::ShiftRight<4>(word.byte[j]), low), index + (j * 2 + 1) * stride);
  }
}

template <IndexPlane kPlane>
void pack_plane(const Word* bits, const Word* second, std::size_t block_words, std::size_t n,
                std::uint8_t* index, std::size_t stride) {
  for (std::size_t w = 0; w < n; ++w, bits += kLanes, second += kPlane == IndexPlane::kBits ? 0 : kLanes)
    FASTID_UNROLL for (std::size_t p = 0; p < kP; ++p) pack_word(
        load_turned<kPlane>(bits, second, block_words, p), index + w * kWordGroups * stride + p * kV, stride);
}

void pack(IndexPlane plane, const Word* bits, const Word* second, std::size_t block_words, std::size_t n,
          std::uint8_t* index, std::size_t stride) {
  switch (plane) {
    case IndexPlane::kBits:
      return pack_plane<IndexPlane::kBits>(bits, second, block_words, n, index, stride);
    case IndexPlane::kOthers:
      return pack_plane<IndexPlane::kOthers>(bits, second, block_words, n, index, stride);
    case IndexPlane::kFirstPairs:
      return pack_plane<IndexPlane::kFirstPairs>(bits, second, block_words, n, index, stride);
    case IndexPlane::kLastPairs:
      return pack_plane<IndexPlane::kLastPairs>(bits, second, block_words, n, index, stride);
  }
}

// ---- Counting ----

HWY_INLINE Bytes load_table(const std::uint8_t* table) {
  return hn::LoadDup128(kBytes, table);
}

// Sums of bytes over steps, modulo 256. l and h are the sums of low and high nibbles; 0 and 1 stand for an
// even byte and the odd byte after it:
//
//              even byte      odd byte
//   whole      l0 + 16 h0     l1 + 16 h1     of the bytes as they are
//   shifted    h0 + 16 l1     h1             of 16-bit halves shifted right by 4 bits, without a mask
struct Gathered {
  Bytes whole[kP][kQ], shifted[kP][kQ];
};

// Looks up a step's groups, and adds them.
template <std::size_t kStep>
HWY_INLINE void add_lookups(const Bytes (&table)[kStep], const Bytes (&index)[kStep], Bytes& whole,
                            Bytes& shifted) {
  Bytes sum = hn::TableLookupBytes(table[0], index[0]);
  FASTID_UNROLL for (std::size_t j = 1; j < kStep; ++j) sum =
      hn::Add(sum, hn::TableLookupBytes(table[j], index[j]));
  whole = hn::Add(whole, sum);
  shifted = hn::Add(shifted, hn::BitCast(kBytes, hn::ShiftRight<4>(hn::BitCast(kHalves, sum))));
}

// Adds one step and advances to the next.
template <std::size_t kStep>
HWY_INLINE void add_step(const std::uint8_t*& index, const std::uint8_t*& tables, Gathered& sums) {
  Bytes table[kQ][kStep];
  FASTID_UNROLL for (std::size_t q = 0; q < kQ; ++q) FASTID_UNROLL for (std::size_t j = 0; j < kStep; ++j) {
    table[q][j] = load_table(tables + (j * kQ + q) * kTableBytes);
    FASTID_IN_REGISTER(table[q][j]);
  }
  FASTID_UNROLL for (std::size_t p = 0; p < kP; ++p) {
    Bytes at[kStep];
    FASTID_UNROLL for (std::size_t j = 0; j < kStep; ++j) {
      at[j] = hn::Load(kBytes, index + (j * kP + p) * kV);
      FASTID_IN_REGISTER(at[j]);
    }
    FASTID_UNROLL for (std::size_t q = 0; q < kQ; ++q)
        add_lookups(table[q], at, sums.whole[p][q], sums.shifted[p][q]);
  }
  index += kStep * kP * kV;
  tables += kStep * kQ * kTableBytes;
}

// Computes h1, l1, h0, l0 of Gathered in this order, each from those before it.
HWY_INLINE void take_apart(Bytes whole_bytes, Bytes shifted_bytes, Halves (&sums)[4]) {
  const Halves byte = hn::Set(kHalves, std::uint16_t{0xff});
  const Halves whole = hn::BitCast(kHalves, whole_bytes), shifted = hn::BitCast(kHalves, shifted_bytes);
  sums[3] = hn::ShiftRight<8>(shifted);
  sums[1] = hn::And(byte, hn::Sub(hn::ShiftRight<8>(whole), hn::ShiftLeft<4>(sums[3])));
  sums[2] = hn::And(byte, hn::Sub(shifted, hn::ShiftLeft<4>(sums[1])));
  sums[0] = hn::And(byte, hn::Sub(whole, hn::ShiftLeft<4>(sums[2])));
}

// ---- The test ----

// The profile of element `element` of the sums of even (0) or odd (1) bytes of vector `p`.
constexpr std::size_t profile_of(std::size_t p, std::size_t odd, std::size_t element) {
  const std::size_t byte = element * 2 + odd;
  return p * kV + byte % 4 * (kV / 4) + byte / 4;
}

// Even bytes belong to the words w[0] and w[2] of turn(), odd bytes to w[1] and w[3].
void arrange_denominators(const std::uint32_t* denominators, std::uint32_t scale, std::uint16_t* arranged) {
  const auto scaled = [&](const std::uint32_t* from) HWY_ATTR {
    return hn::Mul(hn::Max(hn::Load(kWords, from), hn::Set(kWords, 1)), hn::Set(kWords, scale));
  };
  for (std::size_t p = 0; p < kP; ++p)
    for (std::size_t odd = 0; odd < 2; ++odd) {
      const std::uint32_t* const from = denominators + p * kV + odd * (kV / 4);
      const Words both = hn::Or(scaled(from), hn::ShiftLeft<16>(scaled(from + kV / 2)));
      hn::Store(hn::BitCast(kHalves, both), kHalves, arranged + (p * 2 + odd) * kStored);
    }
}

HWY_INLINE Halves limit_of(const SetLimits& limits, std::size_t query, const std::uint16_t* denominators) {
  const Halves limit = hn::Set(kHalves, limits.limit[query]);
  if (denominators == nullptr) return limit;
  const Halves part = hn::MulHigh(hn::Set(kHalves, limits.fraction[query]), hn::Load(kHalves, denominators));
  const Halves with_offset = hn::SaturatedSub(hn::SaturatedAdd(part, hn::Set(kHalves, limits.more[query])),
                                              hn::Set(kHalves, limits.less[query]));
  return hn::Min(limit, with_offset);
}

// Bit i of the result: the pair of element i may pass.
HWY_INLINE std::uint32_t elements_left(Halves left) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(kHalves, hn::Ne(left, hn::Zero(kHalves)), bytes);
  return bytes[0] | std::uint32_t{bytes[1]} << 8 | std::uint32_t{bytes[2]} << 16 |
         std::uint32_t{bytes[3]} << 24;
}

// The limits minus the sums of even (0) or odd (1) bytes, at least 0: not 0 where a pair may pass.
HWY_INLINE Halves left_of(const SetLimits& limits, std::size_t query, const std::uint16_t* denominators,
                          std::size_t p, std::size_t odd, Halves sum) {
  const std::uint16_t* const denominator =
      denominators == nullptr ? nullptr : denominators + (p * 2 + odd) * kStored;
  return hn::SaturatedSub(limit_of(limits, query, denominator), sum);
}

std::size_t list(const std::uint16_t* sums, const LookupTest& test, PairPlace* hits) {
  std::size_t n = 0;
  for (std::size_t p = 0; p < kP; ++p)
    for (std::size_t query = 0; query < 2 * kQ; ++query)
      for (std::size_t odd = 0; odd < 2; ++odd, sums += kStored) {
        std::uint32_t elements =
            elements_left(left_of(*test.limits, query, test.denominators, p, odd, hn::Load(kHalves, sums)));
        for (; elements != 0; elements &= elements - 1) {
          const auto element = static_cast<std::size_t>(std::countr_zero(elements));
          hits[n++] = {static_cast<std::uint32_t>(profile_of(p, odd, element)),
                       static_cast<std::uint32_t>(query)};
        }
      }
  return n;
}

// ---- A span of steps ----

// Adds up and stores the sums. Returns what is left of the limits: not all 0 if a pair may pass.
template <bool kTest>
HWY_INLINE Halves finish(const Gathered& gathered, bool begin, const SetLimits& limits,
                         const std::uint16_t* denominators, std::uint16_t* sums) {
  Halves left = hn::Zero(kHalves);
  FASTID_UNROLL for (std::size_t p = 0; p < kP; ++p) FASTID_UNROLL for (std::size_t q = 0; q < kQ; ++q) {
    Halves four[4];
    take_apart(gathered.whole[p][q], gathered.shifted[p][q], four);
    std::uint16_t* const to = sums + (p * kQ + q) * 4 * kStored;
    FASTID_UNROLL for (std::size_t i = 0; i < 4; ++i) {
      if (!begin) four[i] = hn::Add(four[i], hn::Load(kHalves, to + i * kStored));
      hn::Store(four[i], kHalves, to + i * kStored);
      if (kTest) left = hn::Or(left, left_of(limits, q * 2 + i / 2, denominators, p, i % 2, four[i]));
    }
  }
  return left;
}

HWY_INLINE void fetch_lines(const LookupFetch& fetch) {
  for (std::size_t i = 0; i < fetch.lines; ++i) {
    __builtin_prefetch(fetch.bits + i * kLineWords, 0, 2);
    if (fetch.second != nullptr) __builtin_prefetch(fetch.second + i * kLineWords, 0, 2);
  }
}

template <std::size_t kStep>
bool add(const std::uint8_t* index, const std::uint8_t* tables, std::size_t steps, bool begin,
         const LookupTest& test, std::uint16_t* sums, const LookupFetch& to_fetch) {
  Gathered gathered;
  FASTID_UNROLL for (std::size_t p = 0; p < kP; ++p) FASTID_UNROLL for (std::size_t q = 0; q < kQ; ++q)
      gathered.whole[p][q] = gathered.shifted[p][q] = hn::Zero(kBytes);
  const std::size_t lines_a_step = 1 + to_fetch.lines / 16;
  // The parameter is a reference that is copied here. Passed by value, it would be written in pieces and read
  // as a whole, and that read would wait until the last sums are stored.
  for (LookupFetch fetch = to_fetch; fetch.lines > 0 && steps > 0; --steps) {
    fetch_lines(fetch.take(lines_a_step));
    add_step<kStep>(index, tables, gathered);
  }
  for (; steps > 0; --steps) add_step<kStep>(index, tables, gathered);
  if (test.limits == nullptr) {
    finish<false>(gathered, begin, {}, nullptr, sums);
    return true;
  }
  const Halves left = test.denominators == nullptr
                          ? finish<true>(gathered, begin, *test.limits, nullptr, sums)
                          : finish<true>(gathered, begin, *test.limits, test.denominators, sums);
  return !hn::AllTrue(kHalves, hn::Eq(left, hn::Zero(kHalves)));
}

template <std::size_t kStep>
constexpr LookupKernels kKernels = {{kStep, kV, kP, kQ}, &pack, &add<kStep>, &arrange_denominators, &list};

const LookupKernels* lookup_kernels(std::size_t step) {
  return step == 4 ? &kKernels<4> : &kKernels<2>;
}

#endif

}  // namespace fastid::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
