#include "linked/pair_screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "base/process.hpp"
#include "linked/internal/clean_words.hpp"
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

/// The least n that a Poisson variable of this mean reaches with a probability of at most `tail`.
std::uint32_t rarely_reached(double mean, double tail) {
  double term = std::exp(-mean), below = 0;
  std::uint32_t n = 0;
  for (; 1 - below > tail && n < 100'000; ++n) {
    below += term;
    term *= mean / (n + 1);
  }
  return n;
}

}  // namespace

struct PairScreen::OfPopulation {
  std::vector<std::uint32_t> places;  ///< of the model's sites in packed profiles
  ScreenTable table;
};

PairScreen::PairScreen(std::span<const LinkedModel> models,
                       std::span<const stats::PopulationModel> frequencies, double min_log10,
                       std::uint32_t min_kinship, std::uint64_t n_pairs)
    : most_count_(count_of(min_log10)), kinship_{UINT32_MAX, 2 * kMillion - 4 * min_kinship, kMillion, 0} {
  pack(models);
  const auto sites = static_cast<std::size_t>(std::ranges::count_if(
      origins_, [](const SiteOrigin& origin) { return origin.site != SiteOrigin::kNone; }));
  by_kinship_ = sites < kMostSitesOfKinship;
  if (sites >= kLeastSitesOfWords && n_pairs > kMostPairsOfChain) set_least_words(frequencies);
}

PairScreen::~PairScreen() = default;

/// Where populations' models have different sites, packed profiles have all of them.
void PairScreen::pack(std::span<const LinkedModel> models) {
  using Place = std::pair<double, std::uint32_t>;  // cM, and the panel's site
  std::vector<std::string_view> chromosomes;
  std::map<std::string_view, std::vector<Place>> sites;
  for (const LinkedModel& model : models)
    for (const MappedSite& site : model.sites()) {
      const auto [at, is_new] = sites.try_emplace(site.chrom);
      if (is_new) chromosomes.push_back(site.chrom);
      at->second.emplace_back(site.cm, site.site);
    }
  std::map<std::uint32_t, std::uint32_t> packed;
  for (const std::string_view chromosome : chromosomes) {
    std::vector<Place>& on = sites[chromosome];
    std::ranges::sort(on);
    on.erase(std::unique(on.begin(), on.end()), on.end());
    for (const auto& [cm, site] : on) {
      packed.emplace(site, static_cast<std::uint32_t>(origins_.size()));
      origins_.push_back({.site = site});
    }
    origins_.resize((origins_.size() + kCleanSites - 1) / kCleanSites * kCleanSites);
  }
  for (const LinkedModel& model : models) {
    OfPopulation& of = populations_.emplace_back();
    for (const MappedSite& site : model.sites()) of.places.push_back(packed.at(site.site));
    of.table = screen_table(model, of.places);
  }
}

/// So many clean words as one in a hundred pairs of strangers has: of the population where they have most.
/// None where these are a quarter of all words, so that they say little.
void PairScreen::set_least_words(std::span<const stats::PopulationModel> frequencies) {
  constexpr double kTail = 1e-2;
  double most = 0;
  for (const stats::PopulationModel& of : frequencies) {
    double mean = 0;
    for (std::size_t word = 0; word < origins_.size(); word += kCleanSites) {
      double clean = 1;
      std::size_t sites = 0;
      for (std::size_t s = word; s < word + kCleanSites; ++s) {
        if (origins_[s].site == SiteOrigin::kNone) continue;
        const double q = of.minor_freq()[origins_[s].site];
        clean *= 1 - 2 * q * q * (1 - q) * (1 - q);
        ++sites;
      }
      if (sites >= kLeastCalled) mean += clean;
    }
    most = std::max(most, mean);
  }
  const std::uint32_t least = rarely_reached(most, kTail);
  if (least <= origins_.size() / kCleanSites / 4) least_words_ = least;
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
  if (least_words_ > 0 && plain_clean_words(clean_words(query), view, profile) < least_words_)
    return std::nullopt;
  PairCounts counts{0, 1, compared_sites(query.called, view, profile)};
  std::vector<Seen> seen;
  for (const OfPopulation& of : populations_) {
    seen.clear();
    add_seen(query, of.places, seen);
    const ScreenState end = plain_end(of.table, emissions_of(of.table, seen.data()), view, profile);
    counts.count = std::max(counts.count, screen_count(end, of.table.groups.back().one));
  }
  return passes(counts.count, query, view, profile) ? std::optional(counts) : std::nullopt;
}

class PairScreenWorker final : public TileWorker {
 public:
  using Words = std::vector<std::vector<CleanWord>>;  ///< of each query

  PairScreenWorker(const PairScreen& screen, const Problem& problem, const Words& words,
                   std::size_t tile_blocks)
      : TileWorker(problem, tile_blocks), screen_(screen), queries_(*problem.queries), words_(words) {}

