/// \file
/// All pairs of more vectors than memory holds: some rows at a time meet all vectors before them, block by
/// block.
///
///            columns: a quarter of memory              Each block of rows is read with each block of
///            columns,
///          +------+------+---                          and with none for the triangle at its end. So of n
///    rows  |  1   |  2   | triangle                    vectors in blocks of b, n / b times all are read
///          +------+------+---                          at most, and nothing is sent.
#pragma once

#include <span>

#include "base/progress.hpp"
#include "base/thread_pool.hpp"
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
};

/// Hands on the values of all pairs whose last member is in a range, as stream_values() of
/// pipeline/all_values.hpp does; where only what `choosing` needs is wanted, at least that, for it alone.
/// \throws Failure where memory is too small for 32 vectors, or what passes; DeviceError, Interrupted,
/// InputError
void stream_blockwise(const Blockwise& how, const Range& last, std::span<pipeline::ValueSink* const> sinks,
                      pipeline::ChoosingSink* choosing);

}  // namespace fastid::similarity
