#include "pipeline/ordered_sums.hpp"

#include <bit>
#include <utility>

namespace fastid::pipeline {
namespace {

/// Adds `right` to `left`.
void add_to(std::vector<double>& left, const std::vector<double>& right) {
  for (std::size_t i = 0; i < left.size(); ++i) left[i] += right[i];
}

}  // namespace

std::vector<SumNode> nodes_of(Range leaves) {
  std::vector<SumNode> nodes;
  while (leaves.size() > 0) {
    std::uint64_t level = static_cast<std::uint64_t>(std::bit_width(leaves.size())) - 1;
    while ((leaves.first & ((std::uint64_t{1} << level) - 1)) != 0) --level;
    nodes.push_back({level, leaves.first >> level});
    leaves.first += std::uint64_t{1} << level;
  }
  return nodes;
}

bool OrderedSums::can_join() const {
  if (nodes_.size() < 2) return false;
  const SumNode &left = nodes_[nodes_.size() - 2], &right = nodes_.back();
  return order_ == Order::kAny ||
         (left.level == right.level && left.index % 2 == 0 && right.index == left.index + 1);
}

void OrderedSums::add(const SumNode& node, std::vector<double> sums) {
  nodes_.push_back(node);
  sums_.push_back(std::move(sums));
  while (can_join()) {
    add_to(sums_[sums_.size() - 2], sums_.back());
    nodes_.pop_back();
    sums_.pop_back();
    nodes_.back() = {nodes_.back().level + 1, nodes_.back().index / 2};
  }
}

std::vector<double> OrderedSums::total() && {
  if (sums_.empty()) return {};
  while (sums_.size() > 1) {
    add_to(sums_[sums_.size() - 2], sums_.back());
    sums_.pop_back();
  }
  return std::move(sums_.front());
}

}  // namespace fastid::pipeline
