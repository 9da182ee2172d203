/// \file
/// Everyone against everyone: the close pairs within a database, or between two.
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
  std::string second;         ///< pairs between `database` and this one; "": pairs within `database`
  bool ignore_build = false;  ///< sites of the two databases are matched by id alone
  std::string within;         ///< file of ids: only profiles of `database` that it lists; "": all
  std::string against;  ///< file of ids: only pairs with such a profile, of `second` if there is one; "": all
  db::RowRule rows;     ///< only profiles that this rule chooses, in both databases
  std::uint64_t new_since = 0;  ///< only pairs with a profile of `database` from this row on

  std::optional<Encoding> by;               ///< not set: kAlleles where the databases state the alleles seen
  std::optional<double> min_kinship;        ///< by alleles; in [-10, 0.5]
  std::optional<double> max_mismatch_rate;  ///< in [0, 1]
  bool duplicates = false;  ///< look for one person's profiles: kSameKinship; by bits kSameMismatchRate
  std::uint32_t min_compared = 1;        ///< fewest sites that both have called, at least 1
  std::uint64_t max_pairs = 10'000'000;  ///< more are an error

  bool evidence = true;  ///< likelihood ratios and relations, where the panel has frequencies
  std::string population = "all";
  stats::Parameters parameters;
  std::string blocks;                   ///< file of linkage blocks, which weigh as one site each; "": none
  double margin = stats::kLeastMargin;  ///< log10 margin that a relation needs to be named
  /// Along the map, linked.min_lr limits what is listed. Not set: kCloseLr, unless another limit is set or
  /// `by_kinship`.
  asking::LinkedOptions linked;
  bool by_kinship = false;  ///< without another limit, the limit is kCloseKinship

  std::size_t threads = 0;  ///< threads for the evidence; 0: as many as the process may use
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

  /// The ids of all rows of the database, and of the second one; empty where there is none.
  std::vector<std::string> ids() const;
  std::vector<std::string> second_ids() const;
  /// Whether the search compares a pair of rows, given as in ClosePair.
  bool compares(std::uint64_t first, std::uint64_t second) const;
  /// Whether a row of the database is in any pair that is compared.
  bool takes_part(std::uint64_t row) const;
  /// The sexes of rows of the database (0) or of the second one (1), by their X and Y; no value for rows that
  /// take no part, and where the panel has no such site. \throws InputError, Interrupted
  std::vector<std::optional<Sex>> sexes(std::size_t database, std::span<const std::uint64_t> rows) const;

  /// Compares all pairs and passes on the close ones, each counted again by the definition. They are ordered
  /// by the later row of `database` (with a second database: by the row of `database`), then by the other
  /// row. Only a strip's pairs are in memory at a time. \return the number of pairs found \throws InputError,
  /// DeviceError, Interrupted; Failure where more than max_pairs are close
  using Take = std::function<void(std::span<const match::NamedPair>)>;
  std::uint64_t run(engine::Engine& engine, const Take& take);

  /// Does this process's share of run(); pairs in a part have no names. \param ran  takes the engines that
  /// have compared and their numbers of workers \return the number of pairs found; no value where another
  /// process has them \throws as run()
  std::optional<std::uint64_t> find(engine::Engine& engine, asking::Work& work, match::RunInfo& ran,
                                    const Take& take);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fastid::pairs
