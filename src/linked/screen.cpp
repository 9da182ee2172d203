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
  engine::ScreenTable table;
  std::vector<std::vector<std::array<float, 4>>> own;  ///< [query][site]; empty where the query is called

  /// \param query  index among all queries, not within a slice
  engine::QueryEmissions emissions_of(std::size_t query, const RowView& row) const {
    if (own[query].empty()) return engine::emissions_of(table, row);
    engine::QueryEmissions emissions;
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
    const auto of = std::make_shared<OfPopulation>();
    of->table = screen_table(model, places);
    for (const SampleLikelihoods* const sample : samples_) {
      of->own.emplace_back();
      if (sample != nullptr) of->own.back() = own_emissions(model, *sample);
    }
    populations_.push_back(of);
  }
}

Screen::Screen(const Screen& all, const ProfileRows& queries, std::size_t first)
    : queries_(queries), first_(all.first_ + first), populations_(all.populations_) {
  const auto begin = all.samples_.begin() + static_cast<std::ptrdiff_t>(first);
  samples_.assign(begin, begin + static_cast<std::ptrdiff_t>(queries.n_rows()));
}

Screen::~Screen() = default;

std::vector<const engine::ScreenTable*> Screen::tables() const {
  std::vector<const engine::ScreenTable*> tables;
  for (const auto& of : populations_) tables.push_back(&of->table);
  return tables;
}

bool Screen::by_rows() const {
  return std::ranges::all_of(samples_, [](const auto* sample) { return sample == nullptr; });
}

std::unique_ptr<engine::CustomCount> Screen::sliced(const engine::Problem& slice, std::size_t first) const {
  return std::unique_ptr<engine::CustomCount>(new Screen(*this, *slice.queries, first));
}

engine::PairCounts Screen::count_pair(std::size_t query, const BlocksView& view,
                                      std::uint64_t profile) const {
  engine::PairCounts counts{0, 1, compared(query, view, profile)};
  for (const auto& of : populations_) {
    const engine::QueryEmissions emissions = of->emissions_of(first_ + query, queries_.row(query));
    const engine::ScreenState end = engine::plain_end(of->table, emissions, view, profile);
    counts.count = std::max(counts.count, engine::screen_count(end, of->table.groups.back().one));
  }
  return counts;
}

std::uint32_t Screen::compared(std::size_t query, const BlocksView& view, std::uint64_t profile) const {
  const std::span<const Word> sites =
      samples_[query] != nullptr ? samples_[query]->mask() : queries_.row(query).called;
  return engine::compared_sites(sites, view, profile);
}

double Screen::log10_ratio(const engine::PairCounts& counts) {
  const auto place = std::int64_t{engine::kScreenOfOne} - counts.count;
  const double mantissa =
      1 + static_cast<double>(place & ((1 << engine::kScreenBits) - 1)) / (1 << engine::kScreenBits);
  return std::log10(mantissa) + std::log10(2.) * static_cast<double>(place >> engine::kScreenBits);
}

class ScreenWorker final : public engine::TileWorker {
 public:
  ScreenWorker(const Screen& screen, const engine::Problem& problem, std::size_t tile_blocks)
      : engine::TileWorker(problem, tile_blocks), screen_(screen) {}

  std::size_t compare(const engine::Tile& tile, std::span<const std::uint64_t>,
                      std::span<const engine::Threshold> thresholds,
                      std::vector<engine::Pair>& out) override {
    const BlocksView view = view_of(tile);
    lowest_.resize(tile.n_blocks() * fastid::kLanes);
    of_population_.resize(lowest_.size());
    for (std::uint32_t query = 0; query < thresholds.size(); ++query) {
      std::ranges::fill(lowest_, 0);
      for (const auto& of : screen_.populations_) {
        const engine::QueryEmissions emissions =
            of->emissions_of(screen_.first_ + query, screen_.queries_.row(query));
        pass_screen(of->table, emissions.data(), view, of_population_.data());
        std::ranges::transform(lowest_, of_population_, lowest_.begin(), std::ranges::max);
      }
      for (std::uint64_t place = 0; place < tile.shape.n_profiles; ++place) {
        engine::PairCounts counts{lowest_[static_cast<std::size_t>(place)], 1, 0};
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

class ScreenQueries final : public engine::PreparedQueries {
 public:
  ScreenQueries(const Screen& screen, const engine::Problem& problem) : screen_(screen), problem_(problem) {}
  std::unique_ptr<engine::Worker> open_worker(std::size_t tile_blocks) override {
    return std::make_unique<ScreenWorker>(screen_, problem_, tile_blocks);
  }

 private:
  const Screen& screen_;
  engine::Problem problem_;
};

class ScreenEngine final : public engine::Engine {
 public:
  ScreenEngine(const Screen& screen, std::size_t threads)
      : screen_(screen), options_{.threads = threads_or_all(threads)} {}

  std::string name() const override { return "cpu"; }
  std::string description() const override {
    return fmt::format("native CPU engine, chains along the map, {}, {} thread{}",
                       engine::cpu_engine_target(), options_.threads, options_.threads == 1 ? "" : "s");
  }
  engine::WorkPlan plan(const engine::Problem& problem) const override {
    constexpr std::size_t kTileBytes = std::size_t{1} << 20, kBlocks = 2;  // which fill the vectors
    return engine::tile_plan(problem, options_, kTileBytes, kBlocks);
  }
  std::unique_ptr<engine::PreparedQueries> prepare(const engine::Problem& problem,
                                                   const engine::WorkPlan&) override {
    return std::make_unique<ScreenQueries>(screen_, problem);
  }

 private:
  const Screen& screen_;
  engine::EngineOptions options_;
};

}  // namespace

std::unique_ptr<engine::Engine> Screen::make_engine(std::size_t threads) const {
  return std::make_unique<ScreenEngine>(*this, threads);
}

}  // namespace fastid::linked
