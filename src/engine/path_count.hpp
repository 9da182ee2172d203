/// \file
/// Which pairs may be relatives by their likeliest paths (path_score.hpp): a count of its own that says of a
/// pair only whether it passes.
///
/// As an engine counts it, count is 0 of a pair that passes the test of every population, and 1 of another
/// one; denominator is 1, and compared is 0.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "bits/blocks.hpp"
#include "bits/rows.hpp"
#include "engine/engine.hpp"
#include "engine/path_score.hpp"

namespace fastid {

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

/// Pairs of a tile, as far as one of a few blocks allows: where sites are missing all may pass, and are kept.
inline constexpr std::size_t kMostPathPairs = std::size_t{1} << 22;

/// The native engine of PathCount, on so many threads; 0: as many as the process may use. \param test  must
/// outlive it
std::unique_ptr<Engine> make_path_engine(const PathTest& test, std::size_t threads);

class PathCount final : public OwnCount {
 public:
  /// \param test, queries  must outlive this object \param queries  of Encoding::kAlleles
  PathCount(const PathTest& test, const ProfileRows& queries) : test_(test), queries_(queries) {}

  static constexpr PairCounts kPasses{0, 1, 0}, kFails{1, 1, 0};

  const PathTest& test() const { return test_; }

  std::unique_ptr<Engine> make_engine(std::size_t threads) const override {
    return make_path_engine(test_, threads);
  }
  PairCounts count_pair(std::size_t query, const BlocksView& view, std::uint64_t profile) const override {
    return test_.passes(queries_.row(query), view, profile) ? kPasses : kFails;
  }

 private:
  const PathTest& test_;
  const ProfileRows& queries_;
};

}  // namespace fastid
