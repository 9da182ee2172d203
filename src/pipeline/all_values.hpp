/// \file
/// The values of all combinations of vectors: pairs i < j, or triples i < j < k.
///
/// Work goes by bands of last members, in ascending order. A band of pairs is some rows; of triples, each
/// last member is a pivot, with which the triangle of pairs below it is multiplied, rectangle by rectangle:
///
///       i                         i
///     +------                   +------
///   j |                       j |\ .           k: the pivot of a whole triangle,
///     |---------                |: \ .         so that the values of a band are neighbours
///     |: : : : :  a band        |: : \ .
///     |---------                +------
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/progress.hpp"
#include "base/thread_pool.hpp"
#include "bits/shard.hpp"
#include "engine/similarity_metric.hpp"
#include "pipeline/moments.hpp"
#include "pipeline/value_sinks.hpp"

namespace fastid::pipeline {

struct AllValues {
  const MomentCounter& moments;  ///< of three: prepared up to the last member's end, where that is needed
  ThreadPool& pool;
  Progress& progress;                                  ///< counts combinations
  std::uint64_t most_values = std::uint64_t{1} << 24;  ///< of a band, unless one last member has more
  engine::Members
      shift{};  ///< from a member's number here to the one that sinks get: of pairs from a longer list
};

/// Hands on the values of all combinations whose last member is in a range; with `choosing`, the only one of
/// the sinks, at least those that it needs: the engine finds the combinations that may have them. That only
/// where has_limits(). \throws DeviceError, Interrupted; what a sink throws
void stream_values(const AllValues& all, const Range& last, std::span<ValueSink* const> sinks,
                   ChoosingSink* choosing = nullptr);

/// Hands on the moments of the same combinations, a row at a time: from any thread, in any order.
/// Combinations of three need nothing prepared. \throws the same
void stream_moments(const AllValues& all, const Range& last,
                    const std::function<void(const engine::MomentRow&)>& take);

/// The same of the pairs of a rectangle whose column is below their row. begin() and end() of sinks are the
/// caller's. \throws the same
void stream_rectangle(const AllValues& all, const engine::Rectangle& pairs, std::span<ValueSink* const> sinks,
                      ChoosingSink* choosing);

}  // namespace fastid::pipeline
