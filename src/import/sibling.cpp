#include "import/sibling.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "base/error.hpp"

namespace fastid {
namespace {

constexpr std::array<std::string_view, 5> kPackings = {"", ".gz", ".bgz", ".xz", ".zst"};

bool remove_suffix(std::string& path, std::string_view suffix) {
  if (suffix.empty() || !path.ends_with(suffix)) return false;
  path.resize(path.size() - suffix.size());
  return true;
}

}  // namespace

Source sibling_of(const Source& source, std::initializer_list<std::string_view> own, std::string_view suffix,
                  std::string_view what) {
  if (source.from_pipe())
    throw InputError(source.name(), "", fmt::format("came through a pipe, and {}", what),
                     fmt::format("give the path of the {}", *own.begin()));
  std::string prefix = source.path();
  for (const std::string_view packing : kPackings)
    if (remove_suffix(prefix, packing)) break;
  for (const std::string_view one : own)
    if (remove_suffix(prefix, one)) break;
  prefix += suffix;
  std::string found = prefix;
  std::error_code none;
  for (const std::string_view packing : kPackings)
    if (const std::string path = prefix + std::string(packing); std::filesystem::exists(path, none)) {
      found = path;
      break;
    }
  try {
    Source beside(found);
    beside.open();
    return beside;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{} ({})", error.what(), what));
  }
}

}  // namespace fastid
