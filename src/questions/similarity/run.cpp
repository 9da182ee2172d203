#include "questions/similarity/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>
#include <utility>

#include "asking/engines.hpp"
#include "base/error.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "pipeline/all_values.hpp"
#include "pipeline/moments.hpp"
#include "questions/similarity/blockwise.hpp"
#include "questions/similarity/vectors.hpp"

namespace fastid::similarity {
namespace {

constexpr std::string_view kFound = "found", kEvery = "every", kBytes = "bytes", kTotals = "totals";

/// Compares values with those that are known.
class AnalyticSink final : public pipeline::ValueSink {
 public:
  AnalyticSink(const Vectors& known, std::size_t way) : known_(known), way_(way) {}

  void take(const pipeline::ValueRow& row) override {
    const std::size_t cells = engine::n_cells(known_.metric(), way_);
    std::array<double, engine::kMostMoments> right{};
    engine::Members members = row.members;
    for (std::size_t i = 0; i < row.values.size(); i += cells, ++members[0]) {
      known_.known_values(std::span(members).first(way_), std::span(right).first(cells));
      for (std::size_t cell = 0; cell < cells; ++cell)
        if (!(std::abs(row.values[i + cell] - right[cell]) <= kUlps * right[cell]))
          refuse(row.index + i + cell, row.values[i + cell], right[cell]);
    }
    verified_ += row.values.size();
  }

  std::uint64_t verified() const { return verified_; }

 private:
  static constexpr double kUlps = 8 * std::numeric_limits<double>::epsilon();

  [[noreturn]] void refuse(std::uint64_t index, double value, double right) const {
    throw DeviceError(
        fmt::format("value {} is {}, and is known to be {}; run it with --device cpu", index, value, right));
  }

  const Vectors& known_;
  std::size_t way_;
  std::atomic<std::uint64_t> verified_ = 0;
};

std::vector<std::uint8_t> bytes_of(std::span<const double> values) {
  std::vector<std::uint8_t> bytes(values.size());
  std::ranges::transform(values, bytes.begin(), byte_of);
  return bytes;
}

/// Where a shard's values go: its part.
SimilarityTake to_part(part::Writer& to) {
  return {
      .found = [&](std::span<const match::FoundValue> values) { to.add<match::FoundValue>(kFound, values); },
      .best = {},
      .every = [&](std::span<const double> values) { to.add<double>(kEvery, values); },
      .bytes = [&](std::span<const std::uint8_t> values) { to.add<std::uint8_t>(kBytes, values); }};
}

/// The items of a part's sections of a name, section by section.
template <class T>
void for_each_section(const part::File& part, std::string_view name,
                      const std::function<void(std::span<const T>)>& take) {
  for (const part::Section* section : part.sections(name)) {
    check_interrupt();
    take(part.read<T>(*section));
  }
}

}  // namespace

std::uint8_t byte_of(double value) {
  return static_cast<std::uint8_t>(std::lround(std::clamp(value, 0.0, 1.0) * 255));
}

struct SimilaritySearch::Impl {
  explicit Impl(const SimilarityOptions& asked)
      : options(asked), pool(threads_or_all(asked.device.engine.threads)), vectors(asked, pool) {
    facts.metric = vectors.metric();
    facts.way = options.way;
    facts.cells = engine::n_cells(facts.metric, options.way);
    facts.vector = vectors.name_of_one();
    facts.names = vectors.names();
    facts.n_units = vectors.n_units();
    facts.indices = indices(last({}));
    if (vectors.whole() != nullptr)
      engine = vectors.whole()->engine_on(options.device, facts.indices.size() / facts.cells);
  }

  Range last(const Shard& shard) const {
    return engine::last_members(facts.names.size(), options.way, options.stage, shard);
  }
  Range indices(const Range& of) const {
    return {engine::n_combinations(of.first, options.way) * facts.cells,
            engine::n_combinations(of.end, options.way) * facts.cells};
  }

  /// Made once, for all shards that this process does.
  void start() {
    if (moments) return;
    const engine::VectorPlanes& planes = vectors.whole()->planes();
    const bool all_called = planes.all_called, chosen = chooses(planes);
    if (chosen && (options.wanted == ValuesWanted::kBest || !all_called))
      small = vectors.whole()->small_engine(options.device);
    moments.emplace(*engine, planes, facts.metric, options.way, small.get());
    if (all_called || chosen) moments->prepare(static_cast<std::uint32_t>(last({}).end), pool);
    values.emplace(facts.metric, options.way, !all_called, moments->own());
  }

