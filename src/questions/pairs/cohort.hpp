/// \file
/// From the close pairs of a cohort to its table: relations, groups, what was expected, exchanged labels, and
/// the largest set without relatives.
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

/// The sexes of ascending rows of the database (0) or of the second one (1), by their X and Y; no value where
/// that is not known, or a row takes no part.
using SexesOfRows =
    std::function<std::vector<std::optional<Sex>>(std::size_t database, std::span<const std::uint64_t> rows)>;

struct CohortOptions {
  match::PairsFacts facts;
  /// Of all rows of the database, and of the second one where there is one. Where both have an id, it is one
  /// person's.
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
  /// Of that set no two have so high a kinship. No value: no two are a pair that was found.
  std::optional<double> unrelated_kinship = {};
};

class CohortAnalysis {
 public:
  /// Reads what is expected, so that a file that is refused is so before a search. \param options  the ids
  /// must outlive this object \throws InputError
  explicit CohortAnalysis(CohortOptions options);
  ~CohortAnalysis();

  /// \param pairs  in any order, each once
  CohortTable table(std::vector<match::ClosePair> pairs) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fastid::pairs
