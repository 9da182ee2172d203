#include "engine/weighted_count.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bits/popcount.hpp"
#include "engine/cpu/weigh_pass.hpp"
#include "engine/tile_worker.hpp"

namespace fastid::engine {

std::vector<WeightedWord> words_of(const SiteWeightsByKind& weights) {
  std::vector<WeightedWord> words;
  for (std::size_t i = 0; i < weights.sites.size(); ++i) {
    const std::uint32_t site = weights.sites[i], at = site / kWordBits;
    const Word bit = Word{1} << site % kWordBits;
    if (words.empty() || words.back().word != at) words.push_back({.word = at});
    WeightedWord& word = words.back();
    word.sites |= bit;
    for (std::size_t kind = 0; kind < SiteWeightsByKind::kKinds; ++kind) {
      const auto weight = static_cast<std::uint8_t>(weights.of[i][kind]);
      for (std::size_t b = 0; b < word.bits.size(); ++b)
        if ((weight >> b & 1) != 0) word.bits[b][kind] |= bit;
    }
  }
  return words;
}

namespace {

std::uint32_t compared_of(std::span<const WeightedWord> words, const BlocksView& view,
                          std::uint64_t profile) {
  std::uint32_t compared = 0;
  for (const WeightedWord& word : words)
    compared += static_cast<std::uint32_t>(bits_set(word.sites & view.called_word(profile, word.word)));
  return compared;
}

/// What a stored person shows, as SiteWeightsByKind has it; no value where nothing is called.
std::optional<std::size_t> kind_of(const BlocksView& view, Encoding by, std::uint64_t profile,
                                   std::uint32_t site) {
  const std::size_t word = site / kWordBits, shift = site % kWordBits;
  if ((view.called_word(profile, word) >> shift & 1) == 0) return std::nullopt;
  if ((view.bits_word(profile, word) >> shift & 1) == 0) return 0;
  if (by == Encoding::kMinor) return 1;
  return (view.major_word(profile, word) >> shift & 1) != 0 ? 1 : 2;
}

}  // namespace

WeightedCount::WeightedCount(const Problem& problem, std::span<const std::vector<SiteWeightsByKind>> weights)
    : plain_(problem), plain_rows_(*problem.queries) {
  std::vector<std::size_t> plain;
  for (std::uint32_t query = 0; query < weights.size(); ++query) {
    if (!weights[query].empty()) {
      OfQuery& of = weighted_.emplace_back(OfQuery{query, weights[query], {}});
      for (const SiteWeightsByKind& set : of.weights) of.words.push_back(words_of(set));
      continue;
    }
    plain.push_back(query);
    plain_queries_.push_back(query);
  }
  plain_rows_.keep_rows(plain);
  plain_.queries = &plain_rows_;
  plain_.custom_count = nullptr;
}

WeightedCount::~WeightedCount() = default;

std::unique_ptr<CustomCount> WeightedCount::sliced(const Problem& slice, std::size_t first) const {
  std::vector<std::vector<SiteWeightsByKind>> weights(slice.queries->n_rows());
  for (const OfQuery& of : weighted_)
    if (of.query >= first && of.query - first < weights.size()) weights[of.query - first] = of.weights;
  return std::make_unique<WeightedCount>(slice, weights);
}

Problem WeightedCount::plain(const Problem& problem) const {
  Problem plain = plain_;
  plain.database = problem.database;
  return plain;
}

const WeightedCount* weighted_of(const Problem& problem) {
  return dynamic_cast<const WeightedCount*>(problem.custom_count);
}

PairCounts WeightedCount::count_pair(std::size_t query, const BlocksView& view, std::uint64_t profile) const {
  const auto of = std::ranges::lower_bound(weighted_, query, {}, &OfQuery::query);
  if (of == weighted_.end() || of->query != query) {
    const auto place = std::ranges::lower_bound(plain_queries_, query) - plain_queries_.begin();
    return fastid::engine::count_pair(plain_.comparison, plain_.by,
                                      plain_rows_.row(static_cast<std::size_t>(place)), view, profile);
  }
  std::int64_t highest = INT64_MIN;
  for (const SiteWeightsByKind& weights : of->weights) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < weights.sites.size(); ++i)
      if (const auto kind = kind_of(view, plain_.by, profile, weights.sites[i])) sum += weights.of[i][*kind];
    highest = std::max(highest, sum);
  }
  return {count_of(highest), 1, compared_of(of->words.front(), view, profile)};
}

