#include "pipeline/sample.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "pipeline/pipeline.hpp"

namespace fastid {
namespace {

void stream_sample(const Spread& sample, const Problem& problem, std::size_t threads, PairSink& sink) {
  Problem of_sample = problem;
  of_sample.database = sample.shape();
  Progress silent(ProgressMode::kNever, "", "", 0);
  const auto native = make_cpu_engine({.threads = threads});
  stream(sample, of_sample, *native, sink, silent);
}

}  // namespace

Spread::Spread(const BlockSource& source, std::uint64_t step, std::uint64_t n_blocks)
    : source_(source), step_(step), shape_{0, source.shape().n_sites} {
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

std::uint64_t rank_sample(const BlockSource& database, const Problem& problem, std::size_t threads,
                          Ranking& ranking) {
  constexpr std::uint64_t kFewest = 8, kMost = 256, kShare = 64;
  const std::uint64_t all = database.shape().n_blocks();
  const std::uint64_t n =
      std::min(all / kShare, std::clamp<std::uint64_t>(problem.queries->n_rows(), kFewest, kMost));
  if (n < kFewest) return 0;
  stream_sample(Spread(database, all / n, n), problem, threads, ranking);
  return n;
}

Spread histogram_sample(const BlockSource& database) {
  constexpr std::uint64_t kBlocks = 512;  // 16,384 profiles
  const std::uint64_t all = database.shape().n_blocks();
  const std::uint64_t step = std::max<std::uint64_t>(1, all / kBlocks);
  return {database, step, ceil_div(all, step)};
}

void count_sample(const Spread& sample, const Problem& problem, std::size_t threads,
                  CountHistograms& histograms) {
  stream_sample(sample, problem, threads, histograms);
}

}  // namespace fastid
