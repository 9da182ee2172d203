#include "cli/file_roles.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>

#include "base/error.hpp"
#include "base/staged_file.hpp"
#include "import/sibling.hpp"

namespace fastid::cli {
namespace {

namespace fs = std::filesystem;

/// A key that is the same for all names of a file; "" for paths that replace no file.
std::string identity_of(const std::string& path) {
  if (path.empty() || path == "-") return path;
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0)
    return S_ISREG(info.st_mode) ? fmt::format("{}:{}", info.st_dev, info.st_ino) : "";
  std::error_code failed;
  const fs::path file = fs::absolute(resolve_links(path), failed);
  const fs::path folder = fs::canonical(file.parent_path(), failed);
  return ((failed ? file.parent_path() : folder) / file.filename()).string();
}

}  // namespace

std::vector<std::string> with_siblings(const std::vector<std::string>& genotypes) {
  std::vector<std::string> all = genotypes;
  for (const std::string& path : genotypes)
    for (const std::string& beside : files_beside(path)) all.push_back(beside);
  return all;
}

std::vector<std::string> with_index(const std::string& reference) {
  return reference.empty() ? std::vector<std::string>{}
                           : std::vector{reference, reference + ".fai", reference + ".gzi"};
}

void check_files(const std::vector<WrittenFile>& written, const std::vector<std::string>& read) {
  std::map<std::string, const WrittenFile*> files;
  for (const WrittenFile& file : written) {
    if (file.path == "-" && !file.to_stdout)
      throw UsageError(fmt::format("{} -: this cannot go to standard output; name a file", file.option));
    const std::string identity = identity_of(file.path);
    if (identity.empty()) continue;
    const auto [other, is_new] = files.emplace(identity, &file);
    if (!is_new)
      throw UsageError(fmt::format("{} {}: is what {} writes too; name another file", file.option, file.path,
                                   other->second->option));
  }
  for (const std::string& path : read) {
    const auto lost = path.empty() || path == "-" ? files.end() : files.find(identity_of(path));
    if (lost != files.end())
      throw UsageError(fmt::format("{} {}: is an input too and would be lost; name another file",
                                   lost->second->option, lost->second->path));
  }
}

}  // namespace fastid::cli
