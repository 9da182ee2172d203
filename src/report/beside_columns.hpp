/// \file
/// The columns of X, Y and M, which follow all other columns of match tables and of pairs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "match/beside.hpp"
#include "report/columns.hpp"

namespace fastid::report {

enum class BesideOf { kPeople, kMixtures, kPairs };

struct BesideColumn {
  std::string name;     ///< in tsv and json
  std::string heading;  ///< in the terminal's table, where there is room; empty: not in it
  std::string title;    ///< in html
  bool text = false;
  Cell (*cell)(const match::BesideFigures& of);
};

/// The columns of the classes that the panel has. For people: query_sex sex x_compared log10_lr_x y
/// y_mismatches y_compared p_y m m_mismatches m_compared p_m; for mixtures: y_not_seen y_compared p_y
/// m_not_seen m_compared p_m; for pairs as for people, with sex1 sex2 and no p.
std::vector<BesideColumn> beside_columns(BesideOf of, const match::SitesByClass& sites);
/// The columns of a panel with all classes.
std::vector<BesideColumn> all_beside_columns(BesideOf of);

}  // namespace fastid::report
