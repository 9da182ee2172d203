/// \file
/// A source of genotypes that can be read any number of times: standard input and pipes are first copied to a
/// private temporary file that has no name.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/file.hpp"

namespace fastid::imports {

class Source {
 public:
  /// "-" is standard input. Where `path` does not exist but `path`.bed or `path`.geno does (a prefix), that
  /// file is used. \throws InputError where it cannot be opened; Failure where the temporary file cannot be
  /// written.
  explicit Source(const std::string& path);

  /// For messages: the path, or "standard input".
  const std::string& name() const { return name_; }
  /// A path that opens it from its beginning.
  const std::string& path() const { return path_; }
  /// True where the content came through a pipe, so that no other file is beside it.
  bool from_pipe() const { return spool_ != nullptr; }
  /// The name of a person where the content has none: the file's name without its suffixes.
  std::string stem() const;

  /// A new descriptor, at the beginning.
  FileDescriptor open() const;

 private:
  std::string name_, path_;
  std::shared_ptr<FileDescriptor> spool_;
};

}  // namespace fastid::imports
