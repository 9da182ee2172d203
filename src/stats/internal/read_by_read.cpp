#include "stats/internal/read_by_read.hpp"

namespace fastid::stats {

RisingPowers::RisingPowers(double x) {
  value[0] = 1;
  for (std::size_t j = 0; j < kFewReads; ++j) {
    const double next = x + static_cast<double>(j);
    value[j + 1] = value[j] * next;
    slope[j + 1] = slope[j] * next + value[j];
  }
}

ReadsOneByOne::ReadsOneByOne(std::span<const SiteRead> reads) : n_(reads.size()) {
  of_[0] = 1;
  for (std::size_t r = 0; r < n_; ++r) {
    const double minor = 1 - 1 / (1 + static_cast<double>(reads[r].odds)), major = 1 - minor;
    for (std::size_t j = r + 1; j-- > 0;) {
      of_[j + 1] += of_[j] * minor;
      of_[j] *= major;
    }
  }
  const RisingPowers one(1), two(2);
  uniform_ = mean(.5, 2, one, one, two).value;
}

SignalCell ReadsOneByOne::mean(double f, double k, const RisingPowers& minor, const RisingPowers& major,
                               const RisingPowers& all) const {
  double sum = 0, by_minor = 0, by_major = 0;
  for (std::size_t j = 0; j <= n_; ++j) {
    sum += of_[j] * (minor.value[j] * major.value[n_ - j]);
    by_minor += of_[j] * (minor.slope[j] * major.value[n_ - j]);
    by_major += of_[j] * (minor.value[j] * major.slope[n_ - j]);
  }
  const double of_all = all.value[n_];
  return {
      .value = sum / of_all,
      .by_share = k * (by_minor - by_major) / of_all,
      .by_parameters = {(f * by_minor + (1 - f) * by_major - sum * (all.slope[n_] / of_all)) / of_all, 0}};
}

}  // namespace fastid::stats
