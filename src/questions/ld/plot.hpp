/// \file
/// The heat map of `fastid ld --plot`: r2 of all pairs of a region's sites, as an svg file.
///
///      45.0 Mb              45.1 Mb            a scale of base pairs
///      --+--+------------------+--+--
///         \\  \\                /  /           each site from its position ...
///          |    |    |    |    |               ... to its column; all are equally wide
///         rs1  rs2  rs3  rs4  rs5              ids, where there is room
///           \\ /\\ /\\ /\\ /
///            X  X  X  X                        neighbours
///             \\/ \\/ \\/                        sites two apart ...
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "questions/ld/table.hpp"

namespace fastid::ld {

inline constexpr std::size_t kMostPlotted =
    500;  ///< sites of a plot, which could not be told apart otherwise

/// \param file   the name of the file that was read, as plain text
/// \param facts  2 to kMostPlotted sites of one chromosome
/// \param r2     [site][site], NaN where there is none
std::string ld_plot(const std::string& file, const SiteFacts& facts, std::span<const float> r2);

}  // namespace fastid::ld
