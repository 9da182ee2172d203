/// \file
/// An engine of similar vectors whose products a device computes, whatever they are products of.
///
/// OnDevice is what is built once for some vectors: a ProgramOn with a constructor of (ProgramOn, side of the
/// largest rectangle that is asked for, vectors), whose shape has step() as SimilarityEngine, and
/// filters_at_once(). Queue has a command queue and buffers of its own: a constructor of an OnDevice, the
/// types Product and Limit, products(), find(), kFindsByCommonUnits (whether it does so by filters that count
/// these) and kernel_seconds().
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/log.hpp"
#include "opencl/counting_engines.hpp"
#include "opencl/device_buffer.hpp"
#include "opencl/kernel/product_filters.hpp"
#include "opencl/kernel/proof.hpp"
#include "opencl/worker/transfers.hpp"

namespace fastid::opencl {

/// The products of a rectangle's pairs without a pivot: they stay for the next pivots, which ask for a little
/// more each.
class PreparedPairs {
 public:
  /// \param side, n  of the largest rectangle, and vectors \param multiply  makes the products of a rectangle
  template <class Multiply>
  void prepare(const engine::Rectangle& pairs, const engine::ProductPlanes& planes, std::uint32_t side,
               std::uint32_t n, const Multiply& multiply) {
    if (prepared_ && planes == planes_ && prepared_->begins_with(pairs)) return;
    prepared_.reset();
    const engine::Rectangle more = pairs.grown(side, n);
    multiply(more);
    prepared_ = more;
    planes_ = planes;
  }
  /// Of the rectangle that is there; 0: none.
  cl_uint columns() const { return prepared_ ? narrow<cl_uint>(prepared_->columns()) : 0; }

 private:
  std::optional<engine::Rectangle> prepared_;
  engine::ProductPlanes planes_;
};

/// What suits a device.
struct DeviceSizes {
  std::uint32_t side = 256, least_side = 64;  ///< of a rectangle, as SimilarityEngine has them
  std::size_t pairs_at_once = 1;
};

template <class OnDevice, class Queue>
class DeviceSimilarity final : public engine::SimilarityEngine {
 public:
  /// \param name  of the device \param on_device  what an OnDevice is made of
  template <class... Arguments>
  DeviceSimilarity(std::string name, std::vector<double> sums, const DeviceSizes& sizes,
                   const Arguments&... on_device)
      : name_(std::move(name)),
        sums_(std::move(sums)),
        most_(sums_.empty() ? 0 : std::ranges::max(sums_)),
        sizes_(sizes),
        on_device_(on_device...),
        queues_(on_device_) {}

  ~DeviceSimilarity() override { log::detail("{}: kernel {:.6f} s", name_, queues_.kernel_seconds()); }
  DeviceSimilarity(const DeviceSimilarity&) = delete;
  DeviceSimilarity& operator=(const DeviceSimilarity&) = delete;

  std::uint32_t n_vectors() const override { return static_cast<std::uint32_t>(sums_.size()); }
  std::span<const double> sums() const override { return sums_; }
  std::uint32_t rectangle_side() const override { return sizes_.side; }
  std::uint32_t least_side() const override { return sizes_.least_side; }
  std::size_t pairs_at_once() const override { return sizes_.pairs_at_once; }
  std::size_t calls_at_once() const override { return queues_.size(); }
  engine::KernelStep step() const override { return on_device_.shape.step(); }

  void products(std::optional<std::uint32_t> pivot, const engine::Rectangle& pairs,
                std::span<double> out) const override {
    read(pivot, pairs, {}, false, out);
  }
  void products_below(std::optional<std::uint32_t> pivot, const engine::Rectangle& pairs,
                      std::span<double> out) const override {
    read(pivot, pairs, {}, true, out);
  }
  void sums_below(std::optional<std::uint32_t> pivot, const engine::Rectangle& pairs,
                  const engine::ProductPlanes& planes, std::span<double> out) const override {
    if (can_sum(planes))
      read(pivot, pairs, planes, true, out);
    else
      engine::SimilarityEngine::sums_below(pivot, pairs, planes, out);
  }

