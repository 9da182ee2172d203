#include "ingest/internal/people_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "bits/popcount.hpp"

namespace fastid::ingest {
namespace {

constexpr std::uint64_t kWritten = 32 * kLanes;  ///< profiles that are written at a time
constexpr std::uint64_t kFewestToJudge = 20;     ///< sites called twice; fewer cannot tell people apart
constexpr std::uint64_t kDiscordantShare = 10;   ///< more than one site in so many differs: two people

/// Merges the rows of a person typed more than once: a site is called where all rows that call it agree in
/// both planes.
class Merger {
 public:
  /// \param row_words  words of a row in both planes
  /// \param judged  the sites by which two people are told apart
  Merger(std::size_t row_words, std::span<const Word> judged)
      : with_(row_words), without_(row_words), once_(row_words / 2), twice_(row_words / 2), judged_(judged) {}

  void add(std::span<const Word> row) {
    const std::size_t n = once_.size();
    for (std::size_t i = 0; i < n; ++i) {
      const Word called = row[i] | row[n + i];  // in either encoding
      for (const std::size_t at : {i, n + i}) {
        with_[at] |= row[at];
        without_[at] |= called & ~row[at];
      }
      twice_[i] |= once_[i] & called;
      once_[i] |= called;
    }
  }

  /// \throws InputError where they differ too often to be one person
  void finish(const std::string& id, const std::string& target, std::span<Word> row) const {
    const std::size_t n = once_.size();
    std::uint64_t compared = 0, differ = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Word both = (with_[i] & without_[i]) | (with_[n + i] & without_[n + i]);
      row[i] = with_[i] & ~both;
      row[n + i] = with_[n + i] & ~both;
      compared += static_cast<std::uint64_t>(bits_set(twice_[i] & judged_[i]));
      differ += static_cast<std::uint64_t>(bits_set(both & judged_[i]));
    }
    if (compared >= kFewestToJudge && differ * kDiscordantShare > compared)
      throw InputError(target, fmt::format("profile '{}'", printable(id)),
                       fmt::format("its inputs differ at {} of {} sites: they are not of one person",
                                   with_commas(differ), with_commas(compared)),
                       "give each person an id of their own, or say --duplicates rename");
  }

 private:
  std::vector<Word> with_, without_;  ///< rows that have a bit, and that are called and have not; both planes
  std::vector<Word> once_, twice_;    ///< called in one row or more, in two or more
  std::span<const Word> judged_;
};

}  // namespace

void PeopleWriter::write(std::span<const Roster::Person> people, const Look& look) {
  for (std::size_t first = 0; first < people.size(); first += kWritten) {
    check_interrupt();
    const auto group = people.subspan(first, std::min<std::size_t>(kWritten, people.size() - first));
    const BitBlocks blocks = blocks_of(group);
    if (look) look(first, blocks.view());
    std::vector<std::string> ids;
    for (const Roster::Person& person : group) ids.push_back(person.id);
    writer_.append(ids, blocks.view());
  }
}

BitBlocks PeopleWriter::blocks_of(std::span<const Roster::Person> people) {
  BitBlocks blocks({people.size(), spool_.n_sites(), encoding_});
  for (std::size_t first = 0; first < people.size(); first += kLanes)
    fill_block(blocks, first / kLanes, people.subspan(first, std::min(kLanes, people.size() - first)));
  return blocks;
}

void PeopleWriter::fill_block(BitBlocks& blocks, std::uint64_t block,
                              std::span<const Roster::Person> people) {
  const std::size_t row_words = spool_.row_words(), n_words = row_words / 2;
  rows_.assign(kLanes * row_words, 0);
  for (std::size_t lane = 0; lane < people.size(); ++lane)
    read_person(people[lane], std::span(rows_).subspan(lane * row_words, row_words));
  std::array<Word, kLanes> bits{}, second{};
  for (std::size_t word = 0; word < n_words; ++word) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      bits[lane] = rows_[lane * row_words + word];
      second[lane] = rows_[lane * row_words + n_words + word];
    }
    blocks.set_word(block, word, ~Word{0}, bits.data(), second.data());
  }
}

void PeopleWriter::read_person(const Roster::Person& person, std::span<Word> row) {
  spool_.read_row(person.rows.front(), row);
  if (person.rows.size() == 1) return;
  Merger merger(row.size(), classes_.mask(SiteClass::kAutosomal));
  for (const std::uint64_t at : person.rows) {
    spool_.read_row(at, row);
    merger.add(row);
  }
  merger.finish(person.id, target_, row);
}

}  // namespace fastid::ingest
