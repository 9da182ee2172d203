#include "questions/ld/people_copies.hpp"

#include <fmt/format.h>

#include <array>
#include <numeric>
#include <optional>
#include <utility>

#include "asking/beside.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "bits/popcount.hpp"
#include "bits/rows.hpp"

namespace fastid::ld {
namespace {

constexpr Word kFirstOfPairs = 0x55555555;

/// What the two haplotypes of a person show together.
ProfileRows joined_pairs(const ProfileRows& haplotypes) {
  ProfileRows people(haplotypes.n_rows() / 2, haplotypes.n_sites(), Encoding::kAlleles);
  for (std::size_t person = 0; person < people.n_rows(); ++person) {
    const RowView one = haplotypes.row(2 * person), two = haplotypes.row(2 * person + 1);
    for (std::size_t word = 0; word < haplotypes.n_words(); ++word)
      people.set_word(person, word, one.bits[word] | two.bits[word], one.called[word] | two.called[word],
                      one.major_word(word) | two.major_word(word));
  }
  return people;
}

/// How many copies somebody is taken to have.
struct Copies {
  bool one_x = false, no_y = false;
  Sex sex = Sex::kUndecided;
};

Copies copies_by(const stats::SexFindings& found, const std::optional<Sex>& stated) {
  const Sex seen = found.sex.value_or(Sex::kUndecided);
  const Sex sex = seen == Sex::kUndecided ? stated.value_or(seen) : seen;
  return {.one_x = found.x_copies ? *found.x_copies == 1 : copies_of(SiteClass::kX, sex) == 1,
          .no_y = copies_of(SiteClass::kY, sex) == 0,
          .sex = sex};
}

/// Haplotypes that do not count: both of a pair that differs, and the second one of a pair that is called
/// twice.
Word repeated(Word minor, Word major, Word with_one_copy) {
  const Word called = minor | major;
  const Word twice = called & called >> 1 & kFirstOfPairs, differ = (minor ^ minor >> 1) & twice;
  return (twice << 1 | differ) & with_one_copy;
}

}  // namespace

PeopleCopies::PeopleCopies(const asking::PeopleFile& file, const SiteClasses& classes, ThreadPool& pool)
    : classes_(classes),
      units_(file.haplotypes()                                    ? Units::kHaplotypes
             : file.people().shape().encoding == Encoding::kMinor ? Units::kCarriers
                                                                  : Units::kGenotypes) {
  const BlockShape shape = file.people().shape();
  const auto n_blocks = static_cast<std::size_t>(shape.n_blocks());
  const std::vector<stats::PopulationModel> models = file.models();
  const asking::Beside beside(file.panel(), classes, models, {});
  const std::vector<std::optional<Sex>> stated = file.stated_sexes();
  const std::size_t of_person = units_ == Units::kHaplotypes ? 2 : 1;
  one_x_.resize(n_blocks);
  no_y_.resize(n_blocks);
  std::vector<std::array<std::uint64_t, 3>> by_sex(n_blocks);
  pool.for_each(n_blocks, [&](std::size_t block, const ThreadPool::Stop&) {
    check_interrupt();
    BlockReader blocks(file.people());
    const BlocksView view = blocks.block_of(block * kLanes);
    std::vector<std::uint64_t> lanes(static_cast<std::size_t>(view.shape.n_profiles));
    std::iota(lanes.begin(), lanes.end(), std::uint64_t{0});
    ProfileRows rows = ProfileRows::from_blocks(view, lanes);
    if (of_person == 2) rows = joined_pairs(rows);
    for (std::size_t i = 0; i < rows.n_rows(); ++i) {
      const std::size_t person = block * kLanes / of_person + i;
      const Copies copies =
          copies_by(beside.sex_of(rows.row(i)), stated.empty() ? std::nullopt : stated[person]);
      const Word units = (of_person == 2 ? Word{3} : Word{1}) << i * of_person;
      if (copies.one_x) one_x_[block] |= units;
      if (copies.no_y) no_y_[block] |= units;
      ++by_sex[block][static_cast<std::size_t>(copies.sex)];
    }
  });
  for (const auto& [men, women, unknown] : by_sex) {
    men_ += men;
    women_ += women;
    unknown_ += unknown;
  }
}

void PeopleCopies::keep_counted(SiteClass of, std::uint64_t site, TurnedBlocks& sites) const {
  sites.change(site, [&](std::size_t word, Word& minor, Word& major) {
    const Word one = of == SiteClass::kX ? one_x_[word] : ~Word{0};
    const Word none = of == SiteClass::kY ? no_y_[word] : 0;
    const Word left_out =
        none | (units_ == Units::kHaplotypes ? repeated(minor, major, one) : minor & major & one);
    minor &= ~left_out;
    major &= ~left_out;
  });
}

/// Counts the rarer allele of a site of X; of two that are as frequent, that which fewer men have, so that it
/// is the same whichever the panel takes for the minor one. \returns whether that is its major one
bool PeopleCopies::count_rarer(std::uint64_t site, TurnedBlocks& sites) const {
  int more = 0, more_men = 0;  // copies of the minor allele minus copies of the major one
  sites.change(site, [&](std::size_t word, const Word& minor, const Word& major) {
    const Word one = one_x_[word];
    more_men += bits_set(minor & one) - bits_set(major & one);
    more += 2 * (bits_set(minor & ~major & ~one) - bits_set(major & ~minor & ~one));
  });
  more += more_men;
  const bool exchange = more > 0 || (more == 0 && more_men > 0);
  sites.change(site, [&](std::size_t word, Word& minor, Word& major) {
    if (exchange) std::swap(minor, major);
    major |= minor & one_x_[word];
  });
  return exchange;
}

std::vector<std::uint8_t> PeopleCopies::apply(TurnedBlocks& sites, ThreadPool& pool) const {
  std::vector<std::uint8_t> exchanged(classes_.n_sites());
  pool.for_each(exchanged.size(), [&](std::size_t site, const ThreadPool::Stop&) {
    const SiteClass of = classes_.of(site);
    if (of != SiteClass::kX && of != SiteClass::kY && of != SiteClass::kM) return;
    keep_counted(of, site, sites);
    if (of == SiteClass::kX && units_ == Units::kGenotypes) exchanged[site] = count_rarer(site, sites);
  });
  return exchanged;
}

std::string PeopleCopies::describe() const {
  const auto text = [](std::uint64_t n, const char* one, const char* many) {
    return fmt::format("{} {}", with_commas(n), n == 1 ? one : many);
  };
  const std::string men = text(men_, "man", "men"), women = text(women_, "woman", "women");
  if (unknown_ == 0) return fmt::format("{} and {}", men, women);
  return fmt::format("{}, {} and {} of unknown sex", men, women, with_commas(unknown_));
}

}  // namespace fastid::ld
