#include "stats/internal/minor_copies.hpp"

namespace fastid::stats {

void draw(double q, double theta, Seen seen, unsigned drawn, Minors& minors) {
  const unsigned n = seen.minor + seen.major + drawn;
  const double below = n == 0 ? 1 : 1 / (1 + (n - 1) * theta);
  const double own = n == 0 ? 1 : 1 - theta, q_below = own * q * below, p_below = own * (1 - q) * below,
               theta_below = theta * below;
  for (unsigned c = drawn + 1; c-- > 0;) {
    minors[c + 1] += minors[c] * (q_below + (seen.minor + c) * theta_below);
    minors[c] *= p_below + (seen.major + drawn - c) * theta_below;
  }
}

void add_copies(double q, double theta, const Unknown& unknown, double weight, std::span<double> copies) {
  const auto& [seen, g, alleles, ibd] = unknown;
  // `shared` of the alleles are the person's own minor ones; the last `draws` are drawn from the population.
  const auto share = [&, seen = seen](double probability, unsigned shared, unsigned draws) {
    if (probability == 0) return;
    Minors minors{weight * probability};
    for (unsigned drawn = 0; drawn < draws; ++drawn) draw(q, theta, seen, drawn, minors);
    for (unsigned c = 0; c <= draws; ++c) copies[shared + c] += minors[c];
  };
  share(ibd.two, g, alleles - 2);
  share(ibd.one * g / 2, 1, alleles - 1);
  share(ibd.one * (2 - g) / 2, 0, alleles - 1);
  share(ibd.none, 0, alleles);
}

}  // namespace fastid::stats
