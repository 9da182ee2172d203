/// \file
/// Builds an svg picture: inline, as the charts of a report are, where the page's style sheet (page.cpp)
/// defines the classes; or a file of its own.
#pragma once

#include <string>
#include <vector>

namespace fastid::page {

/// A picture under construction. Positions are in its units: x to the right, y downwards.
class SvgPicture {
 public:
  /// A line of class `kind`.
  void line(const char* kind, double x1, double y1, double x2, double y2);
  /// Plain text. \param anchor  "start", "middle" or "end": the part of the text that is at x
  void text(double x, double y, const char* anchor, const std::string& words);
  /// The title of a y axis: plain text along the left edge, running upwards, with its middle at y.
  void upright(double y, const std::string& words);
  /// Adds any other element unchanged.
  void add(const std::string& element) { elements_ += element; }

  /// The complete svg element. \param id  unique in its page \param title, description  plain text: the
  /// picture's title, and what it shows, for readers who cannot see it
  std::string finish(const std::string& id, double width, double height, const std::string& title,
                     const std::string& description) const;
  /// The picture as a file of its own, on white, with the classes of lines and texts.
  std::string finish_file(double width, double height, const std::string& title,
                          const std::string& description) const;

 private:
  std::string elements_;
};

/// Baselines of one-line labels, in the order of `wanted`, with no two nearer than a line's height, and each
/// as near to its wanted baseline as the others allow. \param top, bottom  limits of all baselines, as far as
/// there is room
std::vector<double> spread_rows(const std::vector<double>& wanted, double top, double bottom);

/// The places of one-line labels in a picture, so that none is put over another.
class LabelPlaces {
 public:
  /// The approximate width of a text.
  static double width_of(const std::string& words) { return 7.2 * static_cast<double>(words.size()); }

  /// Whether a text is free to begin at x on a baseline; it then takes the place.
  bool take(double x, double baseline, const std::string& words);
  /// Takes a rectangle, whatever is there.
  void block(double x, double y, double width, double height) { taken_.push_back({x, y, width, height}); }

 private:
  struct Rectangle {
    double x, y, width, height;
  };
  std::vector<Rectangle> taken_;
};

/// A step of 1, 2 or 5 times a power of ten, so that `span` has about `wanted` steps. \param whole  at least
/// 1
double nice_step(double span, double wanted, bool whole);

/// The number beside a tick of an axis.
std::string tick_text(double value);

}  // namespace fastid::page
