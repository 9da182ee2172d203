// A block is turned on its side, so that a site is a word of 32 profiles; sites are moved as words, and
// turned back.
#include "bits/moved_sites.hpp"

#include <algorithm>
#include <array>

namespace fastid {
namespace {

/// A plane of a block with a word for each site, whose bit i is profile i's.
std::vector<Word> turned(const Word* plane, const BlockShape& shape) {
  std::vector<Word> sites(shape.n_words() * kWordBits);
  std::copy_n(plane, sites.size(), sites.begin());
  for (std::size_t word = 0; word < shape.n_words(); ++word) transpose32(sites.data() + word * kLanes);
  return sites;
}

}  // namespace

static_assert(kLanes == kWordBits);

BlockShape MovedSites::shape() const {
  BlockShape shape = source_.shape();
  shape.n_sites = static_cast<std::uint32_t>(origins_.size());
  return shape;
}

void MovedSites::read(std::uint64_t first, std::size_t n, Word* bits, Word* second) const {
  const BlockShape from = source_.shape(), to = shape();
  const bool alleles = from.encoding == Encoding::kAlleles;
  WordBuffer from_bits(n * from.block_words()), from_second(n * from.block_words());
  source_.read(first, n, from_bits.data(), source_.has_second() ? from_second.data() : nullptr);
  for (std::size_t block = 0; block < n; ++block) {
    Word* const of_second = from_second.data() + block * from.block_words();
    if (!source_.has_second()) {
      const std::uint64_t left = from.n_profiles - (first + block) * kLanes;
      fill_all_called(from.n_sites, static_cast<std::size_t>(std::min<std::uint64_t>(left, kLanes)),
                      of_second);
    }
    const std::vector<Word> minor = turned(from_bits.data() + block * from.block_words(), from),
                            other = turned(of_second, from);
    for (std::size_t word = 0; word < to.n_words(); ++word) {
      std::array<Word, kWordBits> to_minor{}, to_other{};
      const std::size_t begin = word * kWordBits, end = std::min(begin + kWordBits, origins_.size());
      for (std::size_t site = begin; site < end; ++site) {
        const auto& [origin, swapped] = origins_[site];
        if (origin == SiteOrigin::kNone || (swapped && !alleles)) continue;
        to_minor[site - begin] = swapped ? other[origin] : minor[origin];
        to_other[site - begin] = swapped ? minor[origin] : other[origin];
      }
      transpose32(to_minor.data());
      transpose32(to_other.data());
      const std::size_t at = block * to.block_words() + word * kLanes;
      std::ranges::copy(to_minor, bits + at);
      std::ranges::copy(to_other, second + at);
    }
  }
}

}  // namespace fastid
