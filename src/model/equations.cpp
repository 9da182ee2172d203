#include "model/equations.hpp"

#include <algorithm>
#include <cmath>

#include "base/checked.hpp"

namespace fastid::model {
namespace {

std::uint32_t whole(double value) {
  return value > 0 && value < 4e9 ? static_cast<std::uint32_t>(value) : 0;
}

}  // namespace

PaperShape paper_shape(const DeviceTraits& traits) {
  PaperShape shape;
  shape.m_r = whole(traits.load_words.value);
  shape.m_c = whole(traits.banks.value);
  shape.m_c_cluster = traits.clusters.value > 0 ? whole(traits.banks.value / traits.clusters.value) : 0;
  if (shape.m_c > 0) {
    shape.k_c = whole((traits.local_bytes.value - traits.local_reserved.value) / (4.0 * shape.m_c));
    shape.n_r_most = whole(traits.registers.value / 2) / shape.m_c;
  }
  if (shape.m_c_cluster > 0)
    shape.n_r_least = whole(std::ceil(traits.thread_group.value * shape.m_r / shape.m_c_cluster *
                                      traits.load_words.value * traits.popcount_latency.value));
  return shape;
}

std::uint32_t item_counts(const DeviceTraits& traits, std::uint32_t items) {
  const double share = traits.registers.value / std::max(1u, items);
  const double most = traits.item_registers.known() ? traits.item_registers.value : share;
  return whole(std::min(share, most) / 2);
}

CoreGrid core_grid(std::uint32_t cores, std::uint64_t queries, std::uint64_t profiles, std::uint32_t m_c,
                   std::uint32_t n_r) {
  const std::uint64_t row_tiles = std::max<std::uint64_t>(1, ceil_div<std::uint64_t>(queries, m_c));
  const std::uint64_t column_tiles = std::max<std::uint64_t>(1, ceil_div<std::uint64_t>(profiles, n_r));
  CoreGrid best;
  double least = INFINITY;
  for (std::uint32_t rows = 1; rows <= std::max(1u, cores) && rows <= row_tiles; ++rows) {
    const auto columns =
        static_cast<std::uint32_t>(std::min<std::uint64_t>(std::max(1u, cores / rows), column_tiles));
    const auto steps = static_cast<double>(ceil_div<std::uint64_t>(row_tiles, rows)) *
                       static_cast<double>(ceil_div<std::uint64_t>(column_tiles, columns));
    const double reads = static_cast<double>(profiles) * rows + static_cast<double>(queries) * columns;
    constexpr double kReadsWeigh = 0.1;  // twice the reads are taken for 7 % of the time
    const double time = steps * std::pow(reads, kReadsWeigh);
    if (time < least) {
      best = {rows, columns};
      least = time;
    }
  }
  return best;
}

double latency_clocks(double clock_hz, double seconds, double instructions) {
  return instructions > 0 ? clock_hz * seconds / instructions : 0;
}

double throughput(double clock_hz, double seconds, double instructions, double items, double compute_units) {
  const double clocks = clock_hz * seconds * compute_units;
  return clocks > 0 ? instructions * items / clocks : 0;
}

std::uint32_t saturating_groups(const DeviceTraits& traits) {
  return whole(std::ceil(traits.clusters.value * traits.popcount_latency.value));
}

}  // namespace fastid::model
