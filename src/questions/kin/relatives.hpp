/// \file
/// The family of `fastid kin --family`, in the form that `stats` takes: its typed members, who are the
/// queries, and its missing ones.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "asking/family.hpp"
#include "match/match_table.hpp"
#include "match/queries.hpp"
#include "stats/pedigree.hpp"

namespace fastid::kin {

/// A family, its typed members and the missing ones.
struct Relatives {
  match::FamilyFacts facts;
  std::vector<stats::Member> members;
  std::vector<std::size_t> missing;                  ///< [FamilyFacts::missing]: the place among the members
  std::vector<std::size_t> sought;                   ///< [FamilyFacts::missing]: the place in the file
  std::vector<std::optional<std::size_t>> query_of;  ///< of each person of the file, if typed
};

/// The missing members' family, which may be one of several in the file. \param missing  names. Empty: the
/// file's only person who is not typed, or else everybody in the typed members' family whom the file marks as
/// looked for and who is not typed \throws InputError, UsageError: a query that the file does not name, a
/// missing member who is typed, nobody is missing, people of two families
Relatives relatives_of(const asking::FamilyFile& file, const std::vector<std::string>& missing,
                       const match::Queries& queries);

}  // namespace fastid::kin
