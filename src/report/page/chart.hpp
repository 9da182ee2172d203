/// \file
/// A histogram as inline svg: bars, a curve to hold them against, marks above and pointers below.
///
///      |--same--|          |---parent or child---|     |--unrelated--|     marks: mean and two sd each way
///   100|                   :.....................:          _####_         some of them shaded all the way
///    10|                   :.....................:        _########_       bars, and the curve as a line
///     1|   #               :.....................:       ############      listed ones darker
///      +---^---------------------------------------------------------
///          P07                                                             pointers
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace fastid::report {

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
    bool shaded = false;  ///< its two sd each way, over the whole height
  };
  struct Pointer {
    double at = 0;
    std::string label;  ///< may be empty
  };

  std::string title;        ///< plain text: what the picture is
  std::string description;  ///< plain text: what it shows, for who cannot see it
  std::string x_title, y_title;
  double x_low = 0, x_high = 1;
  bool x_whole = true;    ///< x counts something: no ticks between whole numbers
  bool log_scale = true;  ///< of y: heights from 0.5 up, else from 0
  std::vector<Bar> bars;
  std::vector<Bar> listed;   ///< before the bars, which may be of a sample without them
  std::vector<Point> curve;  ///< by x
  std::vector<Mark> marks;   ///< by at
  std::vector<Pointer> pointers;
};

/// \param id  of the element, unique in its page
std::string svg(const Chart& chart, const std::string& id);

}  // namespace fastid::report
