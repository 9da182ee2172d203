#include "stats/ld.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>

namespace fastid::stats {
namespace {

Disequilibrium from(double both, double first, double second) {
  const double d = both - first * second;
  const double most = d < 0 ? std::min(first * second, (1 - first) * (1 - second))
                            : std::min(first * (1 - second), (1 - first) * second);
  return {d, most > 0 ? std::clamp(d / most, -1.0, 1.0) : 0};
}

/// A few numbers.
class Few {
 public:
  void add(double value) { values_[n_++] = value; }
  std::span<const double> all() const { return std::span(values_).first(n_); }

 private:
  std::array<double, 5> values_{};
  std::size_t n_ = 0;
};

/// Real roots of x^3 + a x^2 + b x + c.
Few cubic_roots(double a, double b, double c) {
  const double q = (a * a - 3 * b) / 9, r = (2 * a * a * a - 9 * a * b + 27 * c) / 54;
  Few roots;
  if (r * r < q * q * q) {
    const double angle = std::acos(std::clamp(r / std::sqrt(q * q * q), -1.0, 1.0));
    for (const int k : {-1, 0, 1})
      roots.add(-2 * std::sqrt(q) * std::cos((angle + 2 * k * std::numbers::pi) / 3) - a / 3);
    return roots;
  }
  const double root = std::cbrt(std::abs(r) + std::sqrt(std::max(0.0, r * r - q * q * q)));
  const double s = r > 0 ? -root : root, t = s == 0 ? 0 : q / s;
  roots.add(s + t - a / 3);
  if (std::abs(s - t) <= 1e-9 * std::max(1.0, std::abs(s))) roots.add(-(s + t) / 2 - a / 3);
  return roots;
}

/// The numbers of haplotypes that are seen: of all people who are not heterozygous at both sites.
struct Haplotypes {
  double n11 = 0, n12 = 0, n21 = 0, n22 = 0;  ///< 1: the minor allele, at the first and at the second site
  double unknown = 0;                         ///< people whose two haplotypes are 11 and 22, or 12 and 21
};

double log_likelihood(const Haplotypes& seen, double both, double first, double second) {
  const double p11 = both, p12 = first - both, p21 = second - both, p22 = 1 - first - second + both;
  const auto part = [](double n, double p) { return n == 0 ? 0 : n * std::log(std::max(p, 1e-300)); };
  return part(seen.n11, p11) + part(seen.n12, p12) + part(seen.n21, p21) + part(seen.n22, p22) +
         part(seen.unknown, p11 * p22 + p12 * p21);
}

/// The frequency of haplotype 11 that is most probable.
double most_probable(const Haplotypes& seen, double total, double first, double second) {
  const double least = std::max(0.0, first + second - 1), most = std::min(first, second);
  // With x = p11: (x - n11/T)(x (1 - p - q + x) + (p - x)(q - x)) = u/T x (1 - p - q + x), u: people unknown.
  const double a = seen.n11 / total, u = seen.unknown / total, k = 1 - first - second, pq = first * second;
  Few candidates;  // an end makes one of the haplotypes impossible, which must then not have been seen
  if ((least > 0 ? seen.n22 : seen.n11) == 0) candidates.add(least);
  if ((first <= second ? seen.n12 : seen.n21) == 0) candidates.add(most);
  // The left side is (x - a)(2 x^2 + (k - p - q) x + pq).
  const double l = k - first - second;
  const Few roots = cubic_roots((l - 2 * a - u) / 2, (pq - a * l - u * k) / 2, -a * pq / 2);
  for (const double root : roots.all()) candidates.add(std::clamp(root, least, most));
  const std::span<const double> all = candidates.all();
  if (all.size() == 1) return all.front();
  double best = all.front(), highest = log_likelihood(seen, best, first, second);
  for (const double x : all.subspan(1))
    if (const double here = log_likelihood(seen, x, first, second); here > highest) best = x, highest = here;
  return best;
}

}  // namespace

std::optional<Disequilibrium> of_haplotypes(const engine::LdCounts& counts) {
  const double n = counts.called;
  if (counts.x == 0 || counts.y == 0 || counts.x == counts.called || counts.y == counts.called)
    return std::nullopt;
  return from(counts.xy / n, counts.x / n, counts.y / n);
}

std::optional<Disequilibrium> of_genotypes(const engine::GenotypeCells& cells,
                                           const HaplotypeCells& haplotypes) {
  const auto at = [&](std::size_t i, std::size_t j) { return static_cast<double>(cells[i][j]); };
  const auto single = [&](std::size_t i, std::size_t j) { return static_cast<double>(haplotypes[i][j]); };
  const Haplotypes seen{.n11 = 2 * at(2, 2) + at(2, 1) + at(1, 2) + single(1, 1),
                        .n12 = 2 * at(2, 0) + at(2, 1) + at(1, 0) + single(1, 0),
                        .n21 = 2 * at(0, 2) + at(1, 2) + at(0, 1) + single(0, 1),
                        .n22 = 2 * at(0, 0) + at(0, 1) + at(1, 0) + single(0, 0),
                        .unknown = at(1, 1)};
  const double total = seen.n11 + seen.n12 + seen.n21 + seen.n22 + 2 * seen.unknown;
  if (total == 0) return std::nullopt;
  const double first = (seen.n11 + seen.n12 + seen.unknown) / total,
               second = (seen.n11 + seen.n21 + seen.unknown) / total;
  if (first == 0 || first == 1 || second == 0 || second == 1) return std::nullopt;
  return from(most_probable(seen, total, first, second), first, second);
}

}  // namespace fastid::stats
