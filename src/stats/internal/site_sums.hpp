/// \file
/// Sums over sites of figures that a second person's genotype chooses: a query's site has one set of figures
/// for a person who shows the major allele there, another for one who shows both, and so on. Many people are
/// added up together.
///
/// A sum's additions have one order, whatever the processor, the number of people and their company: of four
/// neighbouring sites (a + b) + (c + d), the eight of these in a word as a tree, words one after the other.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "bits/rows.hpp"

namespace fastid::stats {

inline constexpr std::size_t kFigures = 8;
/// In one cache line.
struct alignas(64) Figures : std::array<double, kFigures> {};

/// Of the 32 sites of a word: [site][what is seen: the low plane's bit + 2 times the high plane's].
using WordFigures = std::array<std::array<Figures, 4>, kWordBits>;

/// Two planes of a person's bits; together they say what is seen at a site.
struct TwoPlanes {
  std::span<const Word> low, high;
};

/// Writes a word's figures. False where no site of the word adds anything.
using FillFigures = std::function<bool(std::size_t word, WordFigures& figures)>;

/// Adds to each person's sums the figures of all sites.
/// \param fill  is called for each word; it finds the figures as it has left them, at first 0
void add_sites(std::size_t n_words, const FillFigures& fill, std::span<const TwoPlanes> people,
               std::span<Figures> sums);

}  // namespace fastid::stats
