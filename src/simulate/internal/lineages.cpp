#include "simulate/internal/lineages.hpp"

#include <cmath>
#include <utility>

#include "bits/popcount.hpp"

namespace fastid::simulate {

/// The leaves below each branch of a random tree; the second to last branch is the root's, with all leaves,
/// and the last one has none.
std::vector<Lineages::Leaves> Lineages::draw_branches(Stream& stream) {
  std::vector<Leaves> branches(kLeaves), left;
  for (std::size_t leaf = 0; leaf < kLeaves; ++leaf)
    branches[leaf][leaf / 64] = std::uint64_t{1} << leaf % 64;
  left = branches;
  while (left.size() > 1) {
    Leaves joined = {};
    for (int i = 0; i < 2; ++i) {
      std::swap(left[stream.below(left.size())], left.back());
      for (std::size_t word = 0; word < joined.size(); ++word) joined[word] |= left.back()[word];
      left.pop_back();
    }
    branches.push_back(joined);
    left.push_back(joined);
  }
  branches.push_back({});
  return branches;
}

Lineages::Lineages(const std::vector<double>& minor_freq, Stream stream) {
  const std::vector<Leaves> branches = draw_branches(stream);
  std::vector<double> shares;
  for (const Leaves& leaves : branches) {
    int n = 0;
    for (const std::uint64_t word : leaves) n += bits_set(word);
    shares.push_back(n / static_cast<double>(kLeaves));
  }
  for (const double freq : minor_freq) {
    const std::size_t leaf = draw(stream);
    std::size_t nearest = branches.size() - 1;  // nobody has it
    for (std::size_t branch = 0; branch < branches.size(); ++branch)
      if (has(branches[branch], leaf) && std::abs(shares[branch] - freq) < std::abs(shares[nearest] - freq))
        nearest = branch;
    sites_.push_back(branches[nearest]);
  }
}

}  // namespace fastid::simulate
