/// \file
/// Everyone against everyone: all pairs of two sets of profiles, strip by strip.
///
/// Each column is a profile too. A strip of neighbouring columns is read and asked as queries are, and the
/// rows are streamed past it as a search streams a database. Neither side need fit into memory or a device: a
/// strip has a bounded size, and a device keeps it while rows pass. Where the sets are the same, a strip need
/// only meet the rows up to its own end: half of the square.
///
///          rows
///          +---+
///   strip 0|\  |
///          +---+---+
///   strip 1|   |\  |
///          +---+---+---+
///   strip 2|   |   |\  |
///          +---+---+---+
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "base/progress.hpp"
#include "bits/blocks.hpp"
#include "bits/shard.hpp"
#include "engine/engine.hpp"
#include "pipeline/stream.hpp"

namespace fastid::pipeline {

struct AllPairs {
  engine::Comparison comparison = engine::Comparison::kKinship;
  Encoding by = Encoding::kAlleles;
  const BlockSource& columns;
  const BlockSource& rows;
  engine::Threshold threshold;  ///< of every pair
  /// How many rows, from the first on, columns below `end` are to be compared with.
  std::function<std::uint64_t(std::uint64_t end)> rows_for;
  /// Whether a pair that passed is one to be counted. Thread-safe.
  std::function<bool(std::uint64_t column, std::uint64_t row, const engine::PairCounts& counts)> keep;
  std::uint64_t most_pairs = UINT64_MAX;  ///< that may be kept
  Range asked = {0, UINT64_MAX};          ///< the columns whose pairs are wanted
};

/// What a strip has found.
struct Strip {
  const engine::Problem&
      problem;          ///< its queries are the strip's columns, its database all rows that they met
  std::uint64_t first;  ///< the column that is query 0
  std::span<const engine::Pair> pairs;  ///< in the order of query, then row
};

/// More pairs passed than may be kept.
class TooManyPairs : public std::exception {};

/// Compares all pairs, and hands each strip's to `take`, strips in order. The pairs and their order do not
/// depend on the engine, the threads, or the size of strips.
/// \param threads  that read columns
/// \throws TooManyPairs; what stream() and `take` throw
StreamStats stream_pairs(const AllPairs& all, engine::Engine& engine, std::size_t threads, Progress& progress,
                         const std::function<void(const Strip&)>& take);

/// Columns of a strip. \param n_columns  in all
std::uint64_t strip_columns(const BlockShape& profiles, std::uint64_t n_columns);

/// The sum of the rows that all strips meet, for a Progress.
std::uint64_t rows_of_strips(const AllPairs& all);

}  // namespace fastid::pipeline
