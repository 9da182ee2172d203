#include "linked/screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/process.hpp"
#include "engine/tile_worker.hpp"
#include "linked/internal/screen_table.hpp"

namespace fastid::linked {

struct Screen::OfPopulation {
  ScreenTable table;
  std::vector<Seen> seen;                              ///< [query * sites + site]
  std::vector<std::vector<std::array<float, 4>>> own;  ///< [query][site]; empty where the query is called

  QueryEmissions emissions_of(std::size_t query) const {
    if (own[query].empty()) return linked::emissions_of(table, seen.data() + query * table.steps.size());
    QueryEmissions emissions;
    for (const std::array<float, 4>& of_site : own[query]) emissions.push_back(of_site.data());
    return emissions;
  }
};

Screen::Screen(std::span<const LinkedModel> models, const ProfileRows& queries,
               std::span<const SampleLikelihoods* const> samples)
    : queries_(queries), samples_(samples.begin(), samples.end()) {
  samples_.resize(queries.n_rows());
  for (const LinkedModel& model : models) {
    std::vector<std::uint32_t> places;
    for (const MappedSite& site : model.sites()) places.push_back(site.site);
    OfPopulation& of = populations_.emplace_back();
    of.table = screen_table(model, places);
    of.seen.reserve(checked_mul(queries.n_rows(), places.size()));
    for (std::size_t query = 0; query < queries.n_rows(); ++query) {
      add_seen(queries.row(query), places, of.seen);
      of.own.emplace_back();
      if (samples_[query] != nullptr) of.own.back() = own_emissions(model, *samples_[query]);
    }
  }
}

Screen::~Screen() = default;

PairCounts Screen::count_pair(std::size_t query, const BlocksView& view, std::uint64_t profile) const {
  PairCounts counts{0, 1, compared(query, view, profile)};
  for (const OfPopulation& of : populations_) {
    const ScreenState end = plain_end(of.table, of.emissions_of(query), view, profile);
    counts.count = std::max(counts.count, screen_count(end, of.table.groups.back().one));
  }
  return counts;
}

std::uint32_t Screen::compared(std::size_t query, const BlocksView& view, std::uint64_t profile) const {
  const std::span<const Word> sites =
      samples_[query] != nullptr ? samples_[query]->mask() : queries_.row(query).called;
  return compared_sites(sites, view, profile);
}

double Screen::log10_ratio(const PairCounts& counts) {
  const auto place = std::int64_t{kScreenOfOne} - counts.count;
  const double mantissa = 1 + static_cast<double>(place & ((1 << kScreenBits) - 1)) / (1 << kScreenBits);
  return std::log10(mantissa) + std::log10(2.) * static_cast<double>(place >> kScreenBits);
}

class ScreenWorker final : public TileWorker {
 public:
  ScreenWorker(const Screen& screen, const Problem& problem, std::size_t tile_blocks)
      : TileWorker(problem, tile_blocks), screen_(screen) {}

  std::size_t compare(const Tile& tile, std::span<const std::uint64_t>, std::span<const Threshold> thresholds,
                      std::vector<Pair>& out) override {
    const BlocksView view = view_of(tile);
    lowest_.resize(tile.n_blocks() * fastid::kLanes);
    of_population_.resize(lowest_.size());
    for (std::uint32_t query = 0; query < thresholds.size(); ++query) {
      std::ranges::fill(lowest_, 0);
      for (const Screen::OfPopulation& of : screen_.populations_) {
        pass_screen(of.table, of.emissions_of(query).data(), view, of_population_.data());
        std::ranges::transform(lowest_, of_population_, lowest_.begin(), std::ranges::max);
      }
      for (std::uint64_t place = 0; place < tile.shape.n_profiles; ++place) {
        PairCounts counts{lowest_[static_cast<std::size_t>(place)], 1, 0};
        if (!thresholds[query].passes(counts)) continue;
        counts.compared = screen_.compared(query, view, place);
        out.push_back({tile.first_row() + place, query, counts});
      }
    }
    return 0;
  }

 private:
  const Screen& screen_;
  std::vector<std::uint32_t> lowest_, of_population_;
};

namespace {

class ScreenQueries final : public PreparedQueries {
 public:
  ScreenQueries(const Screen& screen, const Problem& problem) : screen_(screen), problem_(problem) {}
  std::unique_ptr<Worker> open_worker(std::size_t tile_blocks) override {
    return std::make_unique<ScreenWorker>(screen_, problem_, tile_blocks);
  }

 private:
  const Screen& screen_;
  Problem problem_;
};

class ScreenEngine final : public Engine {
 public:
  ScreenEngine(const Screen& screen, std::size_t threads)
      : screen_(screen), options_{.threads = threads_or_all(threads)} {}

  std::string name() const override { return "cpu"; }
  std::string description() const override {
    return fmt::format("native CPU engine, chains along the map, {}, {} thread{}", cpu_engine_target(),
                       options_.threads, options_.threads == 1 ? "" : "s");
  }
  WorkPlan plan(const Problem& problem) const override {
    constexpr std::size_t kTileBytes = std::size_t{1} << 20;
    return tile_plan(problem, options_, kTileBytes);
  }
  std::unique_ptr<PreparedQueries> prepare(const Problem& problem, const WorkPlan&) override {
    return std::make_unique<ScreenQueries>(screen_, problem);
  }

 private:
  const Screen& screen_;
  EngineOptions options_;
};

}  // namespace

std::unique_ptr<Engine> Screen::make_engine(std::size_t threads) const {
  return std::make_unique<ScreenEngine>(*this, threads);
}

}  // namespace fastid::linked
