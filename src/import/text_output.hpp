/// \file
/// Text that goes to a file as it is, or in bgzip (gzip in blocks, which tabix and bcftools can index) where
/// the file's name ends in .gz or .bgz; and the text that such a file begins with.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/file.hpp"

namespace fastid::imports {

class TextOutput {
 public:
  /// Opens the file as OutputFile does.
  explicit TextOutput(const std::string& path);

  const OutputFile& file() const { return out_; }

  /// Sets the head of the text. It is written with the first line, or by commit() where there is none, so
  /// that nothing is printed where the work fails at its start.
  void begin_with(std::string head) { head_ = std::move(head); }

  /// \throws Failure, ReaderGone
  void write(std::string_view text);

  /// Writes what is left, with bgzip's end mark, and makes the file appear. \throws Failure
  void commit();

 private:
  void write_head();
  void write_block(std::string_view text);

  OutputFile out_;
  std::string head_;  ///< not yet written
  bool compresses_;
  std::string waiting_;  ///< less than a block
};

/// A name in lower case, without the suffix of a compression: "cases.tsv" of "Cases.tsv.gz".
std::string name_of_text(const std::string& path);

/// The first bytes of a file, decompressed where they can be: at most `most`. \throws InputError
std::string first_text_of(const std::string& path, std::size_t most);

}  // namespace fastid::imports
