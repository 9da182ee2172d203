#include "import/match/sex_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "bits/called_sites.hpp"
#include "bits/popcount.hpp"

namespace fastid::imports {
namespace {

constexpr std::size_t kMostNamed = 5;

/// Calls use(profile, its counts) for each profile of a block.
template <class Use>
void for_each_in_block(const BlocksView& view, const SiteClasses& classes, std::uint64_t block,
                       const Use& use) {
  const std::array<std::uint32_t, kLanes> called = called_in_block(view, block);
  const std::uint64_t first = block * kLanes;
  for (std::uint64_t i = first; i < std::min(first + kLanes, view.shape.n_profiles); ++i)
    use(i, count_sex(view, i, called[i - first], classes));
}

bool says_alleles(const PeopleOnPanel& people) {
  return people.blocks.shape().encoding == Encoding::kAlleles;
}

SexCall sex_of(const PeopleOnPanel& people, const SexCounts& counts) {
  return fastid::sex_of(counts, people.classes, says_alleles(people));
}

/// Lanes of a block, one bit each: who has two copies of X, who has one copy of X, and who has one copy of Y.
struct CopyLanes {
  Word two_x = 0, one_x = 0, one_y = 0;
};

CopyLanes copies_in(const PeopleOnPanel& people, const BlocksView& view, std::uint64_t block) {
  CopyLanes lanes;
  for_each_in_block(view, people.classes, block, [&](std::uint64_t profile, const SexCounts& counts) {
    const SexCall call = sex_of(people, counts);
    const Word lane = Word{1} << profile % kLanes;
    if (call.x_copies == 2u) lanes.two_x |= lane;
    if (call.x_copies == 1u) lanes.one_x |= lane;
    if (call.sex == Sex::kMale) lanes.one_y |= lane;
  });
  return lanes;
}

struct Copies {
  std::uint64_t minor = 0, all = 0;

  /// \param minors, majors  of a site: lanes that show the allele
  void add(Word minors, Word majors, Word two, Word one) {
    const auto count = [](Word lanes) { return static_cast<std::uint64_t>(bits_set(lanes)); };
    const Word single = one & (minors ^ majors);  // one allele alone
    minor += count(minors & two) + count(minors & ~majors & two) + count(minors & single);
    all += 2 * count((minors | majors) & two) + count(single);
  }
};

/// A word for each of 32 sites, with a bit for each lane of a block.
std::array<Word, kLanes> lanes_of_sites(const BlocksView& view, std::uint64_t block, std::size_t word,
                                        bool of_major) {
  std::array<Word, kLanes> lanes{};
  const std::uint64_t first = block * kLanes;
  const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(kLanes, view.shape.n_profiles - first));
  for (std::size_t lane = 0; lane < n; ++lane)
    lanes[lane] = of_major ? view.major_word(first + lane, word) : view.bits_word(first + lane, word);
  transpose32(lanes.data());
  return lanes;
}

}  // namespace

std::uint64_t one_copy_hets(const PeopleOnPanel& people) {
  if (people.classes.all_autosomal() || !says_alleles(people)) return 0;
  std::uint64_t hets = 0;
  const BlocksView view = people.blocks.view();
  for (std::uint64_t block = 0; block < view.shape.n_blocks(); ++block)
    for_each_in_block(view, people.classes, block, [&](std::uint64_t, const SexCounts& counts) {
      hets += counts.y_het + counts.m_het;
      if (counts.x_het > 0 && sex_of(people, counts).x_copies == 1u) hets += counts.x_het;
    });
  return hets;
}

std::string warn_of_sexes(const PeopleOnPanel& people, std::span<const std::optional<Sex>> stated,
                          const std::string& file) {
  if (people.classes.all_autosomal()) return {};
  std::string named;
  std::size_t others = 0;
  const BlocksView view = people.blocks.view();
  for (std::size_t i = 0; i < stated.size(); ++i) {
    if (!stated[i]) continue;
    const SexCall call = sex_of(people, count_sex(view, i, people.blocks.called_sites(i), people.classes));
    if (!call.sex || *call.sex == Sex::kUndecided || *call.sex == *stated[i]) continue;
    if (others++ < kMostNamed)
      named += fmt::format("{}'{}' ({}, by X and Y {})", named.empty() ? "" : ", ", printable(people.ids[i]),
                           fastid::name_of(*stated[i]), fastid::name_of(*call.sex));
  }
  if (others == 0) return {};
  return fmt::format("{}: X and Y contradict the stated sex of {}: {}{}", file,
                     others == 1 ? std::string("1 person") : with_commas(others) + " people", named,
                     others > kMostNamed ? " and others" : "");
}

void count_by_copies(const PeopleOnPanel& people, std::vector<double>& minor_freq) {
  const BlocksView view = people.blocks.view();
  std::vector<Copies> counts(people.classes.n_sites());
  for (std::uint64_t block = 0; block < view.shape.n_blocks(); ++block) {
    const CopyLanes lanes = copies_in(people, view, block);
    for (const std::uint32_t word : people.classes.words_beside()) {
      const auto minors = lanes_of_sites(view, block, word, false);
      const auto majors = lanes_of_sites(view, block, word, true);
      for (std::size_t s = word * kWordBits; s < std::min<std::size_t>(counts.size(), (word + 1) * kWordBits);
           ++s) {
        const SiteClass of = people.classes.of(s);
        const std::size_t at = s % kWordBits;
        if (of == SiteClass::kX) counts[s].add(minors[at], majors[at], lanes.two_x, lanes.one_x);
        if (of == SiteClass::kY) counts[s].add(minors[at], majors[at], 0, lanes.one_y);
        if (of == SiteClass::kM) counts[s].add(minors[at], majors[at], 0, ~Word{0});
      }
    }
  }
  for (std::size_t s = 0; s < counts.size(); ++s)
    if (people.classes.of(s) != SiteClass::kAutosomal && people.classes.of(s) != SiteClass::kNone)
      minor_freq[s] = static_cast<double>(counts[s].minor + 1) / static_cast<double>(counts[s].all + 2);
}

}  // namespace fastid::imports