class WeightedWorker final : public TileWorker {
 public:
  /// \param plain  compares the queries without weights; null: there are none
  WeightedWorker(const WeightedCount& count, const Problem& problem, std::size_t tile_blocks,
                 std::unique_ptr<Worker> plain)
      : TileWorker(problem, tile_blocks), count_(count), by_(problem.by), plain_(std::move(plain)) {}

  std::size_t compare(const Tile& tile, std::span<const std::uint64_t>, std::span<const Threshold> thresholds,
                      std::vector<Pair>& out) override {
    const BlocksView view = view_of(tile);
    for (const WeightedCount::OfQuery& of : count_.weighted()) {
      add_up(of, view);
      for (std::uint64_t place = 0; place < tile.shape.n_profiles; ++place) {
        PairCounts counts{WeightedCount::count_of(sums_[static_cast<std::size_t>(place)]), 1, 0};
        if (!thresholds[of.query].passes(counts)) continue;
        counts.compared = compared_of(of.words.front(), view, place);
        out.push_back({tile.first_row() + place, of.query, counts});
      }
    }
    compare_plain(tile, view, thresholds, out);
    return 0;
  }

 private:
  /// The highest sums of a query's sets.
  void add_up(const WeightedCount::OfQuery& of, const BlocksView& view) {
    sums_.resize(static_cast<std::size_t>(view.shape.n_blocks()) * kLanes);
    of_set_.resize(sums_.size());
    pass_weights(of.words.front(), by_, view, sums_.data());
    for (const std::vector<WeightedWord>& words : std::span(of.words).subspan(1)) {
      pass_weights(words, by_, view, of_set_.data());
      std::ranges::transform(sums_, of_set_, sums_.begin(), std::ranges::max);
    }
  }

  void compare_plain(const Tile& tile, const BlocksView& view, std::span<const Threshold> thresholds,
                     std::vector<Pair>& out) {
    if (!plain_) return;
    std::vector<Threshold> own;
    for (const std::uint32_t query : count_.plain_queries()) own.push_back(thresholds[query]);
    const std::size_t first = out.size();
    plain_->borrow(view);
    plain_->compare(tile, {}, own, out);
    for (Pair& pair : std::span(out).subspan(first)) pair.query = count_.plain_queries()[pair.query];
  }

  const WeightedCount& count_;
  Encoding by_;
  std::unique_ptr<Worker> plain_;
  std::vector<std::int32_t> sums_, of_set_;
};

class WeightedQueries final : public PreparedQueries {
 public:
  WeightedQueries(const WeightedCount& count, const Problem& problem, const WorkPlan& plan, Engine& cpu)
      : count_(count), problem_(problem), plain_problem_(count.plain(problem)) {
    if (!count.plain_queries().empty()) plain_ = cpu.prepare(plain_problem_, plan);
  }
  std::unique_ptr<Worker> open_worker(std::size_t tile_blocks) override {
    return std::make_unique<WeightedWorker>(count_, problem_, tile_blocks,
                                            plain_ ? plain_->open_worker(tile_blocks) : nullptr);
  }

 private:
  const WeightedCount& count_;
  Problem problem_, plain_problem_;
  std::unique_ptr<PreparedQueries> plain_;
};

namespace {

/// The CPU engine, which cuts the work and compares queries without weights.
class WeightedEngine final : public Engine {
 public:
  WeightedEngine(const WeightedCount& count, std::size_t threads)
      : count_(count), cpu_(make_cpu_engine({.threads = threads})) {}

  std::string name() const override { return cpu_->name(); }
  std::string description() const override { return cpu_->description() + ", by weights of genotypes"; }
  WorkPlan plan(const Problem& problem) const override { return cpu_->plan(problem); }
  std::unique_ptr<PreparedQueries> prepare(const Problem& problem, const WorkPlan& plan) override {
    return std::make_unique<WeightedQueries>(count_, problem, plan, *cpu_);
  }

 private:
  const WeightedCount& count_;
  std::unique_ptr<Engine> cpu_;
};

}  // namespace

std::unique_ptr<Engine> WeightedCount::make_engine(std::size_t threads) const {
  return std::make_unique<WeightedEngine>(*this, threads);
}

}  // namespace fastid::engine
