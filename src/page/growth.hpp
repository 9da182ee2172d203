/// \file
/// How rates grow with the number of threads or work-groups, as inline svg: multiples of the rate of the
/// first number, on logarithmic axes.
///
///    8 |          . in proportion
///    4 |       .  ____ popcount
///    2 |    . /  ______ memory
///    1 | ./ _/
///      +---------------
///        1  2  4  8 threads
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fastid::page {

struct GrowthChart {
  struct Line {
    std::string name;
    std::vector<double> rates;  ///< [counts]; 0: not measured
  };

  std::string title, description;  ///< plain text
  std::string x_title;
  std::vector<std::size_t> counts;  ///< ascending, above 0
  std::vector<Line> lines;          ///< lines without a first rate are left out
};

/// \param id  of the element, unique in its page
std::string svg(const GrowthChart& chart, const std::string& id);

}  // namespace fastid::page
