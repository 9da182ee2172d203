#include "linked/pair_screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/process.hpp"
#include "engine/tile_worker.hpp"
#include "linked/internal/path_table.hpp"
#include "linked/internal/screen_pass.hpp"
#include "linked/internal/screen_table.hpp"

namespace fastid::linked {
namespace {

constexpr std::uint32_t kMillion = 1'000'000;

/// The count of a ratio, as screen_count() has it.
std::uint32_t count_of(double log10) {
  const double log2 = log10 / std::log10(2.);
  const double whole = std::floor(log2);
  const double place = whole * (1 << engine::kScreenBits) +
                       std::floor((std::exp2(log2 - whole) - 1) * (1 << engine::kScreenBits));
  return static_cast<std::uint32_t>(std::clamp(engine::kScreenOfOne - place, 0., double{UINT32_MAX}));
}

}  // namespace

struct PairScreen::OfPopulation {
  std::vector<std::uint32_t> places;  ///< of the model's sites in packed profiles
  engine::ScreenTable table;
};

PairScreen::PairScreen(std::span<const LinkedModel> models, double min_log10, std::uint32_t min_kinship)
    : most_count_(count_of(min_log10)), kinship_{UINT32_MAX, 2 * kMillion - 4 * min_kinship, kMillion, 0} {
  pack(models);
  std::vector<std::uint32_t> places;
  for (std::uint32_t place = 0; place < origins_.size(); ++place)
    if (origins_[place].site != SiteOrigin::kNone) places.push_back(place);
  by_kinship_ = places.size() < kMostSitesOfKinship;
  if (places.size() < kLeastSitesOfPaths) return;
  test_.sites.resize(ceil_div(origins_.size(), kWordBits));
  for (const std::uint32_t place : places) test_.sites[place / kWordBits] |= Word{1} << place % kWordBits;
  test_.units = engine::path_units(places);
  for (std::size_t i = 0; i < models.size(); ++i) {
    const OfPopulation& of = populations_[i];
    if (of.places.size() < kLeastSitesOfPaths) continue;
    engine::PathTable table = path_table(of.table, models[i], of.places, test_.units, min_log10);
    if (table.least_score > 0) test_.tables.push_back(std::move(table));  // else all pass
  }
}

PairScreen::~PairScreen() = default;

/// Where populations' models have different sites, packed profiles have all of them.
void PairScreen::pack(std::span<const LinkedModel> models) {
  using Place = std::pair<std::uint64_t, std::uint32_t>;  // position, and the panel's site: as mapped_sites()
  std::vector<std::string_view> chromosomes;
  std::map<std::string_view, std::vector<Place>> sites;
  for (const LinkedModel& model : models)
    for (const MappedSite& site : model.sites()) {
      const auto [at, is_new] = sites.try_emplace(site.chrom);
      if (is_new) chromosomes.push_back(site.chrom);
      at->second.emplace_back(site.pos, site.site);
    }
  std::map<std::uint32_t, std::uint32_t> packed;
  for (const std::string_view chromosome : chromosomes) {
    std::vector<Place>& on = sites[chromosome];
    std::ranges::sort(on);
    on.erase(std::unique(on.begin(), on.end()), on.end());
    for (const auto& [pos, site] : on) {
      packed.emplace(site, static_cast<std::uint32_t>(origins_.size()));
      origins_.push_back({.site = site});
    }
    origins_.resize(ceil_div(origins_.size(), kWordBits) * kWordBits);
  }
  for (const LinkedModel& model : models) {
    OfPopulation& of = populations_.emplace_back();
    for (const MappedSite& site : model.sites()) of.places.push_back(packed.at(site.site));
    of.table = screen_table(model, of.places);
  }
}

bool PairScreen::passes(std::uint32_t count, const RowView& query, const BlocksView& view,
                        std::uint64_t profile) const {
  if (count <= most_count_) return true;
  if (!by_kinship_) return false;
  const engine::PairCounts counts =
      engine::count_pair(engine::Comparison::kKinship, Encoding::kAlleles, query, view, profile);
  return counts.denominator > 0 && kinship_.passes(counts);
}

std::vector<const engine::ScreenTable*> PairScreen::tables() const {
  std::vector<const engine::ScreenTable*> tables;
  for (const OfPopulation& of : populations_) tables.push_back(&of.table);
  return tables;
}

std::optional<engine::PairCounts> PairScreen::count_pair(const RowView& query, const BlocksView& view,
                                                         std::uint64_t profile) const {
  if (!test_.passes(query, view, profile)) return std::nullopt;
  const engine::PairCounts counts = engine::screen_pair(tables(), query, view, profile);
  return passes(counts.count, query, view, profile) ? std::optional(counts) : std::nullopt;
}

/// Computes chains on the CPU, for the pairs whose paths pass.
class PairScreenWorker final : public engine::TileWorker {
 public:
  /// \param paths  the queries whose paths are tested; null: all pairs pass
  PairScreenWorker(const PairScreen& screen, const engine::Problem& problem, std::size_t tile_blocks,
                   const engine::PathQueries* paths)
      : engine::TileWorker(problem, tile_blocks), screen_(screen), queries_(*problem.queries), paths_(paths) {
    if (paths != nullptr) finder_.emplace(*paths);
  }

