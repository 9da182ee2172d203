#include "tune/measure/ld_rate.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <vector>

#include "base/clock.hpp"
#include "bits/blocks.hpp"
#include "engine/ld.hpp"
#include "opencl/counting_engines.hpp"
#include "tune/choose/header.hpp"

namespace fastid::tune {
namespace {

constexpr double kLeastR2 = 0.2;  // which random sites do not have

BitBlocks random_sites(const LdShape& shape) {
  BitBlocks sites({shape.sites, shape.people, Encoding::kAlleles});
  std::mt19937 random(shape.sites);
  const auto word = [&] { return static_cast<Word>(random()); };
  std::array<Word, kLanes> minor{}, major{};
  for (std::uint64_t block = 0; block < sites.shape().n_blocks(); ++block)
    for (std::size_t at = 0; at < sites.shape().n_words(); ++at) {
      const std::uint64_t lanes = std::min<std::uint64_t>(kLanes, shape.sites - block * kLanes);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const Word one = word() & word(), other = word() & word();
        minor[lane] = one | other;
        major[lane] = ~(one & other);
      }
      sites.set_word(block, at, sites_mask(shape.people, at), minor.data(), major.data());
    }
  return sites;
}

}  // namespace

Timing ld_timing(const std::string& selector, const model::KernelConfig& config, const LdShape& shape,
                 const Repeats& repeats) {
  const BitBlocks sites = random_sites(shape);
  const std::vector<engine::LdCounts> own = engine::own_counts(engine::LdUnit::kGenotypes, sites.view());
  const auto engine = opencl::make_opencl_ld_engine(
      selector, {sites.view(), engine::LdUnit::kGenotypes, kLeastR2, own},
      {.products = opencl::BitProducts::kPopcounts, .config_text = header_lines(config)});
  return steady_median(repeats, [&] {
    std::vector<engine::LdPair> found;
    const Stopwatch watch;
    engine->find({0, shape.sites, 0, shape.sites}, found);
    return watch.seconds();
  });
}

double ld_bits(const LdShape& shape) {
  return 0.5 * shape.sites * (shape.sites - 1.0) * shape.people *
         static_cast<double>(engine::products_of(engine::sums_of(engine::LdUnit::kGenotypes, true)));
}

}  // namespace fastid::tune
