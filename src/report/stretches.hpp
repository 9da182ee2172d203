/// \file
/// The stretches of chromosomes that pairs of people share: as lines of a tsv, as a picture of painted
/// chromosomes, and as a page.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "match/match_table.hpp"

namespace fastid::report {

/// Two people, what they are to each other, and what they share.
struct PaintedPair {
  std::string first, second;
  std::string relation;  ///< "" where it is not named
  match::LinkedFigures::Shared shared;
  std::vector<match::SharedStretch> stretches;
};

/// The line of names, and a line for each stretch.
std::string stretches_head();
std::string stretch_lines(const std::string& first, const std::string& second,
                          std::span<const match::SharedStretch> stretches);

/// Every chromosome with each pair's stretches, as an svg file. \param map  of the pairs
/// \param left_out  number of pairs that are not shown
std::string stretches_picture(const match::MapFacts& map, std::span<const PaintedPair> pairs,
                              std::size_t left_out);

/// stretches_picture() on a page, with a table of each pair's stretches.
std::string stretches_page(const match::MapFacts& map, std::span<const PaintedPair> pairs,
                           std::size_t left_out);

}  // namespace fastid::report