  std::size_t compare(const engine::Tile& tile, std::span<const std::uint64_t>,
                      std::span<const engine::Threshold>, std::vector<engine::Pair>& out) override {
    const BlocksView view = view_of(tile);
    if (finder_) {
      find_paths(tile, view, out);
      return 0;
    }
    for (std::uint32_t query = 0; query < queries_.n_rows(); ++query) {
      slots_.clear();
      add_slot(query, {});
      chain_all(view);
      for (std::uint64_t place = 0; place < tile.shape.n_profiles; ++place)
        add(tile, query, counts_[static_cast<std::size_t>(place)], view, place, place, out);
    }
    return 0;
  }

 private:
  static constexpr std::size_t kSlots = 4;    // fill the vectors of pass_screens()
  using Places = std::vector<std::uint32_t>;  ///< of profiles in a tile

  /// A query, and some of the profiles whose chains with it are computed.
  struct Slot {
    std::uint32_t query = 0;
    std::span<const std::uint32_t> places;
    std::vector<engine::QueryEmissions> emissions;  ///< of each population
  };

  /// Computes the chains of all pairs that were found.
  void chain_found(const engine::Tile& tile, const BlocksView& view, std::vector<engine::Pair>& out) {
    slots_.clear();
    for (std::uint32_t query = 0; query < queries_.n_rows(); ++query) {
      const std::span<const std::uint32_t> found = found_[query];
      for (std::size_t first = 0; first < found.size(); first += kScreenSlot) {
        add_slot(query, found.subspan(first, std::min(kScreenSlot, found.size() - first)));
        if (slots_.size() == kSlots) chain_slots(tile, view, out);
      }
    }
    if (!slots_.empty()) chain_slots(tile, view, out);
    found_.assign(queries_.n_rows(), {});
    n_found_ = 0;
  }

  /// Computes the chains of the pairs whose paths pass. Where there are many, chains are computed in between,
  /// to bound memory.
  void find_paths(const engine::Tile& tile, const BlocksView& view, std::vector<engine::Pair>& out) {
    found_.assign(queries_.n_rows(), {});
    n_found_ = 0;
    for (std::size_t block = 0; block < tile.n_blocks();) {
      block += find_paths_from(view, block);
      if (n_found_ > engine::PathQueries::kMostPairs) chain_found(tile, view, out);
    }
    chain_found(tile, view, out);
  }

