/// \file
/// The columns of X, Y and M, which stand after all others: of match tables and of pairs.
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
  std::string heading;  ///< in the table, where there is room; empty: not there
  std::string title;    ///< in html
  bool text = false;
  Cell (*cell)(const match::BesideFigures& of);
};

/// Those of the classes that the panel has. Of people: query_sex sex x_compared log10_lr_x y y_mismatches
/// y_compared p_y m m_mismatches m_compared p_m; of mixtures: y_not_seen y_compared p_y m_not_seen m_compared
/// p_m; of pairs as of people, with sex1 sex2 and no p.
std::vector<BesideColumn> beside_columns(BesideOf of, const match::SitesByClass& sites);
/// Those of a panel with all classes.
std::vector<BesideColumn> all_beside_columns(BesideOf of);

}  // namespace fastid::report
