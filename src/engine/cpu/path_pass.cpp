// Google Highway compiles this once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/path_pass.cpp"
#include "engine/cpu/path_pass.hpp"

#include <algorithm>
#include <array>

#include "base/cpu_target.hpp"

HWY_BEFORE_NAMESPACE();
namespace fastid::engine::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

using PathBytes = hn::CappedTag<std::uint8_t, kPathLanes>;
using PathInts = hn::RebindToSigned<PathBytes>;
constexpr std::size_t kPathStep = hn::MaxLanes(PathBytes());
constexpr std::size_t kPathVectors = 4;  // as many as hide the time that an operation takes

/// A byte in every lane. \param four  that byte four times, which x86 loads into a vector at once
HWY_INLINE hn::Vec<PathInts> bytes_of(std::uint32_t four) {
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(PathInts(), static_cast<std::int8_t>(four & 255));
#else
  const hn::RepartitionToWide<hn::RepartitionToWide<PathBytes>> words;
  return hn::BitCast(PathInts(), hn::Set(words, four));
#endif
}

/// Of each lane the score of its code.
HWY_INLINE hn::Vec<PathInts> score_of(const PathScores& scores, hn::Vec<PathBytes> codes) {
  const PathInts ints;
#if HWY_TARGET == HWY_SCALAR
  return hn::Set(ints, scores[hn::GetLane(codes)]);
#else
  return hn::TableLookupBytes(hn::LoadDup128(ints, scores.data()), hn::BitCast(ints, codes));
#endif
}

/// Several vectors of profiles on their way along the sites.
class Paths {
 public:
  std::array<const std::uint8_t*, kPathVectors> packed{};  ///< each vector's profiles

  HWY_INLINE void pass(const PathTable& table, std::span<const PathScores> query) {
    const PathBytes bytes;
    for (std::size_t v = 0; v < kPathVectors; ++v) {
      ratio_[v] = hn::Zero(PathInts());
      score_[v] = hn::Zero(bytes);
    }
    const auto low = hn::Set(bytes, std::uint8_t{15});
    for (std::size_t at = 0; at < query.size(); at += kUnitScores) {
      const PathTable::Bounds* const bounds = table.bounds.data() + at / kStepScores;
      hn::Vec<PathBytes> first[kPathVectors], second[kPathVectors], codes[kPathVectors];
      FASTID_UNROLL
      for (std::size_t v = 0; v < kPathVectors; ++v) {
        first[v] = hn::LoadU(bytes, packed[v]);
        second[v] = hn::LoadU(bytes, packed[v] + kPathLanes);
        packed[v] += 2 * kPathLanes;
        codes[v] = hn::And(first[v], low);
      }
      move(bounds[0]);
      add(query[at], codes);
      FASTID_UNROLL
      for (std::size_t v = 0; v < kPathVectors; ++v) codes[v] = hn::And(second[v], low);
      add(query[at + 1], codes);
      FASTID_UNROLL
      for (std::size_t v = 0; v < kPathVectors; ++v) codes[v] = hn::ShiftRight<4>(first[v]);
      move(bounds[1]);
      add(query[at + 2], codes);
      FASTID_UNROLL
      for (std::size_t v = 0; v < kPathVectors; ++v) codes[v] = hn::ShiftRight<4>(second[v]);
      add(query[at + 3], codes);
    }
  }

  /// The scores of a vector's profiles.
  HWY_INLINE void end(std::size_t v, std::uint8_t* scores) const {
    const PathBytes bytes;
    const auto last = hn::BitCast(bytes, hn::Max(ratio_[v], hn::Zero(PathInts())));
    hn::StoreU(hn::SaturatedAdd(score_[v], last), bytes, scores);
  }

 private:
  HWY_INLINE void move(const PathTable::Bounds& bounds) {
    const auto least = bytes_of(bounds.least), most = bytes_of(bounds.most);
    FASTID_UNROLL
    for (std::size_t v = 0; v < kPathVectors; ++v) {
      const auto at_most = hn::Min(ratio_[v], most);
      score_[v] = hn::SaturatedAdd(score_[v], hn::BitCast(PathBytes(), hn::Sub(ratio_[v], at_most)));
      ratio_[v] = hn::Max(at_most, least);
    }
  }

  HWY_INLINE void add(const PathScores& of_query, const hn::Vec<PathBytes>* codes) {
    FASTID_UNROLL
    for (std::size_t v = 0; v < kPathVectors; ++v)
      ratio_[v] = hn::SaturatedAdd(ratio_[v], score_of(of_query, codes[v]));
  }

  hn::Vec<PathInts> ratio_[kPathVectors];
  hn::Vec<PathBytes> score_[kPathVectors];
};

void pass_all_paths(const PathTable& table, std::span<const PathScores> query, const std::uint8_t* packed,
                    std::size_t groups, std::uint8_t* scores) {
  const std::size_t vectors = groups * (kPathLanes / kPathStep),
                    group_bytes = packed_path_bytes(query.size() / kUnitScores);
  for (std::size_t first = 0; first < vectors; first += kPathVectors) {
    Paths paths;
    for (std::size_t v = 0; v < kPathVectors; ++v) {  // the last ones may be the same again
      const std::size_t place = std::min(first + v, vectors - 1) * kPathStep;
      paths.packed[v] = packed + place / kPathLanes * group_bytes + place % kPathLanes;
    }
    paths.pass(table, query);
    for (std::size_t v = 0; v < std::min(kPathVectors, vectors - first); ++v)
      paths.end(v, scores + (first + v) * kPathStep);
  }
}

}  // namespace
}  // namespace fastid::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace fastid::engine {
namespace {

HWY_EXPORT(pass_all_paths);

}  // namespace

void pack_paths(std::span<const PathUnit> units, const BlocksView& view, std::uint8_t* packed) {
  constexpr std::size_t kBlocks = kPathLanes / kLanes;
  const std::size_t block_words = view.shape.block_words(), group_bytes = packed_path_bytes(units.size());
  for (std::size_t block = 0; block < view.shape.n_blocks(); ++block) {
    std::uint8_t* to = packed + block / kBlocks * group_bytes + block % kBlocks * kLanes;
    for (const auto& [word, byte] : units) {
      const Word* const minor = view.bits + block * block_words + word * kLanes;
      const Word* const major = view.second + block * block_words + word * kLanes;
      for (std::size_t lane = 0; lane < kLanes; ++lane) {
        const CodedWord coded(minor[lane], major[lane]);
        to[lane] = static_cast<std::uint8_t>(coded.first >> 8 * byte);
        to[kPathLanes + lane] = static_cast<std::uint8_t>(coded.second >> 8 * byte);
      }
      to += 2 * kPathLanes;
    }
  }
}

void path_pass(const PathTable& table, std::span<const PathScores> query, const std::uint8_t* packed,
               std::size_t groups, std::uint8_t* scores) {
  HWY_DYNAMIC_DISPATCH(pass_all_paths)(table, query, packed, groups, scores);
}

}  // namespace fastid::engine
#endif
