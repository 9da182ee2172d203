#include "asking/pair_finder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "asking/matches.hpp"
#include "asking/options.hpp"
#include "base/clock.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "bits/block_range.hpp"
#include "match/bars.hpp"
#include "part/candidates.hpp"
#include "part/stored_queries.hpp"
#include "pipeline/sample.hpp"
#include "pipeline/verify.hpp"

namespace fastid {
namespace {

// With --max-chance-matches rows are left out after the search, so that a part holds more than are asked for
// at first.
constexpr std::uint64_t kAhead = 16;

constexpr std::string_view kHaplotypesOfY = "haplotypes of Y", kHaplotypesOfM = "haplotypes of M";
constexpr const char* kQueries = "the queries of the leading process";

/// The different ones of a text of all parts' runs.
template <std::string part::RunFacts::*kText>
std::string joined(const part::PartSet& parts) {
  std::set<std::string> texts;
  for (std::size_t i = 0; i < parts.size(); ++i) texts.insert(parts.part(i).head().run.*kText);
  return fmt::format("{} ({})", fmt::join(texts, "; "), counted(parts.size(), "part"));
}

/// The thresholds of all processes.
class BarExchange final : public Exchange {
 public:
  explicit BarExchange(Bars& bars) : bars_(bars) {}
  std::vector<std::uint64_t> said() const override { return bars_.all(); }
  void hear(std::span<const std::uint64_t> said) override { bars_.hear(said); }

