/// \file
/// The output of `fastid dvi`. Columns are documented in docs/commands/dvi.md.
#pragma once

#include <string>

#include "questions/dvi/event/table.hpp"

namespace fastid::dvi {

/// A line for each missing member: family missing person remains log10_lr expected_lr expected_sd log10_glr
/// posterior conclusion remark. NA where a figure is not computed; `person` is * for nobody, alternatives are
/// separated by /.
std::string victims_tsv(const fastid::dvi::Table& found);
/// The table for a terminal.
std::string victims_table(const fastid::dvi::Table& found);

/// A line for each pair: family missing person log10_lr. NA where sex or other evidence forbids.
std::string victims_matrix(const fastid::dvi::Table& found);
/// A line for each person: person remains called sex.
std::string victims_people(const fastid::dvi::Table& found);
/// A line for each probable assignment: component rank log10_weight posterior assignment.
std::string victims_assignments(const fastid::dvi::Table& found);
/// A line for each member: family member typed missing log10_pedigree_v_unrelated, and for missing members,
/// where it was computed, the power: true_mean true_sd stranger_mean stranger_sd log10_not_excluded.
std::string victims_families(const fastid::dvi::Table& found);

std::string victims_json(const fastid::dvi::Table& found);
/// One page for screen and paper.
std::string victims_html(const fastid::dvi::Table& found);

/// The reasons for a missing member's conclusion, in words; "" where there is nothing to say.
std::string victims_remark(const fastid::dvi::Table& found, std::size_t missing);
/// The people of a conclusion: names, alternatives joined by /; * for nobody.
std::string victims_person(const fastid::dvi::Table& found, std::size_t missing);

}  // namespace fastid::dvi
