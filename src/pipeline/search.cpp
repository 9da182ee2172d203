#include "pipeline/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <future>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "base/checked.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/process.hpp"
#include "base/stage_time.hpp"
#include "base/thread_pool.hpp"
#include "bits/selected.hpp"
#include "match/masked_sink.hpp"

namespace fastid::pipeline {

Spread::Spread(const BlockSource& source, std::uint64_t step, std::uint64_t n_blocks)
    : source_(source), step_(step), shape_(source.shape().with(0)) {
  if (n_blocks == 0) return;
  const std::uint64_t last = (n_blocks - 1) * step;
  shape_.n_profiles =
      (n_blocks - 1) * kLanes + std::min<std::uint64_t>(kLanes, source.shape().n_profiles - last * kLanes);
}

void Spread::read(std::uint64_t first, std::size_t n, Word* bits, Word* second) const {
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t at = i * shape_.block_words();
    source_.read((first + i) * step_, 1, bits + at, second == nullptr ? nullptr : second + at);
  }
}

std::uint64_t sample_blocks(const BlockShape& database, std::size_t n_queries) {
  constexpr std::uint64_t kFewest = 8, kMost = 256, kShare = 64;
  const std::uint64_t n =
      std::min(database.n_blocks() / kShare, std::clamp<std::uint64_t>(n_queries, kFewest, kMost));
  return n < kFewest || n_queries == 0 ? 0 : n;
}

std::vector<engine::Threshold> sample_thresholds(const BlockSource& database, const engine::Problem& problem,
                                                 const match::KeepRule& rule,
                                                 std::span<const match::QueryRule> own, std::size_t threads,
                                                 const RowMask* rows) {
  const std::size_t n_queries = problem.queries->n_rows();
  const std::uint64_t n = sample_blocks(database.shape(), n_queries);
  std::vector<engine::Threshold> thresholds(n_queries);
  if (n == 0) {
    match::Ranking(n_queries, rule, own).thresholds(thresholds);  // those that hold before any pair is kept
    return thresholds;
  }
  const Spread spread(database, database.shape().n_blocks() / n, n);
  WordBuffer bits(static_cast<std::size_t>(n) * spread.shape().block_words());
  WordBuffer second(database.has_second() ? bits.size() : 0);
  spread.read(0, static_cast<std::size_t>(n), bits.data(), second.data());
  const MemorySource sample({spread.shape(), bits.data(), database.has_second() ? second.data() : nullptr});
  ThreadPool pool(std::min(threads_or_all(threads), n_queries));
  const std::size_t part = ceil_div(n_queries, pool.threads());
  pool.for_each(ceil_div(n_queries, part), [&](std::size_t i, const ThreadPool::Stop&) {
    const std::size_t first = i * part, n_own = std::min(part, n_queries - first);
    const ProfileRows queries = problem.queries->slice(first, n_own);
    match::Ranking ranking(n_own, rule, own.empty() ? own : own.subspan(first, n_own));
    engine::Problem asked = problem;
    asked.queries = &queries;
    if (rows == nullptr) {
      count_sample(sample, asked, 1, ranking);
    } else {
      match::MaskedSink held(ranking, *rows, spread.step());
      count_sample(sample, asked, 1, held);
    }
    ranking.thresholds(std::span(thresholds).subspan(first, n_own));
  });
  return thresholds;
}

Spread systematic_sample(const BlockSource& database, std::uint64_t blocks) {
  const std::uint64_t all = database.shape().n_blocks();
  const std::uint64_t step = std::max<std::uint64_t>(1, all / blocks);
  return {database, step, ceil_div(all, step)};
}

Spread histogram_sample(const BlockSource& database) {
  constexpr std::uint64_t kBlocks = 512;  // 16,384 profiles
  return systematic_sample(database, kBlocks);
}

void count_sample(const BlockSource& sample, const engine::Problem& problem, std::size_t threads,
                  match::PairSink& sink) {
  engine::Problem of_sample = problem;
  of_sample.database = sample.shape();
  Progress silent(ProgressMode::kNever, "", "", 0);
  const auto cpu = engine::make_cpu_engine({.threads = threads});
  stream(sample, of_sample, *cpu, sink, silent);
}

namespace {

/// A ranking whose first thresholds come from a sample. Who asks for them waits until they are there, so that
/// the sample is ranked while the engine prepares the queries and the first tiles are read.
class SampledRanking final : public match::PairSink {
 public:
  SampledRanking(match::Ranking& ranking, std::shared_future<void> sampled)
      : ranking_(ranking), sampled_(std::move(sampled)) {}
  void thresholds(std::span<engine::Threshold> out) const override {
    sampled_.get();
    ranking_.thresholds(out);
  }
  std::uint64_t keeps() const override { return ranking_.keeps(); }
  void take(std::span<const engine::Pair> pairs) override { ranking_.take(pairs); }