 private:
  Bars& bars_;
};

Range rows_of(const BlockShape& database, const Shard& shard) {
  const Range blocks = share_of(database.n_blocks(), shard);
  return {blocks.first * kLanes, std::min(database.n_profiles, blocks.end * kLanes)};
}

}  // namespace

std::string digest_of(const db::Reader& reader) {
  const db::Header& header = reader.header();
  return fmt::format("{} {} {}", header.content_sha256, header.panel_sha256, header.shape.n_profiles);
}

std::string digest_of(const db::ChosenRows& chosen) {
  if (!chosen.rows) return "all";
  Sha256 hash;
  const std::vector<std::uint64_t> rows = chosen.rows->list();
  hash.update(rows.data(), rows.size() * sizeof rows.front());
  return hash.hex();
}

void PairFinder::rests_on(std::string_view, const std::string&) {}

Queries PairFinder::read(std::string_view, std::uint32_t, const std::function<Queries()>& read,
                         std::vector<FailedInput>*) {
  return read();
}

void PairFinder::count(const BlockSource& sample, const Problem& problem, std::size_t threads,
                       CountHistograms& histograms) {
  count_sample(sample, problem, threads, histograms);
}

std::optional<std::vector<RankedPairs>> EngineFinder::rank(const Asked& asked, RunInfo& run) {
  return ranked_pairs(engine_, asked, {}, run);
}

void ShardFinder::rests_on(std::string_view what, const std::string& digest) {
  head_.basis.push_back({std::string(what), digest});
}

Queries ShardFinder::read(std::string_view what, std::uint32_t, const std::function<Queries()>& read,
                          std::vector<FailedInput>* failed) {
  Queries queries = read();
  rests_on(what, part::digest_of(queries));
  if (head_.shard.index == 1) part::add_queries(what, queries, failed, to_);
  return queries;
}

void ShardFinder::count(const BlockSource& sample, const Problem& problem, std::size_t threads,
                        CountHistograms& histograms) {
  const BlockRange own(sample, share_of(sample.shape().n_blocks(), head_.shard));
  if (own.shape().n_profiles > 0) count_sample(own, problem, threads, histograms);
  part::add_histograms(histograms, problem.queries->n_rows(), to_);
}

std::optional<std::vector<RankedPairs>> ShardFinder::rank(const Asked& asked, RunInfo& run) {
  Asked wider = asked;
  std::uint64_t& top = wider.keeping.rule.top;
  if (asked.options.evidence.max_chance_matches)
    top = top > KeepRule::kAll / kAhead ? KeepRule::kAll : top * kAhead;
  std::unique_ptr<HaplotypeCount> haplotypes;  // of this shard; a process may do several
  if (asked.haplotypes != nullptr) haplotypes = asked.haplotypes->again();
  wider.haplotypes = haplotypes.get();
  part::add_candidates(ranked_pairs(engine_, wider, head_.shard, run), to_);
  if (haplotypes) {
    part::add_histograms(haplotypes->tallies().y, haplotypes->n_queries(), to_, kHaplotypesOfY);
    part::add_histograms(haplotypes->tallies().m, haplotypes->n_queries(), to_, kHaplotypesOfM);
  }
  head_.held = top;
  head_.run = {.engine = run.engine,
               .description = run.description,
               .started_utc = run.started_utc,
               .workers = run.workers,
               .search_seconds = run.search_seconds};
  return std::nullopt;
}

void PartsFinder::rests_on(std::string_view what, const std::string& digest) {
  parts_.check(what, digest);
}

Queries PartsFinder::read(std::string_view what, std::uint32_t n_sites, const std::function<Queries()>&,
                          std::vector<FailedInput>* failed) {
  Queries queries = part::read_queries(what, parts_.part(0), n_sites, failed);
  rests_on(what, part::digest_of(queries));
  return queries;
}

void PartsFinder::count(const BlockSource&, const Problem& problem, std::size_t,
                        CountHistograms& histograms) {
  part::read_histograms(parts_, problem.queries->n_rows(), histograms);
}

std::optional<std::vector<RankedPairs>> PartsFinder::rank(const Asked& asked, RunInfo& run) {
  if (asked.haplotypes != nullptr && !asked.haplotypes->done()) {
    HaplotypeTallies& tallies = asked.haplotypes->tallies();
    part::read_histograms(parts_, asked.haplotypes->n_queries(), tallies.y, kHaplotypesOfY);
    part::read_histograms(parts_, asked.haplotypes->n_queries(), tallies.m, kHaplotypesOfM);
    asked.haplotypes->done(true);
  }
  if (asked.keeping.rule.top > parts_.head().held) {
    log::note("the parts hold {} candidates of a query, and {} are needed: searching here",
              with_commas(parts_.head().held), with_commas(asked.keeping.rule.top));
    return ranked_pairs(engine_, asked, {}, run);
  }
  const Stopwatch merging;
  const std::size_t threads = threads_of(asked.options);
  const auto rows = [&](const Shard& shard) { return rows_of(asked.reader.shape(), shard); };
  std::vector<RankedPairs> ranked = part::merged(parts_, asked.problem.queries->n_rows(), asked.keeping.rule,
                                                 asked.keeping.own, rows, threads);
  log::detail("{} merged in {:.3f} s", counted(parts_.size(), "part"), merging.seconds());
  const Blame blame = [&](std::uint64_t row, const std::string& problem) {
    part_of(row, asked.reader.shape()).refuse(part::kCandidates, problem);
  };
  verify(asked.reader, asked.problem, blame, ranked, threads);
  run.engine = joined<&part::RunFacts::engine>(parts_);
  run.description = joined<&part::RunFacts::description>(parts_);
  for (std::size_t i = 0; i < parts_.size(); ++i) run.workers += parts_.part(i).head().run.workers;
  for (std::size_t i = 0; i < parts_.size(); ++i)
    run.search_seconds += parts_.part(i).head().run.search_seconds;
  return ranked;
}

void TeamFinder::rests_on(std::string_view what, const std::string& digest) {
  basis_.push_back({std::string(what), digest});
}

Queries TeamFinder::read(std::string_view what, std::uint32_t n_sites, const std::function<Queries()>& read,
                         std::vector<FailedInput>* failed) {
  if (!team_.leads()) return part::read_queries(what, part::File(kQueries, team_.told({})), n_sites, failed);
  Queries queries = read();
  part::Writer to;
  part::add_queries(what, queries, failed, to);
  to.finish({});
  team_.told(to.take());
  return queries;
}

// Only the leader needs them, and others have shards to do.
void TeamFinder::count(const BlockSource& sample, const Problem& problem, std::size_t threads,
                       CountHistograms& histograms) {
  if (team_.leads()) count_sample(sample, problem, threads, histograms);
}

std::optional<std::vector<RankedPairs>> TeamFinder::rank(const Asked& asked, RunInfo& run) {
  if (!parts_) {
    Bars bars(asked.problem.queries->n_rows(), asked.keeping.rule, asked.keeping.own);
    BarExchange exchange(bars);
    Asked shared = asked;
    shared.keeping.bars = &bars;
    parts_ = team_.share([&](const Shard& shard) { return part_of(shared, shard); }, &exchange);
  }
  if (!parts_) return std::nullopt;
  for (const auto& [what, digest] : basis_) parts_->check(what, digest);
  say_team(*parts_);
  return PartsFinder(*parts_, engine_).rank(asked, run);
}

std::string TeamFinder::part_of(const Asked& asked, const Shard& shard) const {
  part::Head head{.shard = shard, .basis = basis_};
  part::Writer to;
  RunInfo run{.started_utc = utc_now()};
  ShardFinder(engine_, head, to).rank(asked, run);
  head.run.description = process_text(team_, threads_of(asked.options), head.run.description);
  to.finish(head);
  return to.take();
}

const part::File& PartsFinder::part_of(std::uint64_t row, const BlockShape& database) const {
  std::size_t i = 0;
  while (i + 1 < parts_.size() && row >= rows_of(database, parts_.part(i).head().shard).end) ++i;
  return parts_.part(i);
}

}  // namespace fastid
