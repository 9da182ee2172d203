/// \file
/// Neighbouring blocks of a source, as a source of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "bits/blocks.hpp"
#include "bits/row_mask.hpp"
#include "bits/shard.hpp"

namespace fastid {

/// Block b is block range.first + b of another source.
class BlockRange final : public BlockSource {
 public:
  /// \param source  must outlive this object \param range  of its blocks
  BlockRange(const BlockSource& source, const Range& range);

  std::uint64_t first_row() const { return range_.first * kLanes; }

  BlockShape shape() const override { return shape_; }
  bool has_second() const override { return source_.has_second(); }
  void read(std::uint64_t first, std::size_t n, Word* bits, Word* second) const override {
    source_.read(range_.first + first, n, bits, second);
  }
  void read_unhashed(std::uint64_t first, std::size_t n, Word* bits, Word* second) const override {
    source_.read_unhashed(range_.first + first, n, bits, second);
  }
  BlocksView view(std::uint64_t first, std::size_t n) const override {
    return source_.view(range_.first + first, n);
  }
  std::span<const std::uint64_t> checksums() const override;

  /// The rows of these blocks that a mask of the source's rows holds.
  RowMask of(const RowMask& rows) const;

 private:
  const BlockSource& source_;
  Range range_;
  BlockShape shape_;
};

}  // namespace fastid
