/// \file
/// The penetrance picture of a combination of sites: of each joint genotype the share of cases, as a colour
/// and in words, and its cases and controls.
///
///            A: GG              A: GA              A: AA
///        C: TT  TC  CC      C: TT  TC  CC      C: TT  TC  CC
///   B:  +---+---+---+      +---+---+---+      +---+---+---+
///   CC  |   |   |   |      |   |   |   |      |   |   |   |     of two sites one square: A down, B across
///   CA  |   |   |   |      |   |   |   |      |   |   |   |
///   AA  +---+---+---+      +---+---+---+      +---+---+---+
#pragma once

#include <string>

#include "questions/epistasis/table.hpp"

namespace fastid::epistasis {

/// The cases among people who are there. "12.5 %"
std::string share_text(const engine::Cell& cell);

/// A figure (html) with its caption. \param id  of the picture, unique in the page
std::string penetrance_figure(const EpistasisRow& row, const std::string& id);

}  // namespace fastid::epistasis
