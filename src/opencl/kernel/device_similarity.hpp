/// \file
/// An engine of similar vectors whose products a device computes, whatever they are products of.
///
/// OnDevice is what is built once for some vectors: a ProgramOn with a constructor of (ProgramOn, side of the
/// largest rectangle that is asked for, VectorBlocks), whose shape has step() as SimilarityEngine, and
/// filters_at_once(). Queue has a command queue and buffers of its own: a constructor of an OnDevice, the
/// types Product and Limit, products(), find(), kFindsByCommonUnits (whether it does so by filters that count
/// these) and kernel_seconds().
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
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

template <class OnDevice, class Queue>
class DeviceSimilarity final : public engine::SimilarityEngine {
 public:
  /// \param on_gpu  a call is to have work for all of a GPU's units
  template <class Program>
  DeviceSimilarity(const Program& program, bool on_gpu, const engine::VectorBlocks& vectors)
      : name_(program.on.name()),
        sums_(vectors.sums),
        most_(sums_.empty() ? 0 : std::ranges::max(sums_)),
        on_gpu_(on_gpu),
        on_device_(program, rectangle_side(), vectors),
        queues_(on_device_) {}

  ~DeviceSimilarity() override { log::detail("{}: kernel {:.6f} s", name_, queues_.kernel_seconds()); }
  DeviceSimilarity(const DeviceSimilarity&) = delete;
  DeviceSimilarity& operator=(const DeviceSimilarity&) = delete;

  std::uint32_t n_vectors() const override { return static_cast<std::uint32_t>(sums_.size()); }
  std::span<const double> sums() const override { return sums_; }
  std::uint32_t rectangle_side() const override { return on_gpu_ ? 4096 : 256; }
  std::uint32_t least_side() const override { return on_gpu_ ? rectangle_side() : 64; }
  std::size_t pairs_at_once() const override { return on_gpu_ ? kPairsAtOnce : 1; }
  std::size_t calls_at_once() const override { return queues_.size(); }
  engine::KernelStep step() const override { return on_device_.shape.step(); }

  void products(std::optional<std::uint32_t> pivot, const engine::Rectangle& pairs, engine::Wanted wanted,
                std::span<double> out) const override {
    read(pivot, pairs, {}, wanted, out);
  }
  void sums_below(std::optional<std::uint32_t> pivot, const engine::Rectangle& pairs,
                  const engine::ProductPlanes& planes, std::span<double> out) const override {
    if (can_sum(planes))
      read(pivot, pairs, planes, engine::Wanted::kBelowDiagonal, out);
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
        throw WrongAnswer(fmt::format("{}: the device found a pair that it was not asked for", name_));
    return found;
  }

  /// Whether the device computes what the definition computes of its vectors, with and without a pivot.
  bool multiplies_as(const engine::SimilarityEngine& definition) const {
    const std::uint32_t n = n_vectors();
    const engine::Rectangle all{0, n, 0, n};
    std::vector<double> right(all.pairs()), computed(all.pairs());
    for (const auto pivot : {std::optional<std::uint32_t>(), std::optional(n / 2)}) {
      definition.products(pivot, all, engine::Wanted::kAll, right);
      products(pivot, all, engine::Wanted::kAll, computed);
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
            const engine::ProductPlanes& planes, engine::Wanted wanted, std::span<double> out) const {
    if (pairs.pairs() == 0) return;
    const auto products = std::make_unique_for_overwrite<typename Queue::Product[]>(pairs.pairs());
    with_cl_memory_errors(name_, [&] {
      queues_.lend()->products(pivot, pairs, planes, wanted, std::span(products.get(), pairs.pairs()));
    });
    std::copy_n(products.get(), pairs.pairs(), out.begin());
  }

  std::string name_;
  std::vector<double> sums_;
  double most_;  ///< of sums_
  bool on_gpu_;
  OnDevice on_device_;
  mutable DeviceQueues<Queue> queues_;
};

/// Products of vectors of bits, or of numbers, by min_plus.cl. \throws DeviceError
std::unique_ptr<engine::SimilarityEngine> make_min_plus_similarity(const OpenClDevice& device,
                                                                   const engine::VectorBlocks& vectors,
                                                                   MinPlusReads reads);

/// solves() of a few vectors that end within a block, of elements of the same type as `vectors`; those of
/// bits end within a word. \returns what it returns
template <class Solves>
bool solves_few(const engine::VectorBlocks& vectors, const Solves& solves) {
  constexpr std::uint32_t kVectors = 70, kBits = 301, kNumbers = 37;
  if (!vectors.numbers) {
    constexpr Seen kDrawn[] = {kMajorSeen, kMinorSeen};
    const BitBlocks few = random_profiles({kVectors, kBits}, kDrawn, false);
    return solves(engine::VectorBlocks(few.view()));
  }
  return engine::with_real(*vectors.numbers, [&](auto zero) {
    using T = decltype(zero);
    std::mt19937 random(1);
    std::vector<T> numbers(std::size_t{kVectors} * kNumbers);
    for (T& number : numbers) number = std::generate_canonical<T, 60>(random);
    engine::RealMatrix few("a few vectors", *vectors.numbers, kNumbers);
    few.append<T>(numbers);
    return solves(engine::VectorBlocks(few));
  });
}

/// An engine that was proved with a few vectors.
/// \throws KernelBuildError, KernelFault, DeviceError
template <class OnDevice, class Queue, class Shape>
std::unique_ptr<engine::SimilarityEngine> make_device_similarity(const OpenClDevice& device,
                                                                 const Shape& shape,
                                                                 ProgramSource (*source_of)(const Shape&),
                                                                 bool on_gpu,
                                                                 const engine::VectorBlocks& vectors) {
  using Engine = DeviceSimilarity<OnDevice, Queue>;
  std::unique_ptr<engine::SimilarityEngine> made;
  use_first_proved(
      device, context_of(device), std::vector{shape}, source_of, "products",
      [&](const ProgramOn<Shape>& program) {
        return solves_few(vectors, [&](const engine::VectorBlocks& few) {
          return Engine(program, on_gpu, few).multiplies_as(*engine::make_similarity("reference", few));
        });
      },
      [&](const ProgramOn<Shape>& program) {
        with_cl_memory_errors(device.name(),
                              [&] { made = std::make_unique<Engine>(program, on_gpu, vectors); });
      });
  return made;
}

}  // namespace fastid::opencl
