#include "model/equations.hpp"

#include <algorithm>
#include <cmath>

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

}  // namespace fastid::model
