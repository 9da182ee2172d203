/// \file
/// Which pairs may be relatives by their likeliest paths (path_score.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "bits/blocks.hpp"
#include "bits/rows.hpp"
#include "engine/path_score.hpp"

namespace fastid::engine {

/// What pairs of profiles of Encoding::kAlleles are tested by.
struct PathTest {
  std::vector<Word> sites;  ///< a row of bits: those that are missing where they are not called
  std::vector<PathUnit> units;
  std::vector<PathTable> tables;  ///< of each population, with these units

  /// So many of the sites are not called.
  std::uint32_t missing(const RowView& row) const;
  std::uint32_t missing(const BlocksView& view, std::uint64_t profile) const;
  /// A pair passes the test of every population if more of its sites than this are missing.
  std::uint32_t most_missing() const;

  /// The definition.
  bool passes(const RowView& query, const BlocksView& view, std::uint64_t profile) const;
};

/// Queries as a PathFinder reads them, and how many profiles it takes at once with the least work.
class PathQueries {
 public:
  /// \param test  must outlive this object \param queries  of Encoding::kAlleles
  PathQueries(const PathTest& test, const ProfileRows& queries);

  const PathTest& test() const { return test_; }
  std::size_t size() const { return codes_.size(); }
  std::span<const std::uint8_t> codes(std::size_t query) const { return codes_[query]; }
  std::uint32_t missing(std::size_t query) const { return missing_[query]; }

  /// Queries that pass with a profile since so many sites are missing of the two together.
  std::size_t untested(std::uint32_t missing_of_profile) const;

  /// The most pairs of one call, or those of one block if they are more. Where calls are missing, all may
  /// pass.
  static constexpr std::uint64_t kMostPairs = std::uint64_t{1} << 22;
  /// As many blocks as a core's cache holds, but at least some, so that to find a query's scores takes little
  /// beside; of all pairs at most kMostPairs.
  std::size_t most_blocks(const BlockShape& profiles) const;
  /// How many blocks of a view, from `first` on, have up to `most_pairs` pairs that pass untested: at least
  /// one, up to `most_blocks`.
  std::size_t blocks(const BlocksView& view, std::size_t first, std::size_t most_blocks,
                     std::uint64_t most_pairs = kMostPairs) const;

 private:
  const PathTest& test_;
  std::uint32_t most_missing_;
  std::vector<std::vector<std::uint8_t>> codes_;  ///< path_codes() of each query
  std::vector<std::uint32_t> missing_;            ///< sites of each
  std::vector<std::uint32_t> ascending_;          ///< the same
};

/// Finds the pairs that pass, for one thread.
class PathFinder {
 public:
  /// \param queries  must outlive this object
  explicit PathFinder(const PathQueries& queries);
  ~PathFinder();

  /// \param profiles  of Encoding::kAlleles \param first  is added to the places of profiles \param found  of
  /// each query, to which the places of profiles that pass with it are appended, ascending
  void find(const BlocksView& profiles, std::uint32_t first, std::span<std::vector<std::uint32_t>> found);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fastid::engine
