/// \file
/// All parts of a run.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "part/part_file.hpp"

namespace fastid::part {

class PartSet {
 public:
  /// Reads the heads, several at a time. \param paths  in any order
  /// \throws InputError, naming the part: one that File refuses, of another fastid, command, number of shards
  /// or arguments than the first, made from something else, a second one of a shard; or shards are missing
  explicit PartSet(const std::vector<std::string>& paths);
  /// Takes parts whose heads are read, in any order. \throws InputError
  explicit PartSet(std::vector<File> parts);

  std::size_t size() const { return files_.size(); }
  /// The parts, in the order of shards.
  const File& part(std::size_t i) const { return files_[i]; }
  std::vector<std::string> paths() const;
  const Head& head() const { return files_.front().head(); }

  /// Compares an input's digest in the parts (Basis) with its digest now. \throws InputError
  void check(std::string_view what, const std::string& digest) const;

 private:
  std::vector<File> files_;
};

}  // namespace fastid::part
