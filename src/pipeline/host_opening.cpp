#include "pipeline/host_opening.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace fastid {
namespace {

Problem with_queries(Problem problem, const ProfileRows& queries) {
  problem.queries = &queries;
  return problem;
}

}  // namespace

struct HostOpening::Part {
  ProfileRows queries;
  std::unique_ptr<Engine> engine = make_cpu_engine({.threads = 1});
  Helpers nobody{0};
  std::function<void(std::uint64_t)> silent = [](std::uint64_t) {};
  Pass pass;
  std::size_t tile_blocks;
  std::unique_ptr<Lane> lane;
  LaneLoop loop;

  Part(const Pass& all, ProfileRows rows, std::size_t first)
      : queries(std::move(rows)),
        pass{all.source,
             with_queries(all.problem, queries),
             all.first_query + first,
             all.n_queries,
             *engine,
             nobody,
             all.ranking,
             all.histograms,
             silent},
        tile_blocks(engine->plan(pass.problem).tile_blocks),
        lane(engine->open_lane(pass.problem, tile_blocks)),
        loop(pass, *lane) {}
};

HostOpening::HostOpening(const Pass& pass) : pass_(pass) {
  parts_.resize(host_parts(pass.problem.queries->n_rows(), pass.helpers.threads() + 1));
}

HostOpening::~HostOpening() = default;

void HostOpening::compare(std::uint64_t first, std::uint64_t n) {
  const std::size_t n_queries = pass_.problem.queries->n_rows();
  pass_.helpers.share(parts_.size(), [&](std::size_t i) {
    std::unique_ptr<Part>& part = parts_[i];
    const std::size_t from = i * n_queries / parts_.size(), to = (i + 1) * n_queries / parts_.size();
    if (!part) part = std::make_unique<Part>(pass_, pass_.problem.queries->slice(from, to - from), from);
    for (std::uint64_t at = 0; at < n; at += part->tile_blocks)
      part->loop.process(
          {first + at, static_cast<std::size_t>(std::min<std::uint64_t>(part->tile_blocks, n - at))});
  });
  pass_.on_profiles(n * kLanes);
}

StreamStats HostOpening::stats() const {
  StreamStats total;
  for (const auto& part : parts_) {
    if (!part) continue;
    const StreamStats one = part->loop.stats();
    total.tiles += one.tiles;
    total.candidates += one.candidates;
  }
  return total;
}

}  // namespace fastid
