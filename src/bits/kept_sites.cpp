#include "bits/kept_sites.hpp"

namespace fastid {

void KeptSites::read(std::uint64_t first, std::size_t n, Word* bits, Word* second) const {
  const BlockShape shape = source_.shape();
  source_.read(first, n, bits, source_.has_second() ? second : nullptr);
  if (!source_.has_second())
    for (std::size_t block = 0; block < n; ++block) {
      const std::uint64_t left = shape.n_profiles - (first + block) * kLanes;
      fill_all_called(shape.n_sites, static_cast<std::size_t>(std::min<std::uint64_t>(left, kLanes)),
                      second + block * shape.block_words());
    }
  for (std::size_t block = 0; block < n; ++block)
    for (std::size_t word = 0; word < sites_.size(); ++word) {
      const std::size_t at = block * shape.block_words() + word * kLanes;
      for (std::size_t lane = at; lane < at + kLanes; ++lane) {
        bits[lane] &= sites_[word];
        second[lane] &= sites_[word];
      }
    }
}

}  // namespace fastid
