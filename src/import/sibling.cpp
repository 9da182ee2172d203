#include "import/sibling.hpp"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "base/error.hpp"
#include "base/file.hpp"

namespace fastid::imports {
namespace {

constexpr std::array<std::string_view, 5> kPackings = {"", ".gz", ".bgz", ".xz", ".zst"};

bool remove_suffix(std::string& path, std::string_view suffix) {
  if (suffix.empty() || !path.ends_with(suffix)) return false;
  path.resize(path.size() - suffix.size());
  return true;
}

/// `path` without the suffix of a compression and then one of `own`.
std::string prefix_of(const std::string& path, std::initializer_list<std::string_view> own) {
  std::string prefix = path;
  for (const std::string_view packing : kPackings)
    if (remove_suffix(prefix, packing)) break;
  for (const std::string_view one : own)
    if (remove_suffix(prefix, one)) break;
  return prefix;
}

}  // namespace

Source sibling_of(const Source& source, std::initializer_list<std::string_view> own, std::string_view suffix,
                  std::string_view what) {
  if (source.from_pipe())
    throw InputError(source.name(), "", fmt::format("came through a pipe, and {}", what),
                     fmt::format("give the path of the {}", *own.begin()));
  const std::string prefix = prefix_of(source.path(), own) + std::string(suffix);
  std::string found = prefix;
  std::error_code none;
  for (const std::string_view packing : kPackings)
    if (const std::string path = prefix + std::string(packing); std::filesystem::exists(path, none)) {
      found = path;
      break;
    }
  try {
    check_regular(found);
    Source beside(found);
    beside.open();
    return beside;
  } catch (const InputError& error) {
    throw InputError(fmt::format("{} ({})", error.what(), what));
  }
}

std::vector<std::string> files_beside(const std::string& path) {
  const std::string prefix = prefix_of(path, {".bed", ".geno"});
  std::vector<std::string> beside;
  std::error_code none;
  for (const char* suffix : {".bed", ".bim", ".fam", ".geno", ".snp", ".ind"})
    for (const std::string_view packing : kPackings)
      if (const std::string file = prefix + suffix + std::string(packing);
          std::filesystem::exists(file, none))
        beside.push_back(file);
  const std::string reads = prefix_of(path, {".bam", ".cram"});
  for (const std::string& base : {path, reads})
    for (const char* suffix : {".bai", ".csi", ".crai", ".tbi"})
      if (const std::string index = base + suffix; index != path && std::filesystem::exists(index, none))
        beside.push_back(index);
  return beside;
}

}  // namespace fastid::imports