 private:
  match::Ranking& ranking_;
  std::shared_future<void> sampled_;
};

SearchResult search_blocks(const BlockSource& database, const engine::Problem& problem,
                           engine::Engine& engine, const Keeping& keeping, std::size_t threads,
                           Progress& progress, const RowMask* rows) {
  std::optional<match::SharedThresholds> own_thresholds;
  if (keeping.thresholds == nullptr)
    own_thresholds.emplace(problem.queries->n_rows(), keeping.rule, keeping.rules);
  match::Ranking ranking(own_thresholds ? *own_thresholds : *keeping.thresholds, keeping.rule);
  double sample_seconds = 0;
  std::packaged_task<void()> sample([&] {
    if (problem.custom_count != nullptr) return;  // such a count is not sampled
    const Stopwatch sampling;
    ranking.start_from(sample_thresholds(database, problem, keeping.rule, keeping.rules, threads, rows));
    sample_seconds = sampling.seconds();
  });
  SampledRanking sampled(ranking, sample.get_future());
  std::optional<match::MaskedSink> masked;
  if (rows != nullptr) masked.emplace(sampled, *rows);
  match::PairSink& sink = masked ? static_cast<match::PairSink&>(*masked) : sampled;
  ThreadPool beside(2);
  const ThreadPool::Task task = beside.start([&] { sample(); });
  SearchResult result;
  result.stats = stream(
      database, problem, engine, sink, progress,
      problem.custom_count != nullptr ? 0 : sample_blocks(database.shape(), problem.queries->n_rows()));
  result.stats.sample_seconds = sample_seconds;
  result.ranked = ranking.result();
  return result;
}

}  // namespace

SearchResult search_database(const BlockSource& database, const engine::Problem& problem,
                             engine::Engine& engine, const Keeping& keeping, std::size_t threads,
                             Progress& progress, const RowMask* rows) {
  // With fewer than one row of so many, gathering them costs less than to compare all and to leave pairs out.
  constexpr std::uint64_t kFew = 64;
  if (rows == nullptr || rows->count() * kFew >= rows->rows())
    return search_blocks(database, problem, engine, keeping, threads, progress, rows);
  const SelectedRows few(database, rows->list());
  engine::Problem asked = problem;
  asked.database = few.shape();
  SearchResult result = search_blocks(few, asked, engine, keeping, threads, progress, nullptr);
  for (match::RankedPairs& query : result.ranked)
    for (engine::Pair& pair : query.pairs) pair.row = few.rows()[static_cast<std::size_t>(pair.row)];
  return result;
}

match::Blame blame_on(const engine::Engine& engine) {
  return [&engine](std::uint64_t, const std::string& problem) {
    throw WrongAnswer(fmt::format("{} {}", engine.name(), problem));
  };
}

engine::PairCounts counts_of(engine::Comparison comparison, const engine::GenotypeCounts& genotypes) {
  const auto& [compared, ibs0, both_het, first_het, second_het] = genotypes;
  if (comparison == engine::Comparison::kIdentity) return {genotypes.alleles_apart(), compared, compared};
  return {genotypes.alleles_apart() + 2 * ibs0, std::min(first_het, second_het), compared};
}

engine::PairCounts Recount::counts_of(const BlocksView& block, const engine::Pair& pair) {
  const std::uint64_t lane = pair.row % kLanes;
  if (problem_.custom_count != nullptr) return problem_.custom_count->count_pair(pair.query, block, lane);
  if (pair.row / kLanes != block_ || pair.query != query_) {
    block_ = pair.row / kLanes, query_ = pair.query;
    counted_ = 0;
  }
  if ((counted_ >> lane & 1) == 0)
    counted_ |= engine::count_block(problem_.comparison, problem_.by, problem_.queries->row(pair.query),
                                    block, counts_, Word{1} << lane);
  return counts_[lane];
}

void Recount::check(const BlocksView& block, const engine::Pair& pair) {
  hold(pair, counts_of(block, pair));
}

void Recount::hold(const engine::Pair& pair, const engine::PairCounts& right) const {
  if (pair.counts == right) return;
  blame_(pair.row, fmt::format("counted {} of {} sites for query {} and row {}, where {} of {} is right",
                               pair.counts.count, pair.counts.denominator, pair.query, pair.row, right.count,
                               right.denominator));
}

void verify(const BlockSource& database, const engine::Problem& problem, const match::Blame& blame,
            std::span<const match::RankedPairs> ranked, std::size_t threads) {
  constexpr std::size_t kPiece = 128;
  std::vector<engine::Pair> pairs;
  for (const match::RankedPairs& of_query : ranked)
    pairs.insert(pairs.end(), of_query.pairs.begin(), of_query.pairs.end());
  std::ranges::sort(pairs, {}, [](const engine::Pair& pair) {  // so that a block is read once
    return std::tuple(pair.row / kLanes, pair.query, pair.row);
  });
  const std::size_t pieces = ceil_div(pairs.size(), kPiece);
  ThreadPool(std::min(threads, pieces)).for_each(pieces, [&](std::size_t i, const ThreadPool::Stop&) {
    check_interrupt();
    const InStage stage(AnswerStage::kVerify);
    BlockReader blocks(database);
    Recount recount(problem, blame);
    for (const engine::Pair& pair :
         std::span(pairs).subspan(i * kPiece, std::min(kPiece, pairs.size() - i * kPiece)))
      recount.check(blocks.block_of(pair.row), pair);
  });
}

}  // namespace fastid::pipeline