  /// Whether only values that are high enough are wanted, and the engine looks for them. Where calls are
  /// missing, so many may be among the best that to count each by itself takes longer than to count all.
  bool chooses(const engine::VectorPlanes& planes) const {
    const bool best = options.wanted == ValuesWanted::kBest;
    const bool high = best ? planes.all_called : options.wanted == ValuesWanted::kFound && options.threshold;
    return high && !options.checksum && !vectors.analytic() && pipeline::has_limits(planes);
  }

  SimilarityTotals compute(const Shard& shard, const SimilarityTake& take) {
    const Range of = last(shard);
    Progress progress(options.progress, "comparing", options.way == 2 ? "pairs" : "triples",
                      indices(of).size() / facts.cells);
    SimilarityTotals totals;
    const double least = options.threshold.value_or(-std::numeric_limits<double>::infinity());
    pipeline::FoundSink found(
        least,
        [&](std::span<const match::FoundValue> each) {
          totals.n_values += each.size();
          take.found(each);
        },
        most_found());
    pipeline::EveryValueSink every([&](std::span<const double> each) {
      totals.n_values += each.size();
      options.wanted == ValuesWanted::kBytes ? take.bytes(bytes_of(each)) : take.every(each);
    });
    std::optional<pipeline::BestSink> best;
    pipeline::ChecksumSink checksum;
    std::optional<AnalyticSink> known;
    std::vector<pipeline::ValueSink*> sinks;
    if (options.wanted == ValuesWanted::kFound) sinks.push_back(&found);
    if (options.wanted == ValuesWanted::kEvery || options.wanted == ValuesWanted::kBytes)
      sinks.push_back(&every);
    if (options.wanted == ValuesWanted::kBest) sinks.push_back(&start_best(best));
    if (options.checksum) sinks.push_back(&checksum);
    if (vectors.analytic()) sinks.push_back(&known.emplace(vectors, options.way));
    pipeline::ChoosingSink& choosing = best ? static_cast<pipeline::ChoosingSink&>(*best) : found;
    stream(of, sinks, choosing, progress);
    if (best) totals.n_values = hand_on(*best, take);
    if (known) totals.verified = known->verified();
    totals.checksum = checksum.sum();
    return totals;
  }

  void stream(const Range& of, std::span<pipeline::ValueSink* const> sinks, pipeline::ChoosingSink& choosing,
              Progress& progress) {
    if (vectors.whole() == nullptr)
      return stream_blockwise({.vectors = vectors,
                               .device = options.device,
                               .pool = pool,
                               .progress = progress,
                               .memory = Vectors::memory(options),
                               .of_a_value = held_of_a_value(),
                               .chooses = [&](const auto& planes) { return chooses(planes); }},
                              of, sinks, choosing);
    start();
    const pipeline::AllValues all{.moments = *moments, .values = *values, .pool = pool, .progress = progress};
    chooses(vectors.whole()->planes()) ? pipeline::stream_chosen(all, of, choosing)
                                       : pipeline::stream_values(all, of, sinks);
  }

  /// How many values may be held: of vectors beyond memory, what half of it has room for.
  std::uint64_t most_found() const {
    if (vectors.whole() != nullptr) return std::numeric_limits<std::uint64_t>::max();
    return static_cast<std::uint64_t>(Vectors::memory(options) / 2 / sizeof(match::FoundValue));
  }

  /// Bytes that sinks hold of every value of a block.
  double held_of_a_value() const {
    switch (options.wanted) {
      case ValuesWanted::kEvery:
      case ValuesWanted::kBytes:
        return sizeof(double);
      case ValuesWanted::kFound:
        return options.threshold ? 0 : sizeof(match::FoundValue);
      case ValuesWanted::kNone:
      case ValuesWanted::kBest:
        break;
    }
    return 0;
  }

  pipeline::BestSink& start_best(std::optional<pipeline::BestSink>& best) const {
    return best.emplace(vectors.size(), options.way, facts.cells, options.best);
  }

  std::uint64_t hand_on(const pipeline::BestSink& best, const SimilarityTake& take) const {
    if (!take.best) {
      const std::vector<match::FoundValue> all = best.all();
      take.found(all);
      return all.size();
    }
    std::uint64_t n = 0;
    for (std::uint32_t vector = 0; vector < vectors.size(); ++vector) {
      const std::vector<match::FoundValue> kept = best.of(vector);
      n += kept.size();
      if (!kept.empty()) take.best(vector, kept);
    }
    return n;
  }

  /// The section of a part that has values as they are wanted; "": none.
  std::string_view wanted_section() const {
    switch (options.wanted) {
      case ValuesWanted::kNone:
        break;
      case ValuesWanted::kFound:
      case ValuesWanted::kBest:
        return kFound;
      case ValuesWanted::kEvery:
        return kEvery;
      case ValuesWanted::kBytes:
        return kBytes;
    }
    return "";
  }

