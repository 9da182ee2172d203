/// \file
/// Sums over sites of figures that a second person's genotype chooses: a query's site has one set of figures
/// for a person who shows the major allele there, another for one who shows both, and so on. Many people are
/// added up together.
///
/// A sum's additions have one order, whatever the processor and whichever people are added up together: of
/// four neighbouring sites (a + b) + (c + d), the eight of these in a word as a tree, words one after the
/// other.
///
/// add_sites() adds up eight figures of a person at once, add_figures() one figure of eight people: the
/// latter for a few figures, or where too few people share what add_sites() makes of a query.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bits/rows.hpp"

namespace fastid::stats {

inline constexpr std::size_t kFigures = 8;
/// The figures of one person, in one cache line.
struct alignas(64) Figures : std::array<double, kFigures> {};

/// The figures of the 32 sites of a word: [site][what is seen: the low plane's bit + 2 times the high
/// plane's].
using WordFigures = std::array<std::array<Figures, 4>, kWordBits>;

/// Two planes of a person's bits; together they say what is seen at a site.
struct TwoPlanes {
  std::span<const Word> low, high;

  /// Their bits at a site: the low one, and 2 times the high one.
  std::size_t seen_at(std::size_t site) const {
    const std::size_t word = site / kWordBits, shift = site % kWordBits;
    return (low[word] >> shift & 1) | (high[word] >> shift & 1) << 1;
  }
};

/// A row's planes: by alleles the major and the minor alleles seen, by bits the called sites and the minor
/// alleles.
inline TwoPlanes planes_of(const RowView& row, Encoding by) {
  return {by == Encoding::kAlleles ? row.major : row.called, row.bits};
}

/// Writes a word's figures. False where no site of the word adds anything.
using FillFigures = std::function<bool(std::size_t word, WordFigures& figures)>;

/// Adds to each person's sums the figures of all sites.
/// \param fill  is called for each word; it finds the figures as it has left them, at first 0
void add_sites(std::size_t n_words, const FillFigures& fill, std::span<const TwoPlanes> people,
               std::span<Figures> sums);

/// One figure, by what is seen at a site; in one cache line.
struct alignas(32) SeenFigures : std::array<double, 4> {};

/// Adds to each person's sums the figures of all sites. \param tables  one for each figure \param places  of
/// the sites of whole words: which entry of the tables is a site's \param sums  [figure][person]
void add_figures(std::span<const std::span<const SeenFigures>> tables, std::span<const std::uint32_t> places,
                 std::span<const TwoPlanes> people, std::span<double> sums);

}  // namespace fastid::stats
