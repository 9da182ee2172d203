/// \file
/// Which kernels a problem takes, and what they do in the terms of the model (model/kernel_time.hpp): what is
/// read and sent, and what is computed for each stored profile.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/engine.hpp"
#include "model/kernel_time.hpp"

namespace fastid::engine {
class ScreenCount;
class WeightedCount;
}  // namespace fastid::engine

namespace fastid::opencl {

struct MatrixShape;

/// A problem's queries, split among the kernels that find their pairs.
struct QueriesByKernel {
  std::optional<engine::Problem> compared;          ///< by compare.cl or compare_matrix.cl; no value: none
  const engine::ScreenCount* screen = nullptr;      ///< all by screen.cl; null: none
  const engine::WeightedCount* weighted = nullptr;  ///< some by weigh.cl; null: none

  /// The places of the queries of `compared` among all; empty: they are all of the problem's, in its order,
  /// or there is no `compared`.
  std::vector<std::uint32_t> compared_places() const;
  /// The places of the queries of `weighted` among all: only where there is one.
  std::vector<std::uint32_t> weighted_places() const;
};
QueriesByKernel split_queries(const engine::Problem& problem);

model::Workload workload_of(const engine::Problem& problem);

/// \param matrix  the shape of compare_matrix.cl; null: compare.cl is used
model::KernelWork kernel_work_of(const engine::Problem& problem, const model::KernelConfig& config,
                                 const MatrixShape* matrix);

/// What a work-item's step of compare.cl reads and counts.
engine::KernelStep blocked_step(const engine::Problem& problem, const model::KernelConfig& config);

/// What weigh.cl does, which reads the profiles again for each query.
model::KernelWork weigh_work_of(const engine::Problem& problem, const engine::WeightedCount& count);

}  // namespace fastid::opencl
