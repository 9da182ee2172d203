// Google Highway compiles this once for each instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "linked/internal/clean_words.cpp"
#include "linked/internal/clean_words.hpp"

#include "base/cpu_target.hpp"

HWY_BEFORE_NAMESPACE();
namespace fastid::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;
using linked::CleanWord;

using CleanTag = hn::CappedTag<Word, kLanes>;
using CleanVec = hn::Vec<CleanTag>;
constexpr std::size_t kCleanLanes = hn::MaxLanes(CleanTag());

/// Where a person and others are homozygous for different alleles.
HWY_INLINE CleanVec opposite(const CleanWord& word, std::size_t half, CleanVec minor, CleanVec major) {
  const CleanTag tag;
  const CleanVec against =
      hn::Or(hn::And(hn::Set(tag, word.minor[half]), major), hn::And(hn::Set(tag, word.major[half]), minor));
  return hn::And(hn::Xor(minor, major), against);
}

HWY_INLINE CleanVec n_called(const CleanWord& word, std::size_t half, CleanVec minor, CleanVec major) {
  return hn::PopulationCount(hn::And(hn::Set(CleanTag(), word.called[half]), hn::Or(minor, major)));
}

void count_all_clean_words(std::span<const CleanWord> words, const BlocksView& view, std::uint32_t* counts) {
  const CleanTag tag;
  const CleanVec least = hn::Set(tag, static_cast<Word>(linked::kLeastCalled - 1));
  const std::size_t block_words = view.shape.block_words(),
                    n = static_cast<std::size_t>(view.shape.n_blocks());
  for (std::size_t block = 0; block < n; ++block)
    for (std::size_t lane = 0; lane < kLanes; lane += kCleanLanes) {
      const Word* minor = view.bits + block * block_words + lane;
      const Word* major = view.second + block * block_words + lane;
      CleanVec count = hn::Zero(tag);
      for (const CleanWord& word : words) {
        const CleanVec m0 = hn::LoadU(tag, minor), m1 = hn::LoadU(tag, minor + kLanes),
                       j0 = hn::LoadU(tag, major), j1 = hn::LoadU(tag, major + kLanes);
        const auto clean =
            hn::Eq(hn::Or(opposite(word, 0, m0, j0), opposite(word, 1, m1, j1)), hn::Zero(tag));
        if (!hn::AllFalse(tag, clean)) {  // of strangers few are
          const CleanVec called = hn::Add(n_called(word, 0, m0, j0), n_called(word, 1, m1, j1));
          count = hn::Sub(count, hn::VecFromMask(tag, hn::And(clean, hn::Gt(called, least))));
        }
        minor += 2 * kLanes, major += 2 * kLanes;
      }
      hn::StoreU(count, tag, counts + block * kLanes + lane);
    }
}

linked::CleanWordsPass clean_words_here() {
  return count_all_clean_words;
}

}  // namespace
}  // namespace fastid::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "base/cpu_dispatch.hpp"
#include "bits/popcount.hpp"

namespace fastid {
namespace {

HWY_EXPORT(clean_words_here);

}  // namespace

std::vector<linked::CleanWord> linked::clean_words(const RowView& row) {
  std::vector<CleanWord> words(row.bits.size() / 2);
  for (std::size_t w = 0; w < words.size(); ++w)
    for (std::size_t half = 0; half < 2; ++half) {
      const Word minor = row.bits[2 * w + half], major = row.major[2 * w + half];
      words[w].minor[half] = minor & ~major;
      words[w].major[half] = major & ~minor;
      words[w].called[half] = minor | major;
    }
  return words;
}

void linked::count_clean_words(std::span<const CleanWord> words, const BlocksView& view,
                               std::uint32_t* counts) {
  HWY_DYNAMIC_DISPATCH(clean_words_here)()(words, view, counts);
}

std::uint32_t linked::plain_clean_words(std::span<const CleanWord> words, const BlocksView& view,
                                        std::uint64_t profile) {
  std::uint32_t clean = 0;
  for (std::size_t w = 0; w < words.size(); ++w) {
    Word opposite = 0;
    int called = 0;
    for (std::size_t half = 0; half < 2; ++half) {
      const Word minor = view.bits_word(profile, 2 * w + half),
                 major = view.major_word(profile, 2 * w + half);
      opposite |= (words[w].minor[half] & major & ~minor) | (words[w].major[half] & minor & ~major);
      called += bits_set(words[w].called[half] & (minor | major));
    }
    if (opposite == 0 && called >= static_cast<int>(kLeastCalled)) ++clean;
  }
  return clean;
}

linked::CleanWordsPass linked::clean_words_pass_of(const std::string& target) {
  return dispatched_to(target, [] { return HWY_DYNAMIC_DISPATCH(clean_words_here)(); });
}

}  // namespace fastid
#endif
