/// \file
/// A roofline as inline svg: what a kernel reaches against what memory and pipes allow, both axes by powers
/// of ten.
///
///   rate |        ____________ pipes
///        |       /    x  chosen
///        |  ----/---- x
///        |     /   .  .         others that were tried
///        |    / memory
///        +--------------------------
///          bits compared for each byte of the database: 8 for each query
#pragma once

#include <string>
#include <vector>

namespace fastid::report {

struct Roofline {
  /// Flat: a rate in bits a second; slanted: bytes a second, which x bits a byte make into a rate.
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
  std::vector<Roof> roofs;
  std::vector<Point> points;
};

/// \param id  of the element, unique in its page. Roofs and points that are 0 are left out.
std::string svg(const Roofline& chart, const std::string& id);

}  // namespace fastid::report
