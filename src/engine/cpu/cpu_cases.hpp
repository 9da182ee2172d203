/// \file
/// The CPU engine's cases in Google Highway: what each does with a vector of a stored profile's words and
/// a query's word. Like base/cpu_target.hpp, which comes before it, it has no include guard, since it is
/// read once for each instruction set.
#include "engine/cpu/cpu_kernel.hpp"

HWY_BEFORE_NAMESPACE();
namespace fastid::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<std::uint32_t, 16>;
using FloatTag = hn::RebindToFloat<Tag>;
using SignedTag = hn::RebindToSigned<Tag>;
using Vec = hn::VFromD<Tag>;
using ElementMask = decltype(hn::FirstN(Tag(), 0));
using FloatVec = hn::VFromD<FloatTag>;
constexpr Tag kTag;
constexpr FloatTag kFloatTag;
constexpr std::size_t kWidth = hn::MaxLanes(Tag());

// Vectors of a word row that are counted together. With 32 registers (AVX-512) these are the whole row of 32
// profiles; with 16 registers one vector, so that the counts of 8 queries fit.
constexpr std::size_t kVectors = FASTID_VECTOR_REGISTERS / 16;

// A query's word in every element of a vector. On AVX-512 it is loaded anew each time: an instruction with
// three inputs overwrites one of them, and a load costs less than the move that would preserve it.
HWY_INLINE Vec broadcast(const Word* word) {
#if FASTID_AVX512
  Vec v;
  asm volatile("vpbroadcastd %1, %0" : "=v"(v.raw) : "m"(*word));
  return v;
#else
  return hn::Set(kTag, *word);
#endif
}

// c ^ (a & b) and c & (a ^ b): each is one instruction where the CPU has one for any logic of three inputs.
HWY_INLINE Vec xor_of_and(Vec c, Vec a, Vec b) {
#if FASTID_AVX512
  asm("vpternlogd $0x78, %2, %1, %0" : "+v"(c.raw) : "v"(a.raw), "v"(b.raw));
  return c;
#else
  return hn::Xor(hn::And(a, b), c);
#endif
}
HWY_INLINE Vec and_of_xor(Vec c, Vec a, Vec b) {
#if FASTID_AVX512
  asm("vpternlogd $0x60, %2, %1, %0" : "+v"(c.raw) : "v"(a.raw), "v"(b.raw));
  return c;
#else
  return hn::And(hn::Xor(a, b), c);
#endif
}

// The cases. q, m: the query's words, broadcast.
struct Row {
  Vec bits, called;  // of a word of stored profiles; the bits as load_row() prepares them
};
template <KernelCase kWhich>
struct CaseTraits {
  static constexpr KernelCase kCase = kWhich;
  static constexpr bool kByProfile = bounded_by_profile(kWhich);
  static constexpr bool kReadsSecond = reads_second(kWhich);
  static constexpr bool kOfAlleles = false;  ///< the second plane is where a major allele was seen
};
template <class Case>
struct AlleleTraits : Case {
  static constexpr bool kOfAlleles = true;
};
struct Differ : CaseTraits<KernelCase::kDiffer> {
  static HWY_INLINE Vec count(const Row& row, Vec q, Vec) { return hn::Xor(row.bits, q); }
};
struct DifferQueryMask : CaseTraits<KernelCase::kDifferQueryMask> {
  static HWY_INLINE Vec count(const Row& row, Vec q, Vec m) { return xor_of_and(q, row.bits, m); }
};
struct DifferStoredMask : CaseTraits<KernelCase::kDifferStoredMask> {
  static HWY_INLINE Vec count(const Row& row, Vec q, Vec) {
    return hn::Xor(hn::And(q, row.called), row.bits);
  }
};
struct DifferBothMasks : CaseTraits<KernelCase::kDifferBothMasks> {
  static HWY_INLINE Vec count(const Row& row, Vec q, Vec m) {
    return and_of_xor(hn::And(m, row.called), row.bits, q);
  }
};
struct Inside : CaseTraits<KernelCase::kInside> {
  static HWY_INLINE Vec count(const Row& row, Vec q, Vec) { return hn::And(row.bits, q); }
};
struct Shared : Inside {
  static constexpr bool kByProfile = false;
};
struct SharedCalled : AlleleTraits<Shared> {
  static constexpr bool kReadsSecond = true;
  static HWY_INLINE Vec count(const Row& row, Vec q, Vec) { return hn::And(row.called, q); }
};
// The cases of the table, by their terms.
template <KernelCase kWhich>
struct ByTerms : AlleleTraits<CaseTraits<kWhich>> {
  static constexpr Terms kTerms = terms_in_few_words(kWhich);
  static constexpr PlaneList kQuery = planes_of(kWhich, true), kStored = planes_of(kWhich, false);

