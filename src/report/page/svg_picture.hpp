/// \file
/// An inline svg picture as it grows: what the charts of a report share. The page's style sheet (page.cpp)
/// says what the classes look like.
#pragma once

#include <string>

namespace fastid::report {

/// Places are in units of the picture: x to the right, y downwards.
class SvgPicture {
 public:
  /// A line of class `kind`.
  void line(const char* kind, double x1, double y1, double x2, double y2);
  /// Plain text. \param anchor  "start", "middle" or "end": the part of it that is at x
  void text(double x, double y, const char* anchor, const std::string& words);
  /// The title of a y axis: plain text along the left edge, read from below, its middle at y.
  void upright(double y, const std::string& words);
  /// Any other element, as it is.
  void add(const std::string& element) { elements_ += element; }

  /// The whole element. \param id  unique in its page \param title, description  plain text: what the picture
  /// is, and what it shows, for who cannot see it
  std::string finish(const std::string& id, double width, double height, const std::string& title,
                     const std::string& description) const;

 private:
  std::string elements_;
};

}  // namespace fastid::report
