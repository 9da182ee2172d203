/// \file
/// Where the best pairs of a question come from: an engine that searches all rows, or a shard's, whose part
/// takes them, or the parts of all shards. A question is asked the same way in each case; only Work knows.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "asking/internal/haplotype_count.hpp"
#include "asking/work.hpp"
#include "bits/shard.hpp"
#include "db/database.hpp"
#include "db/row_choice.hpp"
#include "engine/engine.hpp"
#include "match/histogram.hpp"
#include "match/match_table.hpp"
#include "match/queries.hpp"
#include "match/ranking.hpp"
#include "part/part_set.hpp"
#include "pipeline/search.hpp"

namespace fastid::asking {

struct SearchOptions;

/// A question that is ready to be searched for.
struct PreparedQuestion {
  const SearchOptions& options;
  const db::Reader& reader;
  const db::ChosenRows& chosen;
  const engine::Problem& problem;
  pipeline::Keeping keeping;             ///< `rules` has one for each query
  HaplotypeCount* haplotypes = nullptr;  ///< counted among the chosen profiles, unless done; null: not
};

class PairFinder {
 public:
  /// Both must outlive this object. \param engine  also for what parts do not hold
  PairFinder(engine::Engine& engine, Work& work) : engine_(engine), work_(work) {}

  /// Says what the answer rests on, and its digest. \throws InputError where a part rests on another one
  void rests_on(std::string_view what, const std::string& digest);

  /// Profiles that are asked for or known; `read` reads their files. \param n_sites  of the panel \param
  /// failed  takes files that are rejected; null: a rejected file is an error
  match::Queries read(std::string_view what, std::uint32_t n_sites,
                      const std::function<match::Queries()>& read, std::vector<match::FailedInput>* failed);

  /// Counts all pairs of a sample's profiles with all queries. \throws InputError, Interrupted
  void count(const BlockSource& sample, const engine::Problem& problem, std::size_t threads,
             match::CountHistograms& histograms);

  /// The best pairs, which are verified. No value: another process goes on with them. \throws InputError,
  /// DeviceError
  std::optional<std::vector<match::RankedPairs>> rank(const PreparedQuestion& asked, match::RunInfo& run);

 private:
  void rank_shard(const PreparedQuestion& asked, part::Head& head, part::Writer& to) const;
  std::vector<match::RankedPairs> merge(const PreparedQuestion& asked, const part::PartSet& parts,
                                        match::RunInfo& run) const;

  engine::Engine& engine_;
  Work& work_;
  std::vector<part::Basis> basis_;
};

/// What identifies the content of a database, for rests_on().
std::string digest_of(const db::Reader& reader);
/// The same of the profiles that are chosen.
std::string digest_of(const db::ChosenRows& chosen);

}  // namespace fastid::asking
