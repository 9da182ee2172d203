// What the native engine reaches on this machine, as a share of what its instructions could do at best.
//
//   engine_bench [profiles] [sites] [threads]       default: 1000000 1024, all CPUs
//   engine_bench --bound                            the bound alone, in Tbit/s
//
// The bound of a comparison: xor, popcount, add on operands in registers, in independent chains. Never the
// xor of a register with itself, which costs nothing. The engine: `cached` compares a tile that lies in the
// lane's buffer again and again; `copied` first copies each tile there from a database in memory, as a read
// from the page cache does. Bars are those of a top 10 that has filled up: one pair in some 15,000 passes.
// Best of five or more.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "bench/engine_bench.cpp"
#define HWY_WANT_AVX3_DL 1
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace fastid::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#undef FASTID_KEEP
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
#define FASTID_KEEP(v) asm volatile("" : "+v"((v).raw))
#elif HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
#define FASTID_KEEP(v) asm volatile("" : "+x"((v).raw))
#else
#define FASTID_KEEP(v) asm volatile("" : "+g"(v))
#endif

// Bits compared by `rounds` rounds of eight chains.
double bound_round(long rounds) {
  constexpr int kChains = 8;
  constexpr hn::CappedTag<std::uint32_t, 16> tag;
  auto x = hn::Iota(tag, 3), y = hn::Iota(tag, 77);
  hn::VFromD<decltype(tag)> chain[kChains];
  _Pragma("GCC unroll 8") for (int i = 0; i < kChains; ++i) chain[i] =
      hn::Iota(tag, static_cast<std::uint32_t>(i));
  for (long round = 0; round < rounds; ++round) _Pragma("GCC unroll 8") for (int i = 0; i < kChains; ++i) {
      FASTID_KEEP(x);
      FASTID_KEEP(y);
      chain[i] = hn::Add(chain[i], hn::PopulationCount(hn::Xor(x, y)));
      FASTID_KEEP(chain[i]);
    }
  return static_cast<double>(rounds) * kChains * static_cast<double>(hn::Lanes(tag)) * 32;
}

}  // namespace fastid::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>
#include <random>

#include "base/clock.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "engine/cpu_engine.hpp"

namespace fastid {
HWY_EXPORT(bound_round);

namespace {

struct Setting {
  std::uint64_t profiles = 1'000'000;
  std::uint32_t sites = 1024;
  std::size_t threads = 0;
};

// Of CPU time a thread, not of the wall clock: what else runs on the machine takes turns, and is not counted.
double best_seconds(std::size_t threads, const std::function<void()>& work) {
  double best = 1e9;
  const Stopwatch total;
  for (int repeat = 0; repeat < 5 || total.seconds() < 0.3; ++repeat) {
    const std::clock_t start = std::clock();
    work();
    best = std::min(
        best, static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / static_cast<double>(threads));
  }
  return best;
}

// Bits compared a second at best, all threads together.
double bound(std::size_t threads) {
  constexpr long kRounds = 1'000'000;
  double bits = 0;
  const double seconds = best_seconds(threads, [&] {
    std::atomic<double> sum{0};
    run_crew(threads,
             [&](std::size_t, const auto&) { sum.fetch_add(HWY_DYNAMIC_DISPATCH(bound_round)(kRounds)); });
    bits = sum;
  });
  return bits / seconds;
}

// Words of about one bit in four, masked by `called` words of about 1 - 2^-6.
struct Planes {
  WordBuffer bits, called;
  Planes(const BlockShape& shape, bool masked, std::uint64_t seed)
      : bits(shape.n_blocks() * shape.block_words()), called(masked ? bits.size() : 0) {
    std::mt19937_64 random(seed);
    for (std::size_t i = 0; i < bits.size(); ++i) {
      const std::uint64_t a = random(), b = random(), c = random(), d = random();
      const Word in_use = sites_mask(shape.n_sites, i / kLanes % shape.n_words());
      const auto on = static_cast<Word>(a & (a >> 32)) & in_use;
      const auto typed = static_cast<Word>(b | (b >> 32) | c | (c >> 32) | d | (d >> 32)) & in_use;
      bits.data()[i] = masked ? on & typed : on;
      if (masked) called.data()[i] = typed;
    }
  }
};

ProfileRows make_queries(std::size_t n, std::uint32_t n_sites, bool masked) {
  const BlockShape shape{n, n_sites};
  const Planes planes(shape, masked, 7);
  std::vector<std::uint64_t> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = i;
  return ProfileRows::from_blocks({shape, planes.bits.data(), masked ? planes.called.data() : nullptr}, all);
}

// One lane for each thread, over its share of the database.
class Run {
 public:
  Run(Engine& engine, const Problem& problem, const Planes& planes) : problem_(problem), planes_(planes) {
    const LanePlan plan = engine.plan(problem);
    tile_ = plan.tile_blocks;
    for (std::size_t i = 0; i < plan.lanes; ++i) lanes_.push_back(engine.open_lane(problem, tile_));
  }

  std::size_t tile() const { return tile_; }

