#include "questions/similarity/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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
#include "questions/similarity/stretches.hpp"
#include "questions/similarity/vectors.hpp"
#include "questions/similarity/wanted_values.hpp"

namespace fastid::similarity {
namespace {

constexpr std::string_view kFound = "found", kEvery = "every", kBytes = "bytes", kTotals = "totals";

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
    if (options.split == Split::kElements)
      stretches.emplace(vectors, options, last({}), pool, options.device);
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
  }

  /// Whether only values that are high enough are wanted, and the engine looks for them. Where calls are
  /// missing, so many may be among the best that to count each by itself takes longer than to count all.
  bool chooses(const engine::VectorPlanes& planes) const {
    const bool best = options.wanted == ValuesWanted::kBest;
    const bool high = best ? planes.all_called : options.wanted == ValuesWanted::kFound && options.threshold;
    return high && !options.checksum && !vectors.analytic() && pipeline::has_limits(planes, options.way);
  }

  SimilarityTotals compute(const Shard& shard, const SimilarityTake& take) {
    WantedValues wanted(options, vectors, take, most_found());
    if (stretches) {
      stretches->run(wanted.sinks());
      return wanted.finish();
    }
    const Range of = last(shard);
    Progress progress(options.progress, "comparing", options.way == 2 ? "pairs" : "triples",
                      indices(of).size() / facts.cells);
    stream(of, wanted.sinks(), wanted.choosing(), progress);
    return wanted.finish();
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
    const pipeline::AllValues all{.moments = *moments, .pool = pool, .progress = progress};
    pipeline::stream_values(all, of, sinks, chooses(vectors.whole()->planes()) ? &choosing : nullptr);
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
    note_run(head);
    const std::array<std::uint64_t, 3> numbers = {totals.verified, totals.checksum.high(),
                                                  totals.checksum.low()};
    to.add<std::uint64_t>(kTotals, numbers);
    if (totals.verified == 0) return counted(totals.n_values, "value");
    return fmt::format("{} ({} were known, and are right)", counted(totals.n_values, "value"),
                       counted(totals.verified, "value"));
  }

  SimilarityTotals merge(const part::PartSet& parts, const SimilarityTake& take) const {
    WantedValues wanted(options, vectors, take, most_found());
    pipeline::ValueChecksum checksum;
    std::uint64_t verified = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const part::File& part = parts.part(i);
      wanted.add(read(part, take, wanted.best()));
      const std::vector<const part::Section*> sections = part.sections(kTotals);
      if (sections.size() != 1) part.refuse(kTotals, "is not there once");
      const std::vector<std::uint64_t> numbers = part.read<std::uint64_t>(*sections[0]);
      if (numbers.size() != 3 || numbers[0] > indices(last(part.head().shard)).size())
        part.refuse(kTotals, "has numbers that cannot be");
      verified += numbers[0];
      checksum.add(pipeline::ValueChecksum::of(numbers[1], numbers[2]));
    }
    SimilarityTotals totals = wanted.finish();
    totals.verified = verified;
    totals.checksum = checksum;
    return totals;
  }

  /// Does some of the steps of work that is split by elements.
  asking::Task task_of(const Range& steps, WantedValues& wanted) {
    return {.basis = [this] { return basis(); },
            .run = [this, &wanted] { stretches->run(wanted.sinks()); },
            .run_shard =
                [this, steps](part::Head& head, part::Writer& to) {
                  const std::string counted = stretches->write(head.shard, steps, to);
                  note_run(head);
                  return counted;
                },
            .merge = [this, steps, &wanted](
                         const part::PartSet& parts) { stretches->merge(parts, steps, wanted.sinks()); },
            .threads = pool.threads(),
            .one_shard_each = true};
  }

  /// A team takes one step after the other, so that no process holds the sums of all.
  std::optional<SimilarityTotals> find_by_elements(asking::Work& work, const SimilarityTake& take) {
    WantedValues wanted(options, vectors, take, most_found());
    const std::uint64_t n = stretches->n_steps(), at_once = work.team() != nullptr ? 1 : n;
    bool done = false;
    for (std::uint64_t step = 0; step < n; step += at_once) {
      work.begin_next();
      done = work.finish(task_of({step, step + at_once}, wanted));
    }
    return done ? std::optional(wanted.finish()) : std::nullopt;
  }

  std::vector<part::Basis> basis() const { return {{"vectors", vectors.digest()}}; }
  void note_run(part::Head& head) const {
    head.run.engine = head.run.description = options.device.device;
    head.run.workers = pool.threads();
  }

  SimilarityOptions options;
  ThreadPool pool;
  Vectors vectors;
  match::SimilarityFacts facts;
  std::unique_ptr<engine::SimilarityEngine> engine, small;  ///< small: of few pairs
  std::optional<pipeline::MomentCounter> moments;
  std::optional<Stretches> stretches;  ///< where work is split by elements
};

SimilaritySearch::SimilaritySearch(const SimilarityOptions& options) {
  impl_ = std::make_unique<Impl>(options);
}
SimilaritySearch::~SimilaritySearch() = default;

const match::SimilarityFacts& SimilaritySearch::facts() const {
  return impl_->facts;
}

double SimilaritySearch::bytes_of_sums(const Shard& shard) const {
  return impl_->stretches ? impl_->stretches->bytes_of_part(shard) : 0;
}

SimilarityTotals SimilaritySearch::run(const SimilarityTake& take) {
  return impl_->compute({}, take);
}

std::optional<SimilarityTotals> SimilaritySearch::find(asking::Work& work, const SimilarityTake& take) {
  Impl& of = *impl_;
  if (of.stretches) return of.find_by_elements(work, take);
  SimilarityTotals totals;
  const asking::Task task{
      .basis = [&] { return of.basis(); },
      .run = [&] { totals = run(take); },
      .run_shard = [&](part::Head& head, part::Writer& to) { return of.run_shard(head, to); },
      .merge = [&](const part::PartSet& parts) { totals = of.merge(parts, take); },
      .threads = of.pool.threads()};
  return work.finish(task) ? std::optional(totals) : std::nullopt;
}

}  // namespace fastid::similarity