  /// Finds paths in some blocks from `first_block` on. Returns the number of blocks.
  std::size_t find_paths_from(const BlocksView& view, std::size_t first_block) {
    const std::size_t left = static_cast<std::size_t>(view.shape.n_blocks()) - first_block;
    const std::size_t n = paths_->blocks(view, first_block, std::min(left, paths_->most_blocks(view.shape)));
    const std::uint64_t first = first_block * fastid::kLanes;
    const std::size_t at = first_block * view.shape.block_words();
    finder_->find(
        {view.shape.with(std::min<std::uint64_t>(n * fastid::kLanes, view.shape.n_profiles - first)),
         view.bits + at, view.second + at},
        static_cast<std::uint32_t>(first), found_);
    n_found_ = 0;
    for (const Places& found : found_) n_found_ += found.size();
    return n;
  }

  void add_slot(std::uint32_t query, std::span<const std::uint32_t> places) {
    Slot slot{query, places, {}};
    if (!slots_.empty() && slots_.back().query == query) {
      slot.emissions = slots_.back().emissions;
    } else {
      for (const PairScreen::OfPopulation& of : screen_.populations_)
        slot.emissions.push_back(engine::emissions_of(of.table, queries_.row(query)));
    }
    slots_.push_back(std::move(slot));
  }

  /// Gathers the slots' profiles and computes their chains.
  void chain_slots(const engine::Tile& tile, const BlocksView& view, std::vector<engine::Pair>& out) {
    const std::size_t block_words = view.shape.block_words();
    if (bits_.size() == 0) {
      bits_ = WordBuffer(kSlots * kScreenSlot / fastid::kLanes * block_words);
      major_ = WordBuffer(bits_.size());
    }
    for (std::size_t i = 0; i < slots_.size(); ++i)
      for (std::size_t k = 0; k < slots_[i].places.size(); ++k) {
        const std::size_t place = slots_[i].places[k], lane = i * kScreenSlot + k;
        const std::size_t from = place / fastid::kLanes * block_words + place % fastid::kLanes,
                          to = lane / fastid::kLanes * block_words + lane % fastid::kLanes;
        for (std::size_t word = 0; word < block_words; word += fastid::kLanes) {
          bits_.data()[to + word] = view.bits[from + word];
          major_.data()[to + word] = view.second[from + word];
        }
      }
    const BlocksView gathered{view.shape.with(kSlots * kScreenSlot), bits_.data(), major_.data()};
    chain_all(gathered);
    for (std::size_t i = 0; i < slots_.size(); ++i)
      for (std::size_t k = 0; k < slots_[i].places.size(); ++k) {
        const std::size_t lane = i * kScreenSlot + k;
        add(tile, slots_[i].query, counts_[lane], gathered, lane, slots_[i].places[k], out);
      }
    slots_.clear();
  }

