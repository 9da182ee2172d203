/// \file
/// The lines of a family: Y passes from a father to his sons, M from a mother to her children. A candidate's
/// Y and M are compared with the typed member of that line who is nearest to the missing member.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "asking/beside.hpp"
#include "asking/family.hpp"
#include "bits/blocks.hpp"
#include "match/match_table.hpp"
#include "match/queries.hpp"
#include "panel/site_class.hpp"
#include "stats/sex.hpp"

namespace fastid::kin {

enum class Lineage { kPaternal, kMaternal };

/// The wanted person of the same line as `from` who is fewest births away; among equals, the first in the
/// file. \param is_wanted  takes a person's place \return no value where there is nobody, and for a woman's
/// paternal line
std::optional<std::size_t> nearest_of_line(const asking::FamilyFile& family, Lineage line, std::size_t from,
                                           const std::function<bool(std::size_t)>& is_wanted);

/// The lines of a missing member.
class FamilyLines {
 public:
  /// \param query_of  the query of each person, if typed \param queries, classes, beside  must outlive this
  /// object
  FamilyLines(const asking::FamilyFile& family, std::size_t missing,
              const std::vector<std::optional<std::size_t>>& query_of, const match::Queries& queries,
              const SiteClasses& classes, const asking::Beside& beside);

  /// Fills in the figures of Y and M of candidates, whose profiles are read again. X is not weighed. The
  /// missing member's sex is the one that the family states.
  void report(const BlockSource& database, std::size_t threads, match::QueryMatches& matches) const;

  /// The names of the members whose Y and M candidates are compared with; "": none.
  std::string paternal() const { return name_of_typed(paternal_); }
  std::string maternal() const { return name_of_typed(maternal_); }

 private:
  struct Typed {
    std::size_t query = 0;
    stats::SexFindings sex;
  };
  std::string name_of_typed(const std::optional<Typed>& typed) const;
  match::BesideFigures figures_of(const RowView& stored) const;

  const match::Queries& queries_;
  const SiteClasses& classes_;
  const asking::Beside& beside_;
  std::optional<Sex> missing_sex_;
  std::optional<Typed> paternal_, maternal_;
};

/// Warns of typed members whose X and Y contradict the sex that the family states.
void say_other_sexes(const asking::FamilyFile& family,
                     const std::vector<std::optional<std::size_t>>& query_of, const match::Queries& queries,
                     const asking::Beside& beside);

}  // namespace fastid::kin
