/// \file
/// Words of 64 neighbouring sites at which two people are nowhere homozygous for different alleles: where
/// they share an allele by descent they have such words, strangers have few.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "bits/blocks.hpp"
#include "bits/rows.hpp"

namespace fastid::linked {

/// Sites of a word, and of these those that both people must have called for the word to count.
inline constexpr std::size_t kCleanSites = 64, kLeastCalled = 32;

/// Sites of a word of one person, in two words of a row.
struct CleanWord {
  std::array<Word, 2> minor, major;  ///< homozygous for this allele
  std::array<Word, 2> called;
};

/// \param row  with `major`, of an even number of words
std::vector<CleanWord> clean_words(const RowView& row);

/// How many clean words a person has with each profile of a view of Encoding::kAlleles. \param counts  32 for
/// each block; those of unused lanes have no meaning
void count_clean_words(std::span<const CleanWord> words, const BlocksView& view, std::uint32_t* counts);

/// The definition, of one profile.
std::uint32_t plain_clean_words(std::span<const CleanWord> words, const BlocksView& view,
                                std::uint64_t profile);

using CleanWordsPass = void (*)(std::span<const CleanWord>, const BlocksView&, std::uint32_t*);
/// count_clean_words() with an instruction set, for tests; null where this CPU lacks it. Not thread-safe.
CleanWordsPass clean_words_pass_of(const std::string& target);

}  // namespace fastid::linked
