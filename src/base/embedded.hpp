/// \file
/// Kernels, configs, panels and parts of the manual that are embedded in the program when it is built
/// (cmake/EmbedFiles.cmake; src/CMakeLists.txt lists them), so that it needs no files at run time.
#pragma once

#include <span>
#include <string_view>

namespace fastid {

struct EmbeddedFile {
  std::string_view path;  ///< "kernels/compare.cl"
  std::string_view text;
};
std::span<const EmbeddedFile> embedded_files();

/// The text of an embedded file. \throws Failure where there is none with that path
std::string_view embedded_text(std::string_view path);

}  // namespace fastid