  struct Planes {
    Vec plane[kStored.n];
  };
};
struct Missing : CaseTraits<KernelCase::kMissing> {
  static HWY_INLINE Vec count(const Row& row, Vec q, Vec) { return hn::AndNot(row.bits, q); }
};
struct MissingMasked : CaseTraits<KernelCase::kMissingMasked> {
  static HWY_INLINE Vec count(const Row& row, Vec q, Vec) { return hn::And(row.bits, q); }
};

// Adds to each sum the number of bits set in its word, times 2 to the power of kShift. The asm keeps the sum
// in its register: GCC 12 would add into another one and move it back.
template <int kShift = 0>
HWY_INLINE void add_bits(Vec& sum, Vec word) {
  Vec bits = hn::PopulationCount(word);
  if constexpr (kShift > 0) bits = hn::ShiftLeft<kShift>(bits);
#if FASTID_AVX512
  asm("vpaddd %1, %0, %0" : "+v"(sum.raw) : "v"(bits.raw));
#else
  sum = hn::Add(sum, bits);
#endif
}

// Of whole numbers from -2^31 to 2^31.
HWY_INLINE FloatVec float_of(Vec v) {
  return hn::ConvertTo(kFloatTag, hn::BitCast(SignedTag(), v));
}

// Bit i is element i of the mask.
HWY_INLINE std::uint32_t bits_of(ElementMask mask) {
  std::uint8_t bytes[8] = {};
  hn::StoreMaskBits(kTag, mask, bytes);
  return bytes[0] | std::uint32_t{bytes[1]} << 8;
}

template <class Case>
HWY_INLINE Row load_row(const Word* bits, const Word* second) {
  Row row{hn::Load(kTag, bits), hn::Zero(kTag)};
  if constexpr (Case::kReadsSecond) {
    row.called = hn::Load(kTag, second);
    if constexpr (Case::kOfAlleles) row.called = hn::Or(row.called, row.bits);
    FASTID_IN_REGISTER(row.called);
    if constexpr (Case::kCase == KernelCase::kMissingMasked) row.bits = hn::Xor(row.bits, row.called);
  }
  FASTID_IN_REGISTER(row.bits);
  return row;
}

HWY_INLINE Vec plane_of(Plane plane, Vec minor, Vec major) {
  switch (plane) {
    case Plane::kMinor:
      return minor;
    case Plane::kNoMinor:
      return hn::AndNot(minor, major);
    case Plane::kMajor:
      return major;
    case Plane::kNoMajor:
      return hn::AndNot(major, minor);
    case Plane::kBoth:
      return hn::And(minor, major);
    case Plane::kHomozygous:
      return hn::Xor(minor, major);
    case Plane::kCalled:
      break;
  }
  return hn::Or(minor, major);
}

template <class Case, std::size_t I = 0>
HWY_INLINE void load_planes(const Word* minor, const Word* major, typename Case::Planes& planes) {
  if constexpr (I < Case::kStored.n) {
    planes.plane[I] = plane_of(Case::kStored.planes[I], hn::Load(kTag, minor), hn::Load(kTag, major));
    FASTID_IN_REGISTER(planes.plane[I]);
    load_planes<Case, I + 1>(minor, major, planes);
  }
}

// Adds what the first kN of kTerms count, from term I on. `query` holds a word for each plane of kQuery.
template <class Case, auto kTerms, std::size_t kN, std::size_t I = 0>
HWY_INLINE void add_terms(Vec& sum, const typename Case::Planes& stored, const Vec* query) {
  if constexpr (I < kN) {
    constexpr Term kTerm = kTerms[I];
    constexpr Product kFirst = kTerm.products[0], kSecond = kTerm.products[1];
    Vec sites = hn::And(query[Case::kQuery.place_of(kFirst.query)],
                        stored.plane[Case::kStored.place_of(kFirst.stored)]);
    if constexpr (kTerm.n_products == 2)
      sites = hn::OrAnd(sites, query[Case::kQuery.place_of(kSecond.query)],
                        stored.plane[Case::kStored.place_of(kSecond.stored)]);
    static_assert(kTerm.weight == 1 || kTerm.weight == 2 || kTerm.weight == 4);
    add_bits<kTerm.weight / 2>(sum, sites);
    add_terms<Case, kTerms, kN, I + 1>(sum, stored, query);
  }
}

}  // namespace fastid::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
