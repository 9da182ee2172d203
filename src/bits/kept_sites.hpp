/// \file
/// Some sites of a source's profiles, as a source of the same shape in which the other sites are not called.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "bits/blocks.hpp"

namespace fastid {

class KeptSites final : public BlockSource {
 public:
  /// \param source  must outlive this object, which reads, and so checks, its blocks whole
  /// \param sites   a row of bits, one for each site
  KeptSites(const BlockSource& source, std::span<const Word> sites)
      : source_(source), sites_(sites.begin(), sites.end()) {}

  BlockShape shape() const override { return source_.shape(); }
  bool has_second() const override { return true; }
  void read(std::uint64_t first, std::size_t n, Word* bits, Word* second) const override;

 private:
  const BlockSource& source_;
  std::vector<Word> sites_;
};

}  // namespace fastid
