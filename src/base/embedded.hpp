/// \file
/// Files that are part of the program (src/CMakeLists.txt lists them): kernels and configs, put into it when
/// it is built (cmake/EmbedFiles.cmake), so that it needs none when it runs.
#pragma once

#include <span>
#include <string_view>

namespace fastid {

struct EmbeddedFile {
  std::string_view path;  ///< "kernels/compare.cl"
  std::string_view text;
};
std::span<const EmbeddedFile> embedded_files();

/// The text of one of them. \throws Failure where there is none of that path
std::string_view embedded_text(std::string_view path);

}  // namespace fastid
