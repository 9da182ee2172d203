/// \file
/// From the close pairs of a cohort to its table: relations, groups, the expectation and how it was met,
/// exchanged labels, and the largest set without relatives.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "match/close_pair.hpp"
#include "panel/site_class.hpp"
#include "questions/pairs/cohort_table.hpp"

namespace fastid::pairs {

/// Gives the sexes of ascending rows of the database (0) or of the second one (1), by their X and Y; no value
/// where the sex is not known, or a row takes no part.
using SexesOfRows =
    std::function<std::vector<std::optional<Sex>>(std::size_t database, std::span<const std::uint64_t> rows)>;

struct CohortOptions {
  match::PairsFacts facts;
  /// The ids of all rows of the database, and of the second one where there is one. An id in both is one
  /// person.
  std::span<const std::string> ids, second_ids;
  /// Whether the search compared two rows, as in ClosePair. Empty: all pairs of one database, or of one with
  /// the other, were compared.
  std::function<bool(std::uint64_t first, std::uint64_t second)> compared;
  /// Whether a row of the database was compared with all others that take part. Empty: all rows were.
  std::function<bool(std::uint64_t row)> takes_part;
  /// Empty: no sex is known.
  SexesOfRows sexes;
  std::string expect;      ///< path of a file (questions/pairs/cohort/statements.hpp); "": none
  bool unrelated = false;  ///< also choose the largest set without relatives; of one database only
  /// No two profiles of that set have a kinship this high. No value: no two are a pair that was found.
  std::optional<double> unrelated_kinship = {};
};

class CohortAnalysis {
 public:
  /// Reads the expectation, so that a bad file is refused before a search. \param options  the ids must
  /// outlive this object \throws InputError
  explicit CohortAnalysis(CohortOptions options);
  ~CohortAnalysis();

  /// \param pairs  in any order, each once
  CohortTable table(std::vector<match::ClosePair> pairs) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fastid::pairs
