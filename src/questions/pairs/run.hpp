/// \file
/// Everyone against everyone: the close pairs of a database, or of one with another.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "asking/linked_options.hpp"
#include "asking/work.hpp"
#include "base/progress.hpp"
#include "db/row_choice.hpp"
#include "engine/engine.hpp"
#include "match/close_pair.hpp"
#include "match/match_table.hpp"
#include "panel/site_class.hpp"
#include "part/part_set.hpp"
#include "stats/kinship.hpp"
#include "stats/population_model.hpp"

namespace fastid::pairs {

struct PairsOptions {
  std::string database;
  std::string second;         ///< pairs of one of `database` with one of this; "": pairs within `database`
  bool ignore_build = false;  ///< sites of the two are the same by id alone
  std::string within;         ///< file of ids: only profiles of `database` that it lists; "": all
  std::string against;  ///< file of ids: only pairs with one of them, of `second` if there is one; "": all
  db::RowRule rows;     ///< only profiles, of either database, that it chooses
  std::uint64_t new_since = 0;  ///< only pairs with a profile of `database` from this row on

  std::optional<Encoding> by;               ///< not set: alleles where the databases say which were seen
  std::optional<double> min_kinship;        ///< by alleles; in [-10, 0.5]
  std::optional<double> max_mismatch_rate;  ///< in [0, 1]
  bool duplicates = false;                  ///< the same person's: kSameKinship; by bits kSameMismatchRate
  std::uint32_t min_compared = 1;           ///< fewest sites that both have called, at least 1
  std::uint64_t max_pairs = 10'000'000;     ///< more are an error

  bool evidence = true;  ///< likelihood ratios and relations, where the panel has frequencies
  std::string population = "all";
  stats::Parameters parameters;
  std::string blocks;  ///< file of linkage blocks, each of which weighs as one site; "": none
  double margin = stats::kLeastMargin;  ///< that a relation needs to be named, log10
  /// Where pairs are weighed along the map, linked.min_lr says which are listed: not set kCloseLr, but where
  /// another limit is, or `by_kinship`.
  asking::LinkedOptions linked;
  bool by_kinship = false;  ///< without a limit, kCloseKinship says what is close

  std::size_t threads = 0;  ///< of the evidence; 0: as many as the process may use
  ProgressMode progress = ProgressMode::kAuto;
  bool skip_checksums = false;
};

inline constexpr double kCloseLr = 6;  ///< log10 of the ratio of any relative, the default along the map
inline constexpr double kCloseKinship = 0.0884;    ///< KING's bound of the second degree, the other default
inline constexpr double kSameKinship = 0.354;      ///< KING's bound of the same person or identical twins
inline constexpr double kSameMismatchRate = 0.05;  ///< by bits: between misread duplicates and full siblings

/// A question about pairs: opened, then run once.
class PairSearch {
 public:
  /// Opens the databases and reads the lists. \throws InputError, UsageError
  explicit PairSearch(const PairsOptions& options);
  ~PairSearch();

  const match::PairsFacts& facts() const;

  /// Of all rows of the database, and of the second one; none where there is none.
  std::vector<std::string> ids() const;
  std::vector<std::string> second_ids() const;
  /// Whether a pair of rows, as in ClosePair, is one of those that are compared.
  bool compares(std::uint64_t first, std::uint64_t second) const;
  /// Whether a row of the database is in any pair that is compared.
  bool takes_part(std::uint64_t row) const;
  /// The sexes of rows of the database (0) or of the second one (1), by their X and Y; no value for rows that
  /// take no part, and where the panel has no such site. \throws InputError, Interrupted
  std::vector<std::optional<Sex>> sexes(std::size_t database, std::span<const std::uint64_t> rows) const;

  /// Compares all pairs and hands on those that are close, each counted again by the definition: in the order
  /// of the row of `database` that is later (with a second database: of its row), then of the other. The
  /// whole run keeps no more than a strip's pairs in memory. \return how many pairs were found \throws
  /// InputError, DeviceError, Interrupted; Failure where more than max_pairs are close
  using Take = std::function<void(std::span<const match::NamedPair>)>;
  std::uint64_t run(engine::Engine& engine, const Take& take);

  /// Does this process's part of that work; a part has pairs unnamed. \param ran  takes which engines, with
  /// how many workers, have compared \return how many pairs were found; no value where another process has
  /// them \throws as run()
  std::optional<std::uint64_t> find(engine::Engine& engine, asking::Work& work, match::RunInfo& ran,
                                    const Take& take);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fastid::pairs