  std::size_t compare(const Tile& tile, std::span<const std::uint64_t>, std::span<const Threshold>,
                      std::vector<Pair>& out) override {
    const BlocksView view = view_of(tile);
    if (screen_.least_words_ == 0) {
      for (std::uint32_t query = 0; query < queries_.n_rows(); ++query) {
        chain(queries_.row(query), view);
        for (std::uint64_t place = 0; place < tile.shape.n_profiles; ++place)
          add(tile, query, counts_[static_cast<std::size_t>(place)], view, place, place, out);
      }
      return 0;
    }
    find_words(view);
    for (std::uint32_t query = 0; query < queries_.n_rows(); ++query)
      for (std::size_t first = 0; first < found_[query].size(); first += kTogether)
        chain_some(tile, view, query,
                   std::span(found_[query]).subspan(first, std::min(kTogether, found_[query].size() - first)),
                   out);
    return 0;
  }

 private:
  static constexpr std::size_t kTogether = 64;  // fill the vectors of pass_screen()
  using Places = std::vector<std::uint32_t>;    ///< of profiles in a tile

  /// Which profiles have enough clean words with each query: a few blocks at a time, which stay in a core's
  /// cache for all queries.
  void find_words(const BlocksView& view) {
    constexpr std::size_t kBytes = std::size_t{512} << 10;
    found_.assign(queries_.n_rows(), {});
    const std::uint64_t step =
        std::max<std::uint64_t>(1, kBytes / (2 * view.shape.block_bytes())) * fastid::kLanes;
    counts_.resize(static_cast<std::size_t>(step));
    for (std::uint64_t first = 0; first < view.shape.n_profiles; first += step) {
      const std::uint64_t n = std::min(step, view.shape.n_profiles - first);
      const std::size_t at = static_cast<std::size_t>(first / fastid::kLanes) * view.shape.block_words();
      const BlocksView some{view.shape.with(n), view.bits + at, view.second + at};
      for (std::size_t query = 0; query < words_.size(); ++query) {
        count_clean_words(words_[query], some, counts_.data());
        for (std::size_t i = 0; i < n; ++i)
          if (counts_[i] >= screen_.least_words_)
            found_[query].push_back(static_cast<std::uint32_t>(first + i));
      }
    }
  }

  /// The chain of a query with these profiles, which are gathered.
  void chain_some(const Tile& tile, const BlocksView& view, std::uint32_t query,
                  std::span<const std::uint32_t> places, std::vector<Pair>& out) {
    const std::size_t block_words = view.shape.block_words();
    if (bits_.size() == 0) {
      bits_ = WordBuffer(kTogether / fastid::kLanes * block_words);
      major_ = WordBuffer(bits_.size());
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::size_t from = places[i] / fastid::kLanes * block_words + places[i] % fastid::kLanes,
                        to = i / fastid::kLanes * block_words + i % fastid::kLanes;
      for (std::size_t word = 0; word < block_words; word += fastid::kLanes) {
        bits_.data()[to + word] = view.bits[from + word];
        major_.data()[to + word] = view.second[from + word];
      }
    }
    const BlocksView gathered{view.shape.with(places.size()), bits_.data(), major_.data()};
    chain(queries_.row(query), gathered);
    for (std::size_t i = 0; i < places.size(); ++i) add(tile, query, counts_[i], gathered, i, places[i], out);
  }

  /// Puts the count of each profile of a view into counts_.
  void chain(const RowView& query, const BlocksView& view) {
    counts_.assign(static_cast<std::size_t>(view.shape.n_blocks()) * fastid::kLanes, 0);
    of_population_.resize(counts_.size());
    for (const PairScreen::OfPopulation& of : screen_.populations_) {
      seen_.clear();
      add_seen(query, of.places, seen_);
      pass_screen(of.table, emissions_of(of.table, seen_.data()).data(), view, of_population_.data());
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
  const Words& words_;
  std::vector<Places> found_;  ///< of each query
  WordBuffer bits_, major_;    ///< of profiles that are gathered
  std::vector<Seen> seen_;
  std::vector<std::uint32_t> counts_, of_population_;
};

namespace {

class PairScreenQueries final : public PreparedQueries {
 public:
  PairScreenQueries(const PairScreen& screen, const Problem& problem) : screen_(screen), problem_(problem) {
    if (screen.least_words() == 0) return;
    for (std::size_t query = 0; query < problem.queries->n_rows(); ++query)
      words_.push_back(clean_words(problem.queries->row(query)));
  }
  std::unique_ptr<Worker> open_worker(std::size_t tile_blocks) override {
    return std::make_unique<PairScreenWorker>(screen_, problem_, words_, tile_blocks);
  }

 private:
  const PairScreen& screen_;
  Problem problem_;
  PairScreenWorker::Words words_;
};

class PairScreenEngine final : public Engine {
 public:
  PairScreenEngine(const PairScreen& screen, std::size_t threads)
      : screen_(screen), options_{.threads = threads_or_all(threads)} {}

  std::string name() const override { return "cpu"; }
  std::string description() const override {
    return fmt::format("native CPU engine, stretches along the map, {}, {} thread{}", cpu_engine_target(),
                       options_.threads, options_.threads == 1 ? "" : "s");
  }
  // A query's profiles with enough words are gathered tile by tile, and 64 of them take as long as one.
  WorkPlan plan(const Problem& problem) const override {
    constexpr std::size_t kTileBytes = std::size_t{16} << 20;
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
