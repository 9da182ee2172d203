#include "report/page/explanations.hpp"

#include <algorithm>
#include <functional>

namespace fastid::report {
namespace {

bool is_same_explanation(const match::MixtureSupport& one, const match::MixtureSupport& other) {
  if (one.contributors != other.contributors || one.known != other.known ||
      one.reads.has_value() != other.reads.has_value() || unknown_parts(one) != unknown_parts(other))
    return false;
  return !one.reads || (one.reads->kin == other.reads->kin && one.reads->error == other.reads->error &&
                        one.reads->concentration == other.reads->concentration);
}

}  // namespace

std::vector<double> unknown_parts(const match::MixtureSupport& support) {
  std::vector<double> parts = support.unknown;
  parts.push_back(support.own);
  if (support.reads)
    std::ranges::sort(parts, std::greater<>());
  else
    std::ranges::sort(parts);
  return parts;
}

const match::MixtureSupport& likeliest_explanation(const match::MixtureEvidence& mixture) {
  const auto number = std::ranges::max_element(mixture.numbers) - mixture.numbers.begin() + 1;
  const match::MixtureSupport* best = nullptr;
  double most = 0;
  for (const match::MixtureSupport& support : mixture.supports) {
    if (support.contributors != static_cast<unsigned>(number)) continue;
    double weight = 0;
    for (const match::MixtureSupport& other : mixture.supports)
      if (is_same_explanation(support, other)) weight += other.weight;
    if (best != nullptr && weight <= most) continue;
    best = &support;
    most = weight;
  }
  return best != nullptr ? *best : mixture.supports.front();
}

bool fits_error(const match::QueryMatches& query) {
  const auto& mixture = query.evidence.mixture;
  return mixture && mixture->depths && mixture->depths->read_by_read < query.called_sites;
}

}  // namespace fastid::report
