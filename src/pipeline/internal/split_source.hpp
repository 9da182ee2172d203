/// \file
/// One read shared among several threads: a device that takes tiles faster than one thread reads them.
#pragma once

#include <cstddef>

#include "bits/blocks.hpp"
#include "pipeline/internal/helpers.hpp"

namespace fastid {

/// A source whose reads are cut into pieces, which helpers and the caller read side by side.
class SplitSource final : public BlockSource {
 public:
  /// Both must outlive this.
  SplitSource(const BlockSource& source, Helpers& helpers);

  BlockShape shape() const override { return source_.shape(); }
  bool has_called() const override { return source_.has_called(); }
  BlocksView view(std::uint64_t first, std::size_t n) const override { return source_.view(first, n); }
  std::span<const std::uint64_t> checksums() const override { return source_.checksums(); }

  /// \throws what the source throws, once no thread touches the buffers any more
  void read(std::uint64_t first, std::size_t n, Word* bits, Word* called) const override;
  void read_unhashed(std::uint64_t first, std::size_t n, Word* bits, Word* called) const override;

 private:
  void split(std::uint64_t first, std::size_t n, Word* bits, Word* called,
             decltype(&BlockSource::read) how) const;

  const BlockSource& source_;
  Helpers& helpers_;
  std::size_t piece_blocks_;
};

}  // namespace fastid
