/// \file
/// Some profiles of a source, or some of its sites, as a source of their own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bits/blocks.hpp"
#include "bits/shard.hpp"

namespace fastid {

/// Profile i is row rows()[i] of another source, whose blocks are read, and checked, whole. Blocks are made
/// as they are asked for, so that memory holds the list alone.
class SelectedRows final : public BlockSource {
 public:
  /// \param source  must outlive this object
  /// \param rows    ascending, each once, all below the source's number of profiles
  SelectedRows(const BlockSource& source, std::vector<std::uint64_t> rows);

  std::span<const std::uint64_t> rows() const { return rows_; }

  BlockShape shape() const override { return source_.shape().with(rows_.size()); }
  bool has_second() const override { return source_.has_second(); }
  void read(std::uint64_t first, std::size_t n, Word* bits, Word* second) const override;

 private:
  const BlockSource& source_;
  std::vector<std::uint64_t> rows_;
};

/// Neighbouring words of 32 sites of each profile. Blocks are read, and checked, whole.
class SelectedWords final : public BlockSource {
 public:
  /// \param source  must outlive this object \param words  range within a block's n_words()
  SelectedWords(const BlockSource& source, const Range& words);

  BlockShape shape() const override { return shape_; }
  bool has_second() const override { return source_.has_second(); }
  void read(std::uint64_t first, std::size_t n, Word* bits, Word* second) const override;

 private:
  const BlockSource& source_;
  std::size_t first_word_;
  BlockShape shape_;
};

}  // namespace fastid
