/// \file
/// Where the best pairs of a question come from, and which machine goes on with them. A question is asked the
/// same way whether one machine answers it, or a shard of it, or merges what shards have found.
///
///   EngineFinder   searches all rows
///   ShardFinder    searches a shard's rows, and writes what it finds to its part: there the question ends
///   PartsFinder    reads the parts of all shards
///   TeamFinder     searches shards beside other processes; in the one that leads, the question goes on
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "asking/internal/haplotype_count.hpp"
#include "asking/queries.hpp"
#include "asking/team.hpp"
#include "bits/shard.hpp"
#include "db/database.hpp"
#include "db/row_choice.hpp"
#include "engine/engine.hpp"
#include "match/histogram.hpp"
#include "match/match_table.hpp"
#include "match/ranking.hpp"
#include "part/part_set.hpp"
#include "pipeline/pipeline.hpp"

namespace fastid {

struct SearchOptions;

/// A question that is ready to be searched for.
struct Asked {
  const SearchOptions& options;
  const db::Reader& reader;
  const db::ChosenRows& chosen;
  const Problem& problem;
  Keeping keeping;                       ///< `own` has one for each query
  HaplotypeCount* haplotypes = nullptr;  ///< counted among the chosen profiles, unless done; null: not
};

class PairFinder {
 public:
  virtual ~PairFinder() = default;

  /// Says what the answer rests on, and its digest. \throws InputError where a part rests on another one
  virtual void rests_on(std::string_view what, const std::string& digest);

  /// Profiles that are asked for or known; `read` reads their files. \param n_sites  of the panel \param
  /// failed  takes files that are rejected; null: a rejected file is an error
  virtual Queries read(std::string_view what, std::uint32_t n_sites, const std::function<Queries()>& read,
                       std::vector<FailedInput>* failed);

  /// Counts all pairs of a sample's profiles with all queries. \throws InputError, Interrupted
  virtual void count(const BlockSource& sample, const Problem& problem, std::size_t threads,
                     CountHistograms& histograms);

  /// The best pairs, which are verified. No value: another process goes on with them. \throws InputError,
  /// DeviceError
  virtual std::optional<std::vector<RankedPairs>> rank(const Asked& asked, RunInfo& run) = 0;
};

class EngineFinder final : public PairFinder {
 public:
  explicit EngineFinder(Engine& engine) : engine_(engine) {}
  std::optional<std::vector<RankedPairs>> rank(const Asked& asked, RunInfo& run) override;

 private:
  Engine& engine_;
};

class ShardFinder final : public PairFinder {
 public:
  /// \param head  of the part, as far as it is known before the search; takes the rest
  ShardFinder(Engine& engine, part::Head& head, part::Writer& to) : engine_(engine), head_(head), to_(to) {}

  void rests_on(std::string_view what, const std::string& digest) override;
  Queries read(std::string_view what, std::uint32_t n_sites, const std::function<Queries()>& read,
               std::vector<FailedInput>* failed) override;
  void count(const BlockSource& sample, const Problem& problem, std::size_t threads,
             CountHistograms& histograms) override;
  std::optional<std::vector<RankedPairs>> rank(const Asked& asked, RunInfo& run) override;

 private:
  Engine& engine_;
  part::Head& head_;
  part::Writer& to_;
};

class PartsFinder final : public PairFinder {
 public:
  /// \param engine  for what the parts do not hold
  PartsFinder(const part::PartSet& parts, Engine& engine) : parts_(parts), engine_(engine) {}

  void rests_on(std::string_view what, const std::string& digest) override;
  Queries read(std::string_view what, std::uint32_t n_sites, const std::function<Queries()>& read,
               std::vector<FailedInput>* failed) override;
  void count(const BlockSource& sample, const Problem& problem, std::size_t threads,
             CountHistograms& histograms) override;
  std::optional<std::vector<RankedPairs>> rank(const Asked& asked, RunInfo& run) override;

 private:
  /// The part that has a row of the database.
  const part::File& part_of(std::uint64_t row, const BlockShape& database) const;

  const part::PartSet& parts_;
  Engine& engine_;
};

class TeamFinder final : public PairFinder {
 public:
  TeamFinder(Team& team, Engine& engine) : team_(team), engine_(engine) {}

  void rests_on(std::string_view what, const std::string& digest) override;
  Queries read(std::string_view what, std::uint32_t n_sites, const std::function<Queries()>& read,
               std::vector<FailedInput>* failed) override;
  void count(const BlockSource& sample, const Problem& problem, std::size_t threads,
             CountHistograms& histograms) override;
  std::optional<std::vector<RankedPairs>> rank(const Asked& asked, RunInfo& run) override;

 private:
  /// A part of one of the shards.
  std::string part_of(const Asked& asked, const Shard& shard) const;

  Team& team_;
  Engine& engine_;
  std::vector<part::Basis> basis_;
  std::optional<part::PartSet> parts_;  ///< once they are all done
};

/// What identifies the content of a database, for rests_on().
std::string digest_of(const db::Reader& reader);
/// The same of the profiles that are chosen.
std::string digest_of(const db::ChosenRows& chosen);

}  // namespace fastid
