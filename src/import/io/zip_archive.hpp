/// \file
/// The files in a zip archive (libzip), read one after the other in memory that does not grow with them. The
/// bytes decompressed from one archive are limited, so that a small file that expands to terabytes is
/// refused.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "import/io/source.hpp"

struct zip;

namespace fastid::imports {

class ZipArchive {
 public:
  /// Most bytes that are decompressed of an archive, all its files together.
  static constexpr std::uint64_t kMostBytes = std::uint64_t{512} << 20;

  /// \throws InputError where it is no zip archive, is damaged, or holds two files of one name
  explicit ZipArchive(const Source& source);

  /// Whether it holds a file of this name, in upper or lower case.
  bool has(std::string_view file) const;

  using Take = std::function<void(std::span<const char> bytes)>;
  /// Hands on the decompressed bytes of a file, some at a time. \throws InputError where there is no such
  /// file, it is encrypted, damaged or compressed in another way than zip archives of documents are, or too
  /// much was decompressed; what `take` throws
  void read(std::string_view file, const Take& take);

 private:
  struct Close {
    void operator()(zip* archive) const;
  };

  [[noreturn]] void refuse(std::string_view file, std::string_view problem, std::string_view cure) const;
  void index_files();
  void check(std::string_view file, std::uint64_t at) const;

  std::string name_;
  std::unique_ptr<zip, Close> archive_;
  std::unordered_map<std::string, std::uint64_t> files_;  ///< by their names in lower case
  std::uint64_t decompressed_ = 0;
};

}  // namespace fastid::imports
