/// \file
/// The family of `fastid kin --family` and the queries, who are its typed members: who is typed, who is
/// missing, as `stats` takes them.
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
  std::vector<std::size_t> missing;  ///< of each of FamilyFacts::missing the place among the members
  std::vector<std::size_t> sought;   ///< the same in the file
  std::vector<std::optional<std::size_t>> query_of;  ///< of each person of the file, if typed
};

/// The missing members' family, which may be one of several of the file. \param missing  names. None: the
/// file's only person who is not typed; else those, not typed, of the typed members' family whom the file
/// says to be looked for \throws InputError, UsageError: a query that the file does not name, nobody or
/// somebody typed who is missing, people of two families
Relatives relatives_of(const asking::FamilyFile& file, const std::vector<std::string>& missing,
                       const match::Queries& queries);

}  // namespace fastid::kin
