#include "linked/pair_screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "base/checked.hpp"
#include "base/process.hpp"
#include "bits/popcount.hpp"
#include "linked/internal/path_score.hpp"
#include "linked/internal/screen_table.hpp"
#include "linked/internal/tile_worker.hpp"

namespace fastid::linked {
namespace {

constexpr std::uint32_t kMillion = 1'000'000;

/// The count of a ratio, as screen_count() has it.
std::uint32_t count_of(double log10) {
  const double log2 = log10 / std::log10(2.);
  const double whole = std::floor(log2);
  const double place =
      whole * (1 << kScreenBits) + std::floor((std::exp2(log2 - whole) - 1) * (1 << kScreenBits));
  return static_cast<std::uint32_t>(std::clamp(kScreenOfOne - place, 0., double{UINT32_MAX}));
}

}  // namespace

struct PairScreen::OfPopulation {
  std::vector<std::uint32_t> places;  ///< of the model's sites in packed profiles
  ScreenTable table;
  PathTable path;
};

PairScreen::PairScreen(std::span<const LinkedModel> models, double min_log10, std::uint32_t min_kinship)
    : most_count_(count_of(min_log10)), kinship_{UINT32_MAX, 2 * kMillion - 4 * min_kinship, kMillion, 0} {
  pack(models);
  std::vector<std::uint32_t> places;
  for (std::uint32_t place = 0; place < origins_.size(); ++place)
    if (origins_[place].site != SiteOrigin::kNone) places.push_back(place);
  by_kinship_ = places.size() < kMostSitesOfKinship;
  sites_.resize(ceil_div(origins_.size(), kWordBits));
  for (const std::uint32_t place : places) sites_[place / kWordBits] |= Word{1} << place % kWordBits;
  n_sites_ = static_cast<std::uint32_t>(places.size());
  if (places.size() < kLeastSitesOfPaths) return;
  units_ = path_units(places);
  for (std::size_t i = 0; i < models.size(); ++i) {
    OfPopulation& of = populations_[i];
    if (of.places.size() < kLeastSitesOfPaths) continue;
    of.path = path_table(of.table, models[i], of.places, units_, min_log10);
    tests_paths_ = tests_paths_ || of.path.least_score > 0;
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

std::uint32_t PairScreen::missing(const BlocksView& view, std::uint64_t profile) const {
  return n_sites_ - compared_sites(sites_, view, profile);
}

std::uint32_t PairScreen::missing(const RowView& row) const {
  std::uint32_t called = 0;
  for (const Word word : row.called) called += static_cast<std::uint32_t>(bits_set(word));
  return n_sites_ - called;
}

bool PairScreen::passes(std::uint32_t count, const RowView& query, const BlocksView& view,
                        std::uint64_t profile) const {
  if (count <= most_count_) return true;
  if (!by_kinship_) return false;
  const PairCounts counts =
      fastid::count_pair(Comparison::kKinship, Encoding::kAlleles, query, view, profile);
  return counts.denominator > 0 && kinship_.passes(counts);
}

std::optional<PairCounts> PairScreen::count_pair(const RowView& query, const BlocksView& view,
                                                 std::uint64_t profile) const {
  if (tests_paths_) {
    const std::vector<std::uint8_t> codes = path_codes(units_, query);
    const std::uint32_t lacking = missing(query) + missing(view, profile);
    for (const OfPopulation& of : populations_)
      if (of.path.least_score > 0 &&
          !of.path.passes(plain_path_score(of.path, units_, path_scores(of.path, codes), view, profile),
                          lacking))
        return std::nullopt;
  }
  PairCounts counts{0, 1, compared_sites(query.called, view, profile)};
  for (const OfPopulation& of : populations_) {
    const ScreenState end = plain_end(of.table, emissions_of(of.table, query, of.places), view, profile);
    counts.count = std::max(counts.count, screen_count(end, of.table.groups.back().one));
  }
  return passes(counts.count, query, view, profile) ? std::optional(counts) : std::nullopt;
}

class PairScreenWorker final : public TileWorker {
 public:
  using Codes = std::vector<std::vector<std::uint8_t>>;  ///< path_codes() of each query

  PairScreenWorker(const PairScreen& screen, const Problem& problem, const Codes& codes,
                   std::size_t tile_blocks)
      : TileWorker(problem, tile_blocks), screen_(screen), queries_(*problem.queries), codes_(codes) {}

  std::size_t compare(const Tile& tile, std::span<const std::uint64_t>, std::span<const Threshold>,
                      std::vector<Pair>& out) override {
    const BlocksView view = view_of(tile);
    if (!screen_.tests_paths_) {
      for (std::uint32_t query = 0; query < queries_.n_rows(); ++query) {
        slots_.clear();
        add_slot(query, {});
        chain_all(view);
        for (std::uint64_t place = 0; place < tile.shape.n_profiles; ++place)
          add(tile, query, counts_[static_cast<std::size_t>(place)], view, place, place, out);
      }
      return 0;
    }
    find_paths(tile, view, out);
    chain_found(tile, view, out);
    return 0;
  }

 private:
  static constexpr std::size_t kSlots = 4;    // fill the vectors of pass_screens()
  using Places = std::vector<std::uint32_t>;  ///< of profiles in a tile

  /// A query, and some of the profiles whose chains with it are computed.
  struct Slot {
    std::uint32_t query = 0;
    std::span<const std::uint32_t> places;
    std::vector<QueryEmissions> emissions;  ///< of each population
  };

  /// The chains of all that were found.
  void chain_found(const Tile& tile, const BlocksView& view, std::vector<Pair>& out) {
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

  /// Which profiles pass the test of the path with each query: some at a time, which are packed for all
  /// queries. So many that to find a query's scores takes little beside. Where many pass, their chains are
  /// computed in between, for memory.
  void find_paths(const Tile& tile, const BlocksView& view, std::vector<Pair>& out) {
    constexpr std::size_t kMostFound = std::size_t{4} << 20;
    constexpr std::size_t kBytes = std::size_t{8} << 20, kLeast = 8;
    const std::size_t group_bytes = packed_path_bytes(screen_.units_.size());
    const std::size_t step = std::max(kLeast, kBytes / group_bytes) * kPathLanes;
    missing_.resize(step);
    n_found_ = 0;
    found_.assign(queries_.n_rows(), {});
    packed_.resize(step / kPathLanes * group_bytes);
    scores_.resize(step);
    for (std::uint64_t first = 0; first < view.shape.n_profiles; first += step) {
      const std::uint64_t n = std::min<std::uint64_t>(step, view.shape.n_profiles - first);
      const std::size_t at = static_cast<std::size_t>(first / fastid::kLanes) * view.shape.block_words();
      const BlocksView part{view.shape.with(n), view.bits + at, view.second + at};
      pack_paths(screen_.units_, part, packed_.data());
      for (std::uint64_t i = 0; i < n; ++i) missing_[static_cast<std::size_t>(i)] = screen_.missing(part, i);
      for (std::size_t query = 0; query < codes_.size(); ++query)
        find_paths(query, static_cast<std::uint32_t>(first), static_cast<std::size_t>(n));
      if (n_found_ > kMostFound) chain_found(tile, view, out);
    }
  }

  /// Of packed profiles, the first of which has this place.
  void find_paths(std::size_t query, std::uint32_t first, std::size_t n) {
    passing_.assign(n, 1);
    const std::uint32_t of_query = screen_.missing(queries_.row(query));
    for (const PairScreen::OfPopulation& of : screen_.populations_) {
      if (of.path.least_score == 0 || of_query > of.path.most_missing) continue;  // all pass
      path_pass(of.path, path_scores(of.path, codes_[query]), packed_.data(), ceil_div(n, kPathLanes),
                scores_.data());
      for (std::size_t i = 0; i < n; ++i)
        passing_[i] = static_cast<std::uint8_t>(passing_[i] &
                                                (of.path.passes(scores_[i], of_query + missing_[i]) ? 1 : 0));
    }
    for (std::size_t i = 0; i < n; ++i)
      if (passing_[i] != 0) {
        found_[query].push_back(first + static_cast<std::uint32_t>(i));
        ++n_found_;
      }
  }

  void add_slot(std::uint32_t query, std::span<const std::uint32_t> places) {
    Slot slot{query, places, {}};
    if (!slots_.empty() && slots_.back().query == query) {
      slot.emissions = slots_.back().emissions;
    } else {
      for (const PairScreen::OfPopulation& of : screen_.populations_)
        slot.emissions.push_back(emissions_of(of.table, queries_.row(query), of.places));
    }
    slots_.push_back(std::move(slot));
  }

  /// The chains of the slots' profiles, which are gathered.
  void chain_slots(const Tile& tile, const BlocksView& view, std::vector<Pair>& out) {
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

  void add(const Tile& tile, std::uint32_t query, std::uint32_t count, const BlocksView& seen,
           std::uint64_t profile, std::uint64_t place, std::vector<Pair>& out) const {
    const RowView row = queries_.row(query);
    if (screen_.passes(count, row, seen, profile))
      out.push_back({tile.first_row() + place, query, {count, 1, compared_sites(row.called, seen, profile)}});
  }

  const PairScreen& screen_;
  const ProfileRows& queries_;
  const Codes& codes_;
  std::vector<Places> found_;  ///< of each query
  std::size_t n_found_ = 0;
  std::vector<std::uint32_t> missing_;  ///< of each profile
  std::vector<std::uint8_t> packed_, scores_, passing_;
  WordBuffer bits_, major_;  ///< of profiles that are gathered
  std::vector<Slot> slots_;
  std::vector<const float* const*> slot_emissions_;
  std::vector<std::uint32_t> counts_, of_population_;
};

class PairScreenQueries final : public PreparedQueries {
 public:
  PairScreenQueries(const PairScreen& screen, const Problem& problem) : screen_(screen), problem_(problem) {
    if (!screen.tests_paths_) return;
    for (std::size_t query = 0; query < problem.queries->n_rows(); ++query)
      codes_.push_back(path_codes(screen.units_, problem.queries->row(query)));
  }
  std::unique_ptr<Worker> open_worker(std::size_t tile_blocks) override {
    return std::make_unique<PairScreenWorker>(screen_, problem_, codes_, tile_blocks);
  }

 private:
  const PairScreen& screen_;
  Problem problem_;
  PairScreenWorker::Codes codes_;
};

namespace {

class PairScreenEngine final : public Engine {
 public:
  PairScreenEngine(const PairScreen& screen, std::size_t threads)
      : screen_(screen), options_{.threads = threads_or_all(threads)} {}

  std::string name() const override { return "cpu"; }
  std::string description() const override {
    return fmt::format("native CPU engine, stretches along the map, {}, {} thread{}", cpu_engine_target(),
                       options_.threads, options_.threads == 1 ? "" : "s");
  }
  // A query's profiles that pass the first test are gathered tile by tile, and 16 of them take as long as
  // one.
  WorkPlan plan(const Problem& problem) const override {
    constexpr std::size_t kTileBytes = std::size_t{32} << 20;
    return tile_plan(problem, options_, kTileBytes);
  }
  std::unique_ptr<PreparedQueries> prepare(const Problem& problem, const WorkPlan&) override {
    return std::make_unique<PairScreenQueries>(screen_, problem);
  }

 private:
  const PairScreen& screen_;
  EngineOptions options_;
};

}  // namespace

std::unique_ptr<Engine> PairScreen::make_engine(std::size_t threads) const {
  return std::make_unique<PairScreenEngine>(*this, threads);
}

}  // namespace fastid::linked
