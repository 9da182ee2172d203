/// \file
/// All pairs of more vectors than memory holds: some rows at a time meet all vectors before them, block by
/// block.
///
///            columns: a quarter of memory
///          +------+------+---
///    rows  |  1   |  2   | triangle
///          +------+------+---
///
/// Each block of rows is read with each block of columns, and with none for the triangle at its end. Of n
/// vectors in blocks of b, all are read n / b times at most. Where all values are wanted, the r rows of a
/// block are fewer, so that these fit: then all are read about n / 2r + n / 2b times. Nothing is sent.
#pragma once

#include <functional>
#include <span>

#include "base/progress.hpp"
#include "base/thread_pool.hpp"
#include "engine/similarity_metric.hpp"
#include "pipeline/value_sinks.hpp"
#include "questions/similarity/vectors.hpp"

namespace fastid::similarity {

struct Blockwise {
  const Vectors& vectors;
  asking::DeviceOptions& device;  ///< auto becomes the device that was taken
  ThreadPool& pool;
  Progress& progress;  ///< counts pairs
  double memory;       ///< bytes, a half for vectors and a half for values
  double of_a_value;   ///< bytes that sinks hold of every value until a block's end; 0: they hold few
  std::function<bool(const engine::VectorPlanes&)> chooses;  ///< whether the engine looks for the values
};

/// Hands on the values of all pairs whose last member is in a range, as stream_values() of
/// pipeline/all_values.hpp does; of planes for which `how.chooses`, at least what `choosing` needs, to it
/// alone. \throws UsageError where memory is too small for 32 vectors and their values; DeviceError,
/// Interrupted, InputError; what a sink throws
void stream_blockwise(const Blockwise& how, const Range& last, std::span<pipeline::ValueSink* const> sinks,
                      pipeline::ChoosingSink& choosing);

}  // namespace fastid::similarity
