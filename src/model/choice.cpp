#include "model/choice.hpp"

#include <algorithm>
#include <cmath>

namespace fastid::model {

double predicted_seconds(const EngineCost& cost, const Workload& work) {
  if (!(cost.bits_rate > 0) || !(cost.bytes_rate > 0)) return INFINITY;
  Workload compared = work;
  const std::uint64_t step = std::max(1u, cost.query_step);
  compared.queries = (work.queries + step - 1) / step * step;
  const double comparing = compared.bits() / cost.bits_rate, bringing = work.bytes() / cost.bytes_rate;
  return cost.startup_seconds + (cost.overlaps ? std::max(comparing, bringing) : comparing + bringing);
}

Choice choose(std::span<const EngineCost> candidates, const Workload& work) {
  Choice choice;
  for (const EngineCost& cost : candidates) choice.seconds.push_back(predicted_seconds(cost, work));
  choice.best = static_cast<std::size_t>(std::ranges::min_element(choice.seconds) - choice.seconds.begin());
  return choice;
}

double least_gpu_seconds(double startup_seconds, const Workload& work) {
  return startup_seconds + work.bytes() / kMostUpload;
}

}  // namespace fastid::model
