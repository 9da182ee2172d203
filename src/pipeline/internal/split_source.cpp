#include "pipeline/internal/split_source.hpp"

#include <algorithm>

namespace fastid {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{512}
                                    << 10;  // of a plane: stays in a core's L2 while it is checked

}  // namespace

SplitSource::SplitSource(const BlockSource& source, Helpers& helpers)
    : source_(source),
      helpers_(helpers),
      piece_blocks_(
          std::max<std::size_t>(1, kPieceBytes / std::max<std::size_t>(1, source.shape().block_bytes()))) {}

void SplitSource::read(std::uint64_t first, std::size_t n, Word* bits, Word* called) const {
  split(first, n, bits, called, &BlockSource::read);
}

void SplitSource::read_unhashed(std::uint64_t first, std::size_t n, Word* bits, Word* called) const {
  split(first, n, bits, called, &BlockSource::read_unhashed);
}

void SplitSource::split(std::uint64_t first, std::size_t n, Word* bits, Word* called,
                        decltype(&BlockSource::read) how) const {
  helpers_.share(ceil_div(n, piece_blocks_), [&](std::size_t i) {
    const std::size_t at = i * piece_blocks_, words = at * shape().block_words();
    (source_.*how)(first + at, std::min(piece_blocks_, n - at), bits + words,
                   called == nullptr ? nullptr : called + words);
  });
}

}  // namespace fastid
