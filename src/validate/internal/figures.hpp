/// \file
/// Figures that were worked out beforehand, beside the figures that fastid computes.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>

#include "report/validation.hpp"

namespace fastid::validate {

/// A table of figures, which is one check of a result.
class Figures {
 public:
  Figures(std::string caption, report::Result& result) : result_(result) {
    table_ = {std::move(caption), {"figure", "by hand", "fastid", "agrees"}, {true, false, false, true}, {}};
  }

  /// \param decimals  to which the figure was worked out
  void add(const std::string& what, double by_hand, double found, int decimals) {
    const bool agrees = std::abs(found - by_hand) <= 0.500001 * std::pow(10, -decimals);
    table_.rows.push_back({what, fmt::format("{:.{}f}", by_hand, decimals),
                           fmt::format("{:.{}f}", found, decimals), agrees ? "yes" : "no"});
    wrong_ += !agrees;
  }

  void end() {
    result_.check(table_.caption, "all agree to the last digit",
                  wrong_ == 0 ? fmt::format("all {} agree", table_.rows.size())
                              : fmt::format("{} of {} differ", wrong_, table_.rows.size()),
                  wrong_ == 0);
    result_.tables.push_back(std::move(table_));
  }

 private:
  report::Result& result_;
  report::Table table_;
  std::size_t wrong_ = 0;
};

}  // namespace fastid::validate
