#include "bench/pair_hmm.hpp"

#include <optional>
#include <random>

#include "base/clock.hpp"
#include "base/process.hpp"
#include "base/thread_pool.hpp"
#include "bench/internal/device_rate.hpp"

namespace fastid::bench {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 28;  // of reads and haplotypes
constexpr double kLeastSeconds = 0.25;
constexpr hmm::Qualities kUsual = {30, 45, 45, 10};

std::uint8_t random_base(std::mt19937_64& random) {
  return static_cast<std::uint8_t>(1U << random() % 4);
}

/// Adds haplotypes that differ from the first at one or two bases, and reads of the first with one base in a
/// hundred wrong.
void add_group(const HmmShape& shape, std::mt19937_64& random, hmm::Groups& groups) {
  std::vector<std::uint8_t> bases(shape.columns);
  for (std::uint8_t& base : bases) base = random_base(random);
  for (std::size_t i = 0; i < shape.haplotypes; ++i) {
    std::vector<std::uint8_t> haplotype = bases;
    for (int times = 0; times < 2; ++times) haplotype[random() % haplotype.size()] = random_base(random);
    groups.add_haplotype(haplotype);
  }
  std::vector<hmm::Row> rows(shape.rows);
  for (std::size_t i = 0; i < shape.reads; ++i) {
    const std::size_t first = random() % (shape.columns - shape.rows + 1);
    for (std::size_t r = 0; r < rows.size(); ++r)
      rows[r] = hmm::pack(random() % 100 == 0 ? random_base(random) : bases[first + r], kUsual);
    groups.add_read(rows);
  }
  groups.end_group();
}

/// \param log10  grows to a place for each pair
double seconds_of(hmm::LikelihoodEngine& engine, const hmm::Groups& groups, std::vector<double>& log10) {
  check_interrupt();
  log10.resize(groups.n_pairs());
  const Stopwatch watch;
  engine.compute(groups, groups.reads(), log10);
  return watch.seconds();
}

HmmResult measure(const std::string& device, hmm::LikelihoodEngine& engine, const HmmShape& shape,
                  const HmmOptions& options, Bounds* bounds) {
  std::mt19937_64 random(options.seed);
  hmm::Groups groups;
  std::vector<double> log10;
  add_group(shape, random, groups);
  seconds_of(engine, groups, log10);  // programs that a device needs are built
  const std::size_t most = kMostBytes / (groups.rows().size_bytes() + groups.bases().size_bytes());
  std::size_t n = 1;
  for (std::size_t wanted = 8; wanted <= most; wanted *= 2) {
    for (; n < wanted; ++n) add_group(shape, random, groups);
    if (seconds_of(engine, groups, log10) > kLeastSeconds) break;
  }
  HmmResult result{measure_rate(
                       device, options.repeats, static_cast<double>(groups.cells()),
                       [&] { return seconds_of(engine, groups, log10); },
                       bounds != nullptr ? [bounds] { return bounds->cells(); } : std::function<double()>()),
                   shape, groups.n_pairs()};
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
