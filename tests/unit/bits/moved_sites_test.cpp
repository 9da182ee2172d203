// Profiles on the sites of another panel, held against letters that are moved one by one.
#include "bits/moved_sites.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace fastid {
namespace {

/// '0' major alone, '1' both, '2' minor alone, '-' not called.
using People = std::vector<std::string>;

Seen seen_of(char letter) {
  return letter == '0' ? kMajorSeen : letter == '1' ? kBothSeen : letter == '2' ? kMinorSeen : kNoneSeen;
}

BitBlocks pack(const People& people, Encoding encoding) {
  BitBlocks blocks({people.size(), static_cast<std::uint32_t>(people[0].size()), encoding});
  for (std::size_t i = 0; i < people.size(); ++i)
    for (std::uint32_t s = 0; s < people[i].size(); ++s)
      if (people[i][s] != '-') blocks.set_seen(i, s, seen_of(people[i][s]));
  return blocks;
}

People random_people(std::size_t n, std::size_t sites, std::string_view letters) {
  std::mt19937 random(5);
  People people(n, std::string(sites, '-'));
  for (std::string& person : people)
    for (char& site : person) site = letters[random() % letters.size()];
  return people;
}

/// The letters of each person on the sites of the other panel.
People moved(const People& people, const std::vector<SiteOrigin>& origins, Encoding encoding) {
  People all;
  for (const std::string& person : people) {
    std::string made;
    for (const auto& [site, swapped] : origins) {
      char letter = site == SiteOrigin::kNone ? '-' : person[site];
      if (swapped && encoding == Encoding::kMinor) letter = '-';
      if (swapped && letter != '-') letter = letter == '0' ? '2' : letter == '2' ? '0' : '1';
      made += letter;
    }
    all.push_back(made);
  }
  return all;
}

void expect_moved(const People& people, const std::vector<SiteOrigin>& origins, Encoding encoding) {
  const BitBlocks from = pack(people, encoding), right = pack(moved(people, origins, encoding), encoding);
  const MemorySource source(from.view());
  const MovedSites sites(source, origins);
  const BlockShape shape = sites.shape();
  ASSERT_EQ(shape, right.view().shape);
  for (std::uint64_t first = 0; first < shape.n_blocks(); ++first) {
    const std::size_t n = shape.n_blocks() - first;
    WordBuffer bits(n * shape.block_words()), second(n * shape.block_words());
    sites.read(first, n, bits.data(), second.data());
    const BlocksView made{.shape = shape.with(n * kLanes), .bits = bits.data(), .second = second.data()};
    for (std::uint64_t i = first * kLanes; i < people.size(); ++i)
      for (std::size_t word = 0; word < shape.n_words(); ++word) {
        EXPECT_EQ(made.bits_word(i - first * kLanes, word), right.view().bits_word(i, word));
        EXPECT_EQ(made.called_word(i - first * kLanes, word), right.view().called_word(i, word));
      }
  }
}

TEST(MovedSites, AreThoseOfTheOtherPanel) {
  std::mt19937 random(6);
  for (const std::size_t n_from : {1, 31, 32, 33, 100})
    for (const std::size_t n_to : {1, 32, 70}) {
      std::vector<SiteOrigin> origins(n_to);
      for (SiteOrigin& origin : origins)
        if (random() % 8 != 0) origin = {static_cast<std::uint32_t>(random() % n_from), random() % 3 == 0};
      expect_moved(random_people(70, n_from, "012-"), origins, Encoding::kAlleles);
      expect_moved(random_people(70, n_from, "01-"), origins, Encoding::kMinor);
      expect_moved(random_people(33, n_from, "01"), origins, Encoding::kMinor);
    }
}

}  // namespace
}  // namespace fastid
