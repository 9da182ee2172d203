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
  /// Of parts whose heads are read, in any order. \throws InputError
  explicit PartSet(std::vector<File> parts);

  std::size_t size() const { return files_.size(); }
  /// In the order of shards.
  const File& part(std::size_t i) const { return files_[i]; }
  std::vector<std::string> paths() const;
  const Head& head() const { return files_.front().head(); }

  /// Compares what the parts rest on with what is there now. \throws InputError
  void check(std::string_view what, const std::string& digest) const;

 private:
  std::vector<File> files_;
};

}  // namespace fastid::part
