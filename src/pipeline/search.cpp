#include "pipeline/search.hpp"

#include <algorithm>
#include <future>
#include <memory>
#include <optional>

#include "base/checked.hpp"
#include "base/clock.hpp"
#include "base/process.hpp"
#include "base/thread_pool.hpp"
#include "bits/selected.hpp"
#include "match/masked_sink.hpp"

namespace fastid::pipeline {
namespace {

void stream_sample(const BlockSource& sample, const engine::Problem& problem, std::size_t threads,
                   match::PairSink& sink) {
  engine::Problem of_sample = problem;
  of_sample.database = sample.shape();
  Progress silent(ProgressMode::kNever, "", "", 0);
  const auto native = engine::make_cpu_engine({.threads = threads});
  stream(sample, of_sample, *native, sink, silent);
}

}  // namespace

Spread::Spread(const BlockSource& source, std::uint64_t step, std::uint64_t n_blocks)
    : source_(source), step_(step), shape_(source.shape().with(0)) {
  if (n_blocks == 0) return;
  const std::uint64_t last = (n_blocks - 1) * step;
  shape_.n_profiles =
      (n_blocks - 1) * kLanes + std::min<std::uint64_t>(kLanes, source.shape().n_profiles - last * kLanes);
}

void Spread::read(std::uint64_t first, std::size_t n, Word* bits, Word* called) const {
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t at = i * shape_.block_words();
    source_.read((first + i) * step_, 1, bits + at, called == nullptr ? nullptr : called + at);
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
  WordBuffer called(database.has_second() ? bits.size() : 0);
  spread.read(0, static_cast<std::size_t>(n), bits.data(), called.data());
  const MemorySource sample({spread.shape(), bits.data(), database.has_second() ? called.data() : nullptr});
  ThreadPool pool(std::min(threads_or_all(threads), n_queries));
  const std::size_t part = ceil_div(n_queries, pool.threads());
  pool.for_each(ceil_div(n_queries, part), [&](std::size_t i, const ThreadPool::Stop&) {
    const std::size_t first = i * part, n_own = std::min(part, n_queries - first);
    const ProfileRows queries = problem.queries->slice(first, n_own);
    match::Ranking ranking(n_own, rule, own.empty() ? own : own.subspan(first, n_own));
    engine::Problem asked = problem;
    asked.queries = &queries;
    if (rows == nullptr) {
      stream_sample(sample, asked, 1, ranking);
    } else {
      match::MaskedSink held(ranking, *rows, spread.step());
      stream_sample(sample, asked, 1, held);
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
                  match::CountHistograms& histograms) {
  stream_sample(sample, problem, threads, histograms);
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

}  // namespace fastid::pipeline
