#include "base/embedded.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace fastid {

std::string_view embedded_text(std::string_view path) {
  const auto files = embedded_files();
  const auto found = std::ranges::find(files, path, &EmbeddedFile::path);
  if (found == files.end()) throw Failure(fmt::format("{} is not part of this program", path));
  return found->text;
}

}  // namespace fastid