  std::optional<std::vector<engine::FoundProduct>> find(
      const engine::Rectangle& pairs, std::span<const engine::ProductFilter> filters) const override {
    std::vector<engine::FoundProduct> found;
    if (pairs.pairs() == 0) return found;
    const bool by_common_units = !filters.empty() && filters.front().counts_common_units();
    if (!can_number(pairs, filters.size()) || !can_sum(filters.front().planes) ||
        (by_common_units && !Queue::kFindsByCommonUnits))
      return engine::SimilarityEngine::find(pairs, filters);
    const std::size_t at_once = on_device_.filters_at_once(pairs, filters.front().planes);
    for (std::size_t first = 0; first < filters.size(); first += at_once) {
      const DeviceFilters<typename Queue::Limit> some(
          filters.subspan(first, std::min(at_once, filters.size() - first)));
      auto products = with_cl_memory_errors(name_, [&] { return queues_.lend()->find(pairs, some); });
      if (!products) return std::nullopt;
      for (engine::FoundProduct& each : *products) {
        each.filter += narrow<std::uint32_t>(first);
        found.push_back(each);
      }
    }
    for (const engine::FoundProduct& each : found)
      if (each.filter >= filters.size() || each.row < pairs.row_begin || each.row >= pairs.row_end ||
          each.column < pairs.column_begin || each.column >= pairs.column_end)
        throw DeviceError(fmt::format("{}: the device found a pair that it was not asked for; {}", name_,
                                      engine::kDistrust));
    return found;
  }

  /// Whether the device computes what the definition computes of its vectors, with and without a pivot.
  bool multiplies_as(const engine::SimilarityEngine& definition) const {
    const std::uint32_t n = n_vectors();
    const engine::Rectangle all{0, n, 0, n};
    std::vector<double> right(all.pairs()), computed(all.pairs());
    for (const auto pivot : {std::optional<std::uint32_t>(), std::optional(n / 2)}) {
      definition.products(pivot, all, right);
      products(pivot, all, computed);
      if (computed != right) return false;
    }
    return true;
  }

 private:
  /// Whether the device's whole numbers hold the sum of a product of every choice of planes.
  bool can_sum(const engine::ProductPlanes& planes) const {
    const std::size_t choices = planes.choices(true);
    return choices == 1 || most_ * static_cast<double>(choices) <= std::numeric_limits<cl_int>::max();
  }

  void read(std::optional<std::uint32_t> pivot, const engine::Rectangle& pairs,
            const engine::ProductPlanes& planes, bool below, std::span<double> out) const {
    if (pairs.pairs() == 0) return;
    const auto products = std::make_unique_for_overwrite<typename Queue::Product[]>(pairs.pairs());
    with_cl_memory_errors(name_, [&] {
      queues_.lend()->products(pivot, pairs, planes, below, std::span(products.get(), pairs.pairs()));
    });
    std::copy_n(products.get(), pairs.pairs(), out.begin());
  }

  std::string name_;
  std::vector<double> sums_;
  double most_;  ///< of sums_
  DeviceSizes sizes_;
  OnDevice on_device_;
  mutable DeviceQueues<Queue> queues_;
};

/// A few vectors of bits that end within a block, of units that end within a word.
inline BitBlocks few_vectors() {
  constexpr Seen kDrawn[] = {kMajorSeen, kMinorSeen};
  return random_profiles({70, 301}, kDrawn, false);
}

/// Products of vectors of bits by popcounts (min_plus.cl). \throws DeviceError
std::unique_ptr<engine::SimilarityEngine> make_word_similarity(const OpenClDevice& device,
                                                               const BlocksView& vectors, MinPlusReads reads);

/// Vectors, and their sums.
template <class Vectors>
struct Summed {
  Vectors vectors;
  std::vector<double> sums;
};

/// An engine that was proved with a few vectors. \param definition  multiplies these
/// \throws KernelBuildError, KernelFault, DeviceError
template <class OnDevice, class Queue, class Shape, class Vectors>
std::unique_ptr<engine::SimilarityEngine> make_device_similarity(
    const OpenClDevice& device, const Shape& shape, ProgramSource (*source_of)(const Shape&),
    const DeviceSizes& sizes, const Summed<Vectors>& vectors, const Summed<Vectors>& few,
    const engine::SimilarityEngine& definition) {
  const auto made_of = [&](const ProgramOn<Shape>& program, const Summed<Vectors>& some) {
    return std::make_unique<DeviceSimilarity<OnDevice, Queue>>(device.name(), some.sums, sizes, program,
                                                               sizes.side, some.vectors);
  };
  std::unique_ptr<engine::SimilarityEngine> made;
  use_first_proved(
      device, context_of(device), std::vector{shape}, source_of, "products",
      [&](const ProgramOn<Shape>& program) { return made_of(program, few)->multiplies_as(definition); },
      [&](const ProgramOn<Shape>& program) {
        with_cl_memory_errors(device.name(), [&] { made = made_of(program, vectors); });
      });
  return made;
}

}  // namespace fastid::opencl
