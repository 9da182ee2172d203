/// \file
/// The relations in a cohort that a file of pairs, a file of groups or a pedigree states, name by name.
///
///   pairs       id id [relation]                          without a relation they are the same person
///   groups      id group [relation]                       all members of a group have it to each other
///   a pedigree  family person father mother sex phenotype ...    a PLINK .fam or PED file
///
/// Columns are separated by tabs, in a line without a tab by blanks; a line that begins with # is a comment.
/// A file whose first line names columns profile, relative and relation, as `fastid db simulate` writes it,
/// has pairs. Any other file of six or more columns is a pedigree. A file of two or three columns has pairs
/// where each line names two profiles of the cohort, and groups where no line's second word is a profile, or
/// a line has the same word twice.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "panel/site_class.hpp"
#include "questions/pairs/cohort/roster.hpp"

namespace fastid::pairs {

/// The most pairs that may be expected.
inline constexpr std::size_t kMostExpected = 10'000'000;

/// Names are indices of Statements::names.
struct Statement {
  std::size_t first = 0, second = 0;
  std::string_view relation;
  std::size_t line = 0;  ///< 0: the statement is from a pedigree
};

struct Statements {
  struct Name {
    std::string text;
    std::vector<Node> nodes;      ///< not empty
    std::optional<Sex> sex = {};  ///< what a pedigree says
  };
  std::string path, sha256;
  std::string kind;          ///< "pairs", "groups", "pedigree"
  std::size_t n_absent = 0;  ///< pedigree: people who are not in the cohort
  std::vector<Name> names;
  std::vector<Statement> statements;
};

/// Ids that two databases share are among the names, whether the file has them or not: each is one person.
/// \throws InputError naming the line: columns, ids that are not in the cohort, words that are no relation,
/// repeated lines, a group with two relations, a pedigree whose fifth column is no sex, more than
/// kMostExpected pairs. A pedigree may name people who are not in the cohort, but not only such people;
/// read_family() has its further rules.
Statements read_statements(const std::string& path, const Roster& roster);

}  // namespace fastid::pairs