  /// Puts the count of each profile of a view with its slot's query into counts_; the last slot has the rest.
  void chain_all(const BlocksView& view) {
    counts_.assign(static_cast<std::size_t>(view.shape.n_blocks()) * fastid::kLanes, 0);
    of_population_.resize(counts_.size());
    for (std::size_t i = 0; i < screen_.populations_.size(); ++i) {
      slot_emissions_.assign(counts_.size() / kScreenSlot, slots_.back().emissions[i].data());
      for (std::size_t slot = 0; slot < slots_.size(); ++slot)
        slot_emissions_[slot] = slots_[slot].emissions[i].data();
      pass_screens(screen_.populations_[i].table, slot_emissions_.data(), view, of_population_.data());
      std::ranges::transform(counts_, of_population_, counts_.begin(),
                             [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
    }
  }

  void add(const engine::Tile& tile, std::uint32_t query, std::uint32_t count, const BlocksView& seen,
           std::uint64_t profile, std::uint64_t place, std::vector<engine::Pair>& out) const {
    const RowView row = queries_.row(query);
    if (screen_.passes(count, row, seen, profile))
      out.push_back(
          {tile.first_row() + place, query, {count, 1, engine::compared_sites(row.called, seen, profile)}});
  }

  const PairScreen& screen_;
  const ProfileRows& queries_;
  const engine::PathQueries* paths_;
  std::optional<engine::PathFinder> finder_;
  std::vector<Places> found_;  ///< of each query
  std::size_t n_found_ = 0;
  WordBuffer bits_, major_;  ///< of profiles that are gathered
  std::vector<Slot> slots_;
  std::vector<const float* const*> slot_emissions_;
  std::vector<std::uint32_t> counts_, of_population_;
};

namespace {

class PairScreenQueries final : public engine::PreparedQueries {
 public:
  PairScreenQueries(const PairScreen& screen, const engine::Problem& problem)
      : screen_(screen), problem_(problem) {
    if (screen.tests_paths()) paths_.emplace(screen.test(), *problem.queries);
  }

  std::unique_ptr<engine::Worker> open_worker(std::size_t tile_blocks) override {
    return std::make_unique<PairScreenWorker>(screen_, problem_, tile_blocks, paths_ ? &*paths_ : nullptr);
  }

 private:
  const PairScreen& screen_;
  engine::Problem problem_;
  std::optional<engine::PathQueries> paths_;
};

/// The chains of all pairs, for an engine that supports them.
class PairScreenCount final : public engine::ScreenCount {
 public:
  PairScreenCount(const PairScreen& screen, const ProfileRows& queries)
      : screen_(screen), queries_(queries) {}

  std::vector<const engine::ScreenTable*> tables() const override { return screen_.tables(); }
  double cpu_gain() const override { return screen_.tests_paths() ? 4 : 1; }
  std::unique_ptr<engine::CustomCount> sliced(const engine::Problem& slice, std::size_t) const override {
    return std::make_unique<PairScreenCount>(screen_, *slice.queries);
  }
  std::unique_ptr<engine::Engine> make_engine(std::size_t threads) const override {
    return screen_.make_engine(threads);
  }
  engine::PairCounts count_pair(std::size_t query, const BlocksView& view,
                                std::uint64_t profile) const override {
    return engine::screen_pair(tables(), queries_.row(query), view, profile);
  }

 private:
  const PairScreen& screen_;
  const ProfileRows& queries_;
};

/// Has a device compute all chains, and tests the paths of the few pairs whose ratios are large enough.
class DeviceScreenWorker final : public engine::Worker {
 public:
  /// \param device  its name
  DeviceScreenWorker(const PairScreen& screen, const ProfileRows& queries, std::uint32_t most_count,
                     std::string device, std::unique_ptr<engine::Worker> chains)
      : screen_(screen),
        queries_(queries),
        by_count_(queries.n_rows(), engine::Threshold{.max_count = most_count}),
        device_(std::move(device)),
        chains_(std::move(chains)) {}

  engine::TileBuffer buffer() override {
    const engine::TileBuffer made = chains_->buffer();
    tile_bits_ = made.bits, tile_major_ = made.second;
    return made;
  }
  bool borrow(const BlocksView& tile) override {
    if (!chains_->borrow(tile)) return false;
    tile_bits_ = tile.bits, tile_major_ = tile.second;
    return true;
  }
  bool checks_blocks() const override { return chains_->checks_blocks(); }
  engine::DeviceWork work() override { return chains_->work(); }

  std::size_t compare(const engine::Tile& tile, std::span<const std::uint64_t> checksums,
                      std::span<const engine::Threshold>, std::vector<engine::Pair>& out) override {
    found_.clear();
    const std::size_t damaged = chains_->compare(tile, checksums, by_count_, found_);
    const BlocksView view{tile.shape, tile_bits_, tile_major_};
    for (const engine::Pair& pair : found_) {
      if (pair.query >= queries_.n_rows() || pair.row < tile.first_row() ||
          pair.row - tile.first_row() >= tile.shape.n_profiles)
        throw WrongAnswer(fmt::format("{} found a pair that it was not asked for", device_));
      if (screen_.test().passes(queries_.row(pair.query), view, pair.row - tile.first_row()))
        out.push_back(pair);
    }
    return damaged;
  }

 private:
  const PairScreen& screen_;
  const ProfileRows& queries_;
  std::vector<engine::Threshold> by_count_;  ///< of each query
  std::string device_;
  std::unique_ptr<engine::Worker> chains_;
  const Word *tile_bits_ = nullptr, *tile_major_ = nullptr;
  std::vector<engine::Pair> found_;
};

class DeviceScreenQueries final : public engine::PreparedQueries {
 public:
  DeviceScreenQueries(const PairScreen& screen, const engine::Problem& problem, std::uint32_t most_count,
                      engine::Engine& chains, const engine::WorkPlan& plan)
      : screen_(screen),
        queries_(*problem.queries),
        most_count_(most_count),
        device_(chains.name()),
        count_(screen, queries_) {
    engine::Problem of_chains = problem;
    of_chains.custom_count = &count_;
    chains_ = chains.prepare(of_chains, plan);
  }

  std::unique_ptr<engine::Worker> open_worker(std::size_t tile_blocks) override {
    return std::make_unique<DeviceScreenWorker>(screen_, queries_, most_count_, device_,
                                                chains_->open_worker(tile_blocks));
  }

 private:
  const PairScreen& screen_;
  const ProfileRows& queries_;
  std::uint32_t most_count_;
  std::string device_;
  PairScreenCount count_;
  std::unique_ptr<engine::PreparedQueries> chains_;
};

}  // namespace

class PairScreenEngine final : public engine::Engine {
 public:
  PairScreenEngine(const PairScreen& screen, std::size_t threads, engine::Engine* chains)
      : screen_(screen), threads_(threads_or_all(threads)), given_(screen.by_kinship_ ? nullptr : chains) {}

  std::string name() const override { return uses_given() ? given_->name() : "cpu"; }
  std::string description() const override {
    if (uses_given()) return given_->description();
    return fmt::format("native CPU engine, stretches along the map, {}, {} thread{}",
                       engine::cpu_engine_target(), threads_, threads_ == 1 ? "" : "s");
  }

  // Profiles whose paths pass with a query are gathered tile by tile, and 16 of them take as long as one.
  engine::WorkPlan plan(const engine::Problem& problem) const override {
    constexpr std::size_t kTileBytes = std::size_t{32} << 20, kBlocks = 2;  // which fill the vectors
    const PairScreenCount count(screen_, *problem.queries);
    engine::Problem of_chains = problem;
    of_chains.custom_count = &count;
    if (decides_for_given(of_chains)) return given_->plan(of_chains);
    return engine::tile_plan(problem, {.threads = threads_}, kTileBytes, kBlocks);
  }

  std::unique_ptr<engine::PreparedQueries> prepare(const engine::Problem& problem,
                                                   const engine::WorkPlan& plan) override {
    const PairScreenCount count(screen_, *problem.queries);
    engine::Problem of_chains = problem;
    of_chains.custom_count = &count;
    if (decides_for_given(of_chains))
      return std::make_unique<DeviceScreenQueries>(screen_, problem, screen_.most_count_, *given_, plan);
    return std::make_unique<PairScreenQueries>(screen_, problem);
  }

 private:
  /// Decides at the first problem whether the given engine computes chains, for all strips.
  bool decides_for_given(const engine::Problem& of_chains) const {
    const std::lock_guard lock(guard_);
    if (!decided_) decided_ = given_ != nullptr && given_->supports(of_chains);
    return *decided_;
  }
  bool uses_given() const {
    const std::lock_guard lock(guard_);
    return decided_.value_or(false);
  }

  const PairScreen& screen_;
  std::size_t threads_;
  engine::Engine* given_;
  mutable std::mutex guard_;
  mutable std::optional<bool> decided_;
};

std::unique_ptr<engine::Engine> PairScreen::make_engine(std::size_t threads, engine::Engine* chains) const {
  return std::make_unique<PairScreenEngine>(*this, threads, chains);
}

}  // namespace fastid::linked
