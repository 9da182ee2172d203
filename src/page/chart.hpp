/// \file
/// A histogram as inline svg: bars, a curve to compare them with, marks above and pointers below.
///
///      |--same--|          |---parent or child---|     |--unrelated--|     marks: mean and two sd each way
///   100|                   :.....................:          _####_         some marks shaded all the way
///    10|                   :.....................:        _########_       bars, and the curve as a line
///     1|   #               :.....................:       ############      listed profiles darker
///      +---^---------------------------------------------------------
///          P07                                                             pointers
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fastid::page {

struct Chart {
  struct Bar {
    double from = 0, to = 0;  ///< along x
    double height = 0;
  };
  struct Point {
    double x = 0, y = 0;
  };
  struct Mark {
    std::string name;
    double at = 0, sd = 0;
    bool shaded = false;  ///< shades two sd each way over the whole height
  };
  struct Pointer {
    double at = 0;
    std::string label;  ///< may be empty
  };

  std::string title;        ///< plain text: the picture's title
  std::string description;  ///< plain text: what the picture shows, for readers who cannot see it
  std::string x_title, y_title;
  double x_low = 0, x_high = 1;
  bool x_whole = true;    ///< x is a count, so there are no ticks between whole numbers
  bool log_scale = true;  ///< of y, starting at 0.5; else y starts at 0
  std::vector<Bar> bars;
  std::vector<Bar> listed;   ///< drawn before the bars, which may be of a sample that lacks them
  std::vector<Point> curve;  ///< sorted by x
  std::vector<Mark> marks;   ///< sorted by `at`
  std::vector<Pointer> pointers;
};

/// \param id  of the element, unique in its page
std::string svg(const Chart& chart, const std::string& id);

}  // namespace fastid::page