  std::size_t pass(std::span<const Bar> bars, bool copy) {
    std::atomic<std::size_t> next{0}, hits{0};
    const auto blocks = static_cast<std::size_t>(problem_.database.n_blocks());
    run_crew(lanes_.size(), [&](std::size_t i, const auto&) {
      std::vector<Candidate> out;
      for (std::size_t first = next.fetch_add(tile_); first < blocks; first = next.fetch_add(tile_)) {
        const std::size_t n = std::min(tile_, blocks - first);
        if (copy) load(*lanes_[i], first, n);
        const std::uint64_t left = problem_.database.n_profiles - first * kLanes;
        lanes_[i]->compare({std::min<std::uint64_t>(n * kLanes, left), problem_.database.n_sites}, bars, out);
      }
      hits += out.size();
    });
    return hits;
  }

 private:
  void load(Lane& lane, std::size_t first, std::size_t n) const {
    const std::size_t words = problem_.database.block_words(), at = first * words;
    const TileBuffer buffer = lane.buffer();
    std::memcpy(buffer.bits, planes_.bits.data() + at, n * words * sizeof(Word));
    if (buffer.called) std::memcpy(buffer.called, planes_.called.data() + at, n * words * sizeof(Word));
  }

  Problem problem_;
  const Planes& planes_;
  std::size_t tile_ = 1;
  std::vector<std::unique_ptr<Lane>> lanes_;
};

// A bar for each query: the lowest share in a sample of 20,000 profiles.
std::vector<Bar> late_bars(std::size_t n_queries, const Problem& problem, Engine& engine,
                           const Planes& planes) {
  Problem sample = problem;
  sample.database.n_profiles = std::min<std::uint64_t>(problem.database.n_profiles, 20'000);
  const auto lane = engine.open_lane(sample, static_cast<std::size_t>(sample.database.n_blocks()));
  const std::size_t words = sample.database.n_blocks() * sample.database.block_words();
  std::memcpy(lane->buffer().bits, planes.bits.data(), words * sizeof(Word));
  if (lane->buffer().called) std::memcpy(lane->buffer().called, planes.called.data(), words * sizeof(Word));
  std::vector<Candidate> all;
  lane->compare(sample.database, std::vector<Bar>(n_queries), all);
  std::vector<Bar> bars(n_queries);
  for (const Candidate& pair : all)
    if (bars[pair.query].passes(pair.count, pair.weight))
      bars[pair.query] = {UINT32_MAX, pair.count, std::max(pair.weight, 1u)};
  return bars;
}

void measure(const Setting& setting, Comparison comparison, bool query_mask, bool stored_mask,
             std::size_t n_queries, const Planes& planes, double bound_rate) {
  EngineOptions options;
  options.threads = setting.threads;
  const auto engine = make_cpu_engine(options);
  const ProfileRows queries = make_queries(n_queries, setting.sites, query_mask);
  const Problem problem{comparison, &queries, {setting.profiles, setting.sites}, stored_mask};
  Run run(*engine, problem, planes);
  const std::vector<Bar> bars = late_bars(n_queries, problem, *engine, planes);
  const double bits = static_cast<double>(n_queries) * static_cast<double>(setting.profiles) * setting.sites;
  std::size_t hits = run.pass(bars, true);
  const double copied = best_seconds(setting.threads, [&] { hits = run.pass(bars, true); });
  const double cached = best_seconds(setting.threads, [&] { run.pass(bars, false); });
  constexpr const char* kNames[] = {"identity", "mixture", "reverse"};
  fmt::print("{:9} {:5} {:6} {:7} {:10.2f} {:5.0f} % {:10.2f} {:5.0f} % {:8.1f} {:9}\n",
             kNames[static_cast<int>(comparison)], query_mask ? "mask" : "-", stored_mask ? "mask" : "-",
             n_queries, bits / cached / 1e12, 100 * bits / cached / bound_rate, bits / copied / 1e12,
             100 * bits / copied / bound_rate, copied * 1e3, hits);
}

void measure_all(const Setting& setting) {
  const double bound_rate = bound(setting.threads);
  fmt::print("{} profiles x {} sites, {} threads, {}\n", with_commas(setting.profiles), setting.sites,
             setting.threads, cpu_engine_target());
  fmt::print("bound, xor + popcount + add: {:.2f} Tbit/s\n\n", bound_rate / 1e12);
  fmt::print("           query stored queries  cached Tbit/s        copied Tbit/s         ms      hits\n");
  for (const bool stored_mask : {false, true}) {
    const Planes planes({setting.profiles, setting.sites}, stored_mask, 1);
    for (const Comparison comparison :
         {Comparison::kIdentity, Comparison::kMixture, Comparison::kReverseMixture})
      for (const bool query_mask : {false, true})
        for (const std::size_t n_queries : {1, 32, 256})
          measure(setting, comparison, query_mask, stored_mask, n_queries, planes, bound_rate);
  }
}

}  // namespace
}  // namespace fastid

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  fastid::Setting setting;
  setting.threads = fastid::available_cpus();
  if (argc > 1 && std::string_view(argv[1]) == "--bound") {
    fmt::print("{:.3f}\n", fastid::bound(setting.threads) / 1e12);
    return 0;
  }
  if (argc > 1) setting.profiles = fastid::parse_number<std::uint64_t>(argv[1]).value_or(setting.profiles);
  if (argc > 2) setting.sites = fastid::parse_number<std::uint32_t>(argv[2]).value_or(setting.sites);
  if (argc > 3) setting.threads = fastid::parse_number<std::size_t>(argv[3]).value_or(setting.threads);
  fastid::measure_all(setting);
}
#endif
