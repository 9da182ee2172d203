#include "stats/internal/allele_moments.hpp"

namespace fastid::stats {

AlleleMoments::AlleleMoments(std::size_t alleles, double theta) : alleles_(alleles), theta_(theta) {
  for (std::size_t seen = 1; seen < alleles; ++seen) by_order_ /= 1 + static_cast<double>(seen - 1) * theta;
}

// The first allele of all is drawn without a factor 1 - theta, which holds for a theta of 1, too.
void AlleleMoments::at(double q, std::span<double> moments) const {
  const double own = 1 - theta_;
  double minor = q * by_order_, major = 1 - q;
  moments[0] = by_order_;
  for (std::size_t i = 1; i <= alleles_; ++i) {
    moments[i] = minor;
    minor *= static_cast<double>(i) * theta_ + own * q;
  }
  for (std::size_t i = alleles_; i-- > 0;) {
    moments[i] *= i == 0 ? major : own * major;
    major *= static_cast<double>(alleles_ - i) * theta_ + own * (1 - q);
  }
}

}  // namespace fastid::stats