  /// Hands on a part's values, once they are its shard's. \returns how many
  std::uint64_t read(const part::File& part, const SimilarityTake& take, pipeline::BestSink* best) const {
    for (const std::string_view name : {kFound, kEvery, kBytes})
      if (name != wanted_section() && !part.sections(name).empty())
        part.refuse(name, "is there, and its shard was asked for another --format; leave --format out");
    const Range own = indices(last(part.head().shard));
    std::uint64_t n = 0, next = own.first;
    const bool dense = options.wanted == ValuesWanted::kEvery || options.wanted == ValuesWanted::kBytes;
    for_each_section<match::FoundValue>(part, kFound, [&](std::span<const match::FoundValue> found) {
      for (const match::FoundValue& value : found) {
        if (value.index < next || value.index >= own.end || std::isnan(value.value))
          part.refuse(kFound, "has a value that is not of this shard, or not in its order");
        if (best != nullptr) best->offer(value);
        next = value.index + 1;
      }
      n += found.size();
      if (best == nullptr) take.found(found);
    });
    for_each_section<double>(part, kEvery, [&](std::span<const double> every) {
      n += every.size();
      take.every(every);
    });
    for_each_section<std::uint8_t>(part, kBytes, [&](std::span<const std::uint8_t> every) {
      n += every.size();
      take.bytes(every);
    });
    if (dense && n != own.size()) part.refuse("its values", "are not as many as the shard has");
    return n;
  }

  std::string run_shard(part::Head& head, part::Writer& to) {
    const SimilarityTotals totals = compute(head.shard, to_part(to));
    head.run.engine = head.run.description = options.device.device;
    head.run.workers = pool.threads();
    const std::array<std::uint64_t, 3> numbers = {totals.verified, totals.checksum.high(),
                                                  totals.checksum.low()};
    to.add<std::uint64_t>(kTotals, numbers);
    if (totals.verified == 0) return counted(totals.n_values, "value");
    return fmt::format("{} ({} were known, and are right)", counted(totals.n_values, "value"),
                       counted(totals.verified, "value"));
  }

  SimilarityTotals merge(const part::PartSet& parts, const SimilarityTake& take) const {
    SimilarityTotals totals;
    std::optional<pipeline::BestSink> best;
    if (options.wanted == ValuesWanted::kBest) start_best(best);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const part::File& part = parts.part(i);
      totals.n_values += read(part, take, best ? &*best : nullptr);
      const std::vector<const part::Section*> sections = part.sections(kTotals);
      if (sections.size() != 1) part.refuse(kTotals, "is not there once");
      const std::vector<std::uint64_t> numbers = part.read<std::uint64_t>(*sections[0]);
      if (numbers.size() != 3 || numbers[0] > indices(last(part.head().shard)).size())
        part.refuse(kTotals, "has numbers that cannot be");
      totals.verified += numbers[0];
      totals.checksum.add(pipeline::ValueChecksum::of(numbers[1], numbers[2]));
    }
    if (best) totals.n_values = hand_on(*best, take);
    return totals;
  }

  SimilarityOptions options;
  ThreadPool pool;
  Vectors vectors;
  match::SimilarityFacts facts;
  std::unique_ptr<engine::SimilarityEngine> engine, small;  ///< small: of few pairs
  std::optional<pipeline::MomentCounter> moments;
  std::optional<engine::SimilarityValues> values;
};

SimilaritySearch::SimilaritySearch(const SimilarityOptions& options) {
  impl_ = std::make_unique<Impl>(options);
}
SimilaritySearch::~SimilaritySearch() = default;

const match::SimilarityFacts& SimilaritySearch::facts() const {
  return impl_->facts;
}

SimilarityTotals SimilaritySearch::run(const SimilarityTake& take) {
  return impl_->compute({}, take);
}

std::optional<SimilarityTotals> SimilaritySearch::find(asking::Work& work, const SimilarityTake& take) {
  Impl& of = *impl_;
  SimilarityTotals totals;
  const asking::Task task{
      .basis =
          [&] {
            return std::vector<part::Basis>{{"vectors", of.vectors.digest()}};
          },
      .run = [&] { totals = run(take); },
      .run_shard = [&](part::Head& head, part::Writer& to) { return of.run_shard(head, to); },
      .merge = [&](const part::PartSet& parts) { totals = of.merge(parts, take); },
      .threads = of.pool.threads()};
  return work.finish(task) ? std::optional(totals) : std::nullopt;
}

}  // namespace fastid::similarity
