// Google Highway compiles this once for each instruction set: a processor that counts the bits of vectors
// does it so.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/haplotype_lanes.cpp"
#include "engine/haplotype_lanes.hpp"

#include "base/cpu_target.hpp"

HWY_BEFORE_NAMESPACE();
namespace fastid::engine::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

HaplotypeLanes count_lanes(std::span<const HaplotypeWord32> query, const Word* bits, const Word* second,
                           bool alleles) {
  const hn::CappedTag<Word, kLanes> d;
  HaplotypeLanes lanes;
  const auto hidden = hn::Set(d, alleles ? ~Word{0} : 0);
  for (std::size_t lane = 0; lane < kLanes; lane += hn::Lanes(d)) {
    auto differing = hn::Zero(d), compared = hn::Zero(d);
    for (const auto& [word, asked_minor, asked_major] : query) {
      const std::size_t at = word * kLanes + lane;
      const auto one = hn::LoadU(d, bits + at), other = hn::LoadU(d, second + at);
      const auto minor = hn::AndNot(hn::And(other, hidden), one), major = hn::AndNot(one, other);
      const auto asked = hn::Set(d, asked_minor | asked_major);
      compared = hn::Add(compared, hn::PopulationCount(hn::And(hn::Or(minor, major), asked)));
      const auto unlike = hn::Or(hn::And(minor, hn::Set(d, asked_major & ~asked_minor)),
                                 hn::And(major, hn::Set(d, asked_minor & ~asked_major)));
      differing = hn::Add(differing, hn::PopulationCount(unlike));
    }
    hn::StoreU(differing, d, lanes.differing.data() + lane);
    hn::StoreU(compared, d, lanes.compared.data() + lane);
  }
  return lanes;
}

}  // namespace
}  // namespace fastid::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fastid::engine {

HWY_EXPORT(count_lanes);

HaplotypeLanes count_haplotype_lanes(std::span<const HaplotypeWord32> query, const Word* bits,
                                     const Word* second, bool alleles) {
  return HWY_DYNAMIC_DISPATCH(count_lanes)(query, bits, second, alleles);
}

}  // namespace fastid::engine
#endif
