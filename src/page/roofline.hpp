/// \file
/// A roofline as inline svg: the rate that a kernel reaches compared with the limits of memory and pipes, on
/// logarithmic axes.
///
///   rate |        ____________ pipes
///        |       /    x  chosen
///        |  ----/---- x
///        |     /   .  .         other configs that were tried
///        |    / memory
///        +--------------------------
///          bits for each byte, such as 8 for each query and byte of the database
#pragma once

#include <string>
#include <vector>

namespace fastid::page {

struct Roofline {
  /// A flat roof is a rate in bits a second; a slanted one is in bytes a second and is multiplied by x, the
  /// bits compared for each byte.
  struct Roof {
    std::string name;
    double rate = 0;
    bool slanted = false;
  };
  struct Point {
    double x = 0, rate = 0;
    bool chosen = false;
    std::string label;  ///< may be empty
  };

  std::string title, description;  ///< plain text
  std::string x_title = "bits compared for each byte of the database";
  std::vector<Roof> roofs;
  std::vector<Point> points;
};

/// \param id  of the element, unique in its page. Roofs and points that are 0 are left out.
std::string svg(const Roofline& chart, const std::string& id);

}  // namespace fastid::page
