#include "bench/epistasis.hpp"

#include <random>

#include "base/clock.hpp"
#include "base/process.hpp"
#include "base/thread_pool.hpp"
#include "bench/internal/device_rate.hpp"

namespace fastid::bench {
namespace {

constexpr std::size_t kTop = 10;

/// The number of cells of a table that are counted.
double cells_of(const EpistasisShape& shape) {
  return shape.way == 2 ? 9 : shape.missing ? 27 : 8;
}

/// People of one class, with genotypes by a random frequency for each site.
BitBlocks people_of(const EpistasisShape& shape, std::uint32_t n_people, std::mt19937_64& random) {
  constexpr std::uint64_t kCallsOfOneMissing = 50;
  BitBlocks people({shape.sites, n_people, Encoding::kAlleles});
  for (std::uint32_t site = 0; site < shape.sites; ++site) {
    const std::uint64_t minor = 50 + 10 * (site % 45);
    for (std::uint32_t person = 0; person < n_people; ++person) {
      if (shape.missing && random() % kCallsOfOneMissing == 0) continue;
      const bool first = random() % 1000 < minor, second = random() % 1000 < minor;
      people.set_seen(site, person, first && second ? kMinorSeen : first || second ? kBothSeen : kMajorSeen);
    }
  }
  return people;
}

double seconds_of(const engine::EpistasisEngine& engine, const engine::EpistasisProblem& problem,
                  ThreadPool& pool) {
  const std::vector<engine::Rectangle> tiles = engine::tiles_for(problem, engine, pool.threads());
  engine::BestCombinations best(kTop);
  const Stopwatch watch;
  pool.for_each(tiles.size(), [&](std::size_t i, const ThreadPool::Stop&) {
    check_interrupt();
    engine.find(tiles[i], best);
  });
  return watch.seconds();
}

EpistasisResult measure(const std::string& device, const EpistasisShape& shape,
                        const EpistasisOptions& options, const EpistasisEngineMaker& make_engine,
                        ThreadPool& pool, Bounds* bounds) {
  std::mt19937_64 random(options.seed);
  const BitBlocks controls = people_of(shape, shape.people / 2, random),
                  cases = people_of(shape, shape.people - shape.people / 2, random);
  const engine::EpistasisProblem problem{
      {controls.view(), cases.view()}, shape.way, engine::EpistasisScore::kK2};
  const auto engine = make_engine(device, problem);
  const std::uint64_t combinations = engine::n_combinations(problem);
  EpistasisResult result{
      measure_rate(
          device, options.repeats, static_cast<double>(combinations) * shape.people,
          [&] { return seconds_of(*engine, problem, pool); },
          bounds != nullptr ? [&] { return bounds->compare(engine::KernelCase::kInside) / cells_of(shape); }
                            : std::function<double()>()),
      shape, combinations};
  result.step = engine->step();
  result.bit_rate = result.rate * result.step.counted;
  return result;
}

}  // namespace

std::vector<EpistasisResult> run_epistasis(const EpistasisOptions& options,
                                           const EpistasisEngineMaker& make_engine,
                                           const std::function<void(const EpistasisResult&)>& on_result) {
  return measure_all<EpistasisResult>(
      options, options.shapes,
      [&](const std::string& device, const EpistasisShape& shape, ThreadPool& pool, Bounds* bounds) {
        return measure(device, shape, options, make_engine, pool, bounds);
      },
      on_result);
}

}  // namespace fastid::bench
