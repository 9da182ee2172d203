#include "bench/pair_hmm.hpp"

#include <optional>
#include <random>

#include "base/clock.hpp"
#include "base/process.hpp"
#include "base/thread_pool.hpp"
#include "bench/internal/device_rate.hpp"

namespace fastid::bench {
namespace {

constexpr std::size_t kReads = 32, kHaplotypes = 8;  // of a region
constexpr std::size_t kMostRegions = 4096;
constexpr double kLeastSeconds = 0.25;
constexpr hmm::Qualities kUsual = {30, 45, 45, 10};

std::uint8_t random_base(std::mt19937_64& random) {
  return static_cast<std::uint8_t>(1U << random() % 4);
}

/// Haplotypes that differ at a base, and reads of one of them with a wrong base in a hundred.
void add_region(const HmmShape& shape, std::mt19937_64& random, hmm::Pairs& pairs) {
  std::vector<std::uint8_t> bases(shape.columns);
  for (std::uint8_t& base : bases) base = random_base(random);
  std::vector<std::uint32_t> haplotypes, reads;
  for (std::size_t i = 0; i < kHaplotypes; ++i) {
    bases[random() % bases.size()] = random_base(random);
    haplotypes.push_back(pairs.add_haplotype(bases));
  }
  std::vector<hmm::Row> rows(shape.rows);
  for (std::size_t i = 0; i < kReads; ++i) {
    const std::size_t first = random() % (shape.columns - shape.rows + 1);
    for (std::size_t r = 0; r < rows.size(); ++r)
      rows[r] = hmm::pack(random() % 100 == 0 ? random_base(random) : bases[first + r], kUsual);
    reads.push_back(pairs.add_read(rows));
  }
  for (const std::uint32_t read : reads)
    for (const std::uint32_t haplotype : haplotypes) pairs.add_pair({read, haplotype});
}

double seconds_of(hmm::LikelihoodEngine& engine, const hmm::Pairs& pairs) {
  check_interrupt();
  const Stopwatch watch;
  engine.log10_likelihoods(pairs);
  return watch.seconds();
}

HmmResult measure(const std::string& device, hmm::LikelihoodEngine& engine, const HmmShape& shape,
                  const HmmOptions& options, Bounds* bounds) {
  std::mt19937_64 random(options.seed);
  hmm::Pairs pairs;
  add_region(shape, random, pairs);
  seconds_of(engine, pairs);  // programs that a device needs are built
  std::size_t regions = 1;
  for (std::size_t wanted = 8; wanted <= kMostRegions; wanted *= 2) {
    for (; regions < wanted; ++regions) add_region(shape, random, pairs);
    if (seconds_of(engine, pairs) > kLeastSeconds) break;
  }
  HmmResult result{measure_rate(
                       device, options.repeats, static_cast<double>(pairs.cells()),
                       [&] { return seconds_of(engine, pairs); },
                       bounds != nullptr ? [bounds] { return bounds->cells(); } : std::function<double()>()),
                   shape, pairs.pairs().size()};
  result.rescued = engine.rescued();
  return result;
}

}  // namespace

HmmReport run_hmm(const HmmOptions& options, const LikelihoodEngineMaker& make_engine,
                  const std::function<void(const HmmResult&)>& on_result) {
  HmmReport report;
  ThreadPool pool(threads_or_all(options.threads));
  for (const std::string& device : options.devices) {
    const auto engine = make_engine(device, options.threads);
    report.engines.push_back(engine->description());
    std::optional<Bounds> bounds = bounds_of(device, pool);
    for (const HmmShape& shape : options.shapes) {
      report.results.push_back(measure(device, *engine, shape, options, bounds ? &*bounds : nullptr));
      if (on_result) on_result(report.results.back());
    }
  }
  return report;
}

}  // namespace fastid::bench
