/// \file
/// A sink that leaves out the pairs of some rows.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bits/row_mask.hpp"
#include "match/pair_sink.hpp"

namespace fastid::match {

/// Passes on the pairs of rows that the mask holds. The mask's rows are the pairs' rows. In a sample of
/// blocks, neighbouring blocks of pairs are `step` blocks apart in the mask.
class MaskedSink final : public PairSink {
 public:
  /// \param sink, rows  must outlive this object; the mask holds a row at least
  MaskedSink(PairSink& sink, const RowMask& rows, std::uint64_t step = 1)
      : sink_(sink),
        rows_(rows),
        step_(step),
        share_(static_cast<double>(rows.rows()) / static_cast<double>(rows.count())) {}

  void thresholds(std::span<engine::Threshold> out) const override { sink_.thresholds(out); }
  /// The number that the sink keeps, divided by the share of rows held: pairs of other rows pass the
  /// threshold too.
  std::uint64_t keeps() const override {
    const auto all = static_cast<double>(sink_.keeps()) * share_;
    return all < kMost ? static_cast<std::uint64_t>(all) : UINT64_MAX;
  }

  void take(std::span<const engine::Pair> pairs) override {
    std::vector<engine::Pair> held;
    held.reserve(pairs.size());
    for (const engine::Pair& pair : pairs)
      if (rows_.holds(pair.row / kLanes * step_ * kLanes + pair.row % kLanes)) held.push_back(pair);
    if (!held.empty()) sink_.take(held);
  }

 private:
  static constexpr double kMost = 1e18;

  PairSink& sink_;
  const RowMask& rows_;
  std::uint64_t step_;
  double share_;  ///< number of rows / number of rows held
};

}  // namespace fastid::match
