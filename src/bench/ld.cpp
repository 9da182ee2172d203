#include "bench/ld.hpp"

#include <algorithm>
#include <optional>

#include "base/checked.hpp"
#include "base/clock.hpp"
#include "base/process.hpp"
#include "base/thread_pool.hpp"
#include "bench/internal/device_rate.hpp"
#include "bench/internal/workload.hpp"
#include "bits/turned.hpp"

namespace fastid::bench {
namespace {

constexpr double kLeastR2 = 0.2;

TurnedBlocks sites_of(const LdCohort& shape, ThreadPool& pool, std::uint64_t seed) {
  const People people({shape.people, shape.sites, Encoding::kAlleles}, shape.missing, pool, seed);
  return {MemorySource(people.view(true)), pool};
}

double seconds_of(const engine::LdEngine& engine, std::uint32_t n_sites, ThreadPool& pool,
                  std::uint64_t& linked) {
  const std::uint32_t firsts = engine.first_sites();
  std::vector<std::uint64_t> found(ceil_div(n_sites, firsts));
  const Stopwatch watch;
  pool.for_each(found.size(), [&](std::size_t i, const ThreadPool::Stop&) {
    check_interrupt();
    const auto begin = static_cast<std::uint32_t>(i * firsts);
    std::vector<engine::LdPair> pairs;
    engine.find({begin, std::min(begin + firsts, n_sites), begin, n_sites}, pairs);
    found[i] = pairs.size();
  });
  const double seconds = watch.seconds();
  linked = 0;
  for (const std::uint64_t pairs : found) linked += pairs;
  return seconds;
}

LdResult measure(const std::string& device, const LdCohort& shape, const LdOptions& options,
                 const LdEngineMaker& make_engine, ThreadPool& pool, Bounds* bounds) {
  const TurnedBlocks sites = sites_of(shape, pool, options.seed);
  const std::vector<engine::LdCounts> own = engine::own_counts(engine::LdUnit::kGenotypes, sites.view());
  const engine::LdProblem problem{sites.view(), engine::LdUnit::kGenotypes, kLeastR2, own};
  const engine::LdSums sums = engine::sums_of(problem.unit, engine::all_called(problem));
  const auto engine = make_engine(device, problem);
  const auto products = static_cast<double>(engine::products_of(sums));
  const double pairs = 0.5 * shape.sites * (shape.sites - 1.0);
  LdResult result{{}, shape, 0};
  static_cast<DeviceRate&>(result) = measure_rate(
      device, options.repeats, pairs * shape.people * products,
      [&] { return seconds_of(*engine, shape.sites, pool, result.linked); },
      bounds == nullptr ? std::function<double()>() : [&] {
        return bounds->compare(engine::KernelCase::kInside) * products / static_cast<double>(engine::words_of(sums));
      });
  result.step = engine->step();
  result.bit_rate = result.rate / products * result.step.counted;
  return result;
}

}  // namespace

std::vector<LdResult> run_ld(const LdOptions& options, const LdEngineMaker& make_engine,
                             const std::function<void(const LdResult&)>& on_result) {
  return measure_all<LdResult>(
      options, options.shapes,
      [&](const std::string& device, const LdCohort& shape, ThreadPool& pool, Bounds* bounds) {
        return measure(device, shape, options, make_engine, pool, bounds);
      },
      on_result);
}

}  // namespace fastid::bench
