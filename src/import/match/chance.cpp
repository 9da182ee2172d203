#include "import/match/chance.hpp"

#include <cmath>

namespace fastid::imports {

double log10_chance(double share, std::uint64_t n, double p) {
  if (!(share < p)) return 0;
  const auto part = [](double a, double b) { return a > 0 ? a * std::log10(a / b) : 0; };
  return -static_cast<double>(n) * (part(share, p) + part(1 - share, 1 - p));
}

}  // namespace fastid::imports
