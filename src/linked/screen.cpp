#include "linked/screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/checked.hpp"
#include "base/process.hpp"
#include "bits/popcount.hpp"
#include "linked/internal/screen_pass.hpp"

namespace fastid::linked {
namespace {

constexpr double kLargestEmission = 0x1p60;
constexpr double kLargestGroup = 0x1p90;  // the product of a group's emissions, so that no float overflows
constexpr std::size_t kMostSitesOfGroup = 16;
// Sites at one place still exchange as much, so that neither state is ever lost to rounding.
constexpr double kLeastChange = 0x1p-20;

double emission_of(double ratio) {
  return ratio > 0 ? std::clamp(ratio, 1 / kLargestEmission, kLargestEmission) : 0;
}

std::vector<double> weights_of_sites(const LinkedModel& model) {
  std::vector<double> weights(model.sites().size(), 1);
  const stats::LinkageBlocks* const blocks = model.blocks();
  if (blocks == nullptr) return weights;
  std::vector<std::uint32_t> sizes(blocks->n_blocks());
  const auto visit = [&](const auto& act) {
    for (std::size_t s = 0; s < weights.size(); ++s)
      if (const std::uint32_t block = blocks->block_of(model.sites()[s].site);
          block != stats::LinkageBlocks::kAlone)
        act(s, block);
  };
  visit([&](std::size_t, std::uint32_t block) { ++sizes[block]; });
  visit([&](std::size_t s, std::uint32_t block) { weights[s] = 1. / sizes[block]; });
  return weights;
}

/// [Seen of the query][Seen of the profile]
std::array<std::array<float, 4>, 4> emissions_at(const LinkedModel& model, std::size_t site, double weight) {
  std::array<std::array<float, 4>, 4> emissions;
  constexpr std::array kCopies{std::pair(kMajorSeen, 0), std::pair(kBothSeen, 1), std::pair(kMinorSeen, 2)};
  for (auto& of_query : emissions) of_query.fill(1);
  for (const auto& [seen, x] : kCopies)
    for (const auto& [other, y] : kCopies) {
      const double ratio =
          model.emission_of_one(site, static_cast<std::size_t>(x), static_cast<std::size_t>(y));
      emissions[seen][other] = static_cast<float>(emission_of(weight == 1 ? ratio : std::pow(ratio, weight)));
    }
  return emissions;
}

/// Of a sample at each site, by Seen of the profile. They are means of what its genotypes have, and so no
/// larger than the largest of the table.
std::vector<std::array<float, 4>> own_emissions(const LinkedModel& model, const SampleLikelihoods& sample,
                                                std::span<const double> weights) {
  constexpr std::array kSeenOf{kMajorSeen, kBothSeen, kMinorSeen};  // of so many copies
  std::vector<std::array<float, 4>> all;
  for (const auto& by_copies : model.emissions_of(sample).one) {
    std::array<float, 4>& of_site = all.emplace_back();
    of_site.fill(1);
    const double weight = weights[all.size() - 1];
    for (std::size_t y = 0; y < kSeenOf.size(); ++y) {
      const double ratio = by_copies[y];
      of_site[kSeenOf[y]] = static_cast<float>(emission_of(weight == 1 ? ratio : std::pow(ratio, weight)));
    }
  }
  return all;
}

std::size_t sites_of_group(const ScreenTable& table) {
  float largest = 2;
  for (const auto& of_site : table.emissions)
    for (const auto& of_query : of_site) largest = std::max(largest, std::ranges::max(of_query));
  return std::clamp<std::size_t>(
      static_cast<std::size_t>(std::log2(kLargestGroup) / std::log2(double{largest})), 1, kMostSitesOfGroup);
}

void add_steps(const LinkedModel& model, ScreenTable& table) {
  constexpr double k = kScreenShare;
  const std::size_t most = sites_of_group(table);
  double one_before = 1, norm = 1;
  for (std::size_t s = 0; s < model.sites().size(); ++s) {
    const double left =
        std::max(kLeastChange, 1 - std::pow(1 - 2 * model.recombination()[s], kScreenRate / 2));
    const double a = 1 - left * k, b = left * (1 - k) / a, c = left * k / a, g = (1 - left + left * k) / a;
    const std::uint32_t site = model.sites()[s].site;
    table.steps.push_back({.from_one = static_cast<float>(b * one_before),
                           .stays = static_cast<float>(g * one_before / c),
                           .odd = site % 2,
                           .even = static_cast<std::uint32_t>(site % kWordBits) / 2 * 2});
    if (table.groups.empty() || table.groups.back().word != site / kWordBits ||
        table.groups.back().n_sites == most) {
      table.groups.push_back({.word = site / kWordBits, .first = s});
      norm = 1;
    }
    ScreenGroup& group = table.groups.back();
    ++group.n_sites;
    group.norm = static_cast<float>(norm *= a);
    group.one = static_cast<float>(c);
    one_before = c;
  }
}

std::uint32_t compared_sites(std::span<const Word> sites, const BlocksView& view, std::uint64_t profile) {
  int compared = 0;
  for (std::size_t word = 0; word < sites.size(); ++word)
    compared += bits_set(sites[word] & view.called_word(profile, word));
  return static_cast<std::uint32_t>(compared);
}

Seen seen_of(const BlocksView& view, std::uint64_t profile, std::size_t word, std::uint32_t bit) {
  return static_cast<Seen>((view.bits_word(profile, word) >> bit & 1) << 1 |
                           (view.major_word(profile, word) >> bit & 1));
}

/// The definition, in the order of operations that the passes have.
ScreenState plain_end(const ScreenTable& table, std::span<const float* const> emissions,
                      const BlocksView& view, std::uint64_t profile) {
  ScreenState at;
  for (const ScreenGroup& group : table.groups) {
    for (std::size_t s = group.first; s < group.first + group.n_sites; ++s) {
      const auto& [from_one, stays, odd, even] = table.steps[s];
      const float kept = at.none + stays * at.one;
      at.none = at.none + from_one * at.one;
      at.one = kept * emissions[s][seen_of(view, profile, group.word, even + odd)];
    }
    const float sum = at.none + group.one * at.one;
    const std::int32_t exponent = std::ilogb(sum);
    const float scale = std::ldexp(group.norm, -exponent);
    at = {at.none * scale, at.one * scale, at.exponent + exponent};
  }
  return at;
}

}  // namespace

struct Screen::OfPopulation {
  ScreenTable table;
  std::vector<Seen> seen;                              ///< [query * sites + site]
  std::vector<std::vector<std::array<float, 4>>> own;  ///< [query][site]; empty where the query is called

