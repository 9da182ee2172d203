#include "linked/segments.hpp"

#include <algorithm>
#include <numeric>

namespace fastid::linked {
namespace {

constexpr double kProbable = 0.5;

double posterior_of(const SharedAlleles& shared, unsigned state) {
  return state == 2 ? shared.two : shared.one + shared.two;
}

/// A chromosome's sites: first .. end - 1.
class SegmentsOfChromosome {
 public:
  SegmentsOfChromosome(std::span<const MappedSite> sites, std::span<const SharedAlleles> shared,
                       std::size_t first, std::size_t end)
      : sites_(sites), shared_(shared), first_(first), end_(end) {}

  void add(unsigned state, std::vector<Segment>& segments) const {
    for (std::size_t s = first_; s < end_; ++s) {
      if (posterior_of(shared_[s], state) < kProbable) continue;
      const std::size_t begin = s;
      double sum = 0;
      for (; s < end_ && posterior_of(shared_[s], state) >= kProbable; ++s)
        sum += posterior_of(shared_[s], state);
      segments.push_back({.state = state,
                          .first_site = begin,
                          .last_site = s - 1,
                          .start_cm = begin > first_ ? middle(begin - 1) : sites_[begin].cm,
                          .end_cm = s < end_ ? middle(s - 1) : sites_[s - 1].cm,
                          .mean_posterior = sum / static_cast<double>(s - begin)});
    }
  }

 private:
  /// The middle between a site and the next one, in cM.
  double middle(std::size_t site) const { return std::midpoint(sites_[site].cm, sites_[site + 1].cm); }

  std::span<const MappedSite> sites_;
  std::span<const SharedAlleles> shared_;
  std::size_t first_, end_;
};

}  // namespace

std::vector<Segment> segments_of(std::span<const MappedSite> sites, std::span<const SharedAlleles> shared) {
  std::vector<Segment> segments;
  for (std::size_t first = 0, end = 0; first < sites.size(); first = end) {
    while (end < sites.size() && sites[end].chrom == sites[first].chrom) ++end;
    const SegmentsOfChromosome of(sites, shared, first, end);
    of.add(1, segments);
    of.add(2, segments);
  }
  return segments;
}

SharedLength shared_length(std::span<const MappedSite> sites, std::span<const SharedAlleles> shared) {
  SharedLength length;
  for (std::size_t s = 1; s < sites.size(); ++s) {
    if (sites[s].chrom != sites[s - 1].chrom) continue;
    const double cm = sites[s].cm - sites[s - 1].cm;
    const auto mean = [&](unsigned state) {
      return std::midpoint(posterior_of(shared[s - 1], state), posterior_of(shared[s], state));
    };
    length.any_cm += cm * mean(1);
    length.two_cm += cm * mean(2);
  }
  return length;
}

}  // namespace fastid::linked
