#include "pipeline/sample.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/process.hpp"
#include "base/thread_pool.hpp"
#include "match/masked_sink.hpp"
#include "pipeline/pipeline.hpp"

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

}  // namespace fastid::pipeline