  /// Of a query at each site, by Seen of the profile.
  std::vector<const float*> emissions_of(std::size_t query) const {
    std::vector<const float*> emissions;
    for (std::size_t s = 0; s < table.steps.size(); ++s)
      emissions.push_back(own[query].empty() ? table.emissions[s][seen[query * table.steps.size() + s]].data()
                                             : own[query][s].data());
    return emissions;
  }
};

Screen::Screen(std::span<const LinkedModel> models, const ProfileRows& queries,
               std::span<const SampleLikelihoods* const> samples)
    : queries_(queries), samples_(samples.begin(), samples.end()) {
  samples_.resize(queries.n_rows());
  for (const LinkedModel& model : models) {
    OfPopulation& of = populations_.emplace_back();
    const std::vector<double> weights = weights_of_sites(model);
    for (std::size_t s = 0; s < weights.size(); ++s)
      of.table.emissions.push_back(emissions_at(model, s, weights[s]));
    add_steps(model, of.table);
    of.seen.reserve(checked_mul(queries.n_rows(), weights.size()));
    for (std::size_t query = 0; query < queries.n_rows(); ++query) {
      const RowView row = queries.row(query);
      for (const MappedSite& site : model.sites()) {
        const std::size_t word = site.site / kWordBits, bit = site.site % kWordBits;
        of.seen.push_back(static_cast<Seen>((row.bits[word] >> bit & 1) << 1 | (row.major[word] >> bit & 1)));
      }
      of.own.emplace_back();
      if (samples_[query] != nullptr) of.own.back() = own_emissions(model, *samples_[query], weights);
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

class ScreenWorker final : public Worker {
 public:
  ScreenWorker(const Screen& screen, const Problem& problem, std::size_t tile_blocks)
      : screen_(screen), words_(checked_mul(tile_blocks, problem.database.block_words())) {}

  TileBuffer buffer() override {
    if (bits_.size() == 0) bits_ = WordBuffer(words_), major_ = WordBuffer(words_);
    tile_bits_ = bits_.data(), tile_major_ = major_.data();
    return {bits_.data(), major_.data()};
  }
  bool borrow(const BlocksView& tile) override {
    tile_bits_ = tile.bits, tile_major_ = tile.second;
    return true;
  }

  std::size_t compare(const Tile& tile, std::span<const std::uint64_t>, std::span<const Threshold> thresholds,
                      std::vector<Pair>& out) override {
    const BlocksView view{tile.shape, tile_bits_, tile_major_};
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
  std::size_t words_;  ///< of a plane
  WordBuffer bits_, major_;
  const Word *tile_bits_ = nullptr, *tile_major_ = nullptr;
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
    const std::uint64_t blocks = std::max<std::uint64_t>(1, problem.database.n_blocks());
    const std::size_t fit = tile_blocks_for(problem, options_, kTileBytes);
    const auto share = static_cast<std::size_t>(ceil_div<std::uint64_t>(blocks, options_.threads));
    const std::size_t tile = std::min(ceil_div<std::size_t>(fit, 2) * 2, share);  // two fill the vectors
    return {.workers = static_cast<std::size_t>(
                std::min<std::uint64_t>(options_.threads, ceil_div<std::uint64_t>(blocks, tile))),
            .tile_blocks = tile};
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
