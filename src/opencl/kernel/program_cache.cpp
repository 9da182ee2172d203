#include "opencl/kernel/program_cache.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/process.hpp"

namespace fastid::opencl {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;  // most of an entry
constexpr std::string_view kMagic = "fastid program 1";

// An entry is this line, then the binary.
std::string header_of(const std::string& key, std::string_view binary) {
  return fmt::format("{} {} {} {}\n", kMagic, key, binary.size(),
                     hex64(xxh3_64(binary.data(), binary.size())));
}

// Whether nobody else can have written the file: what others could have written must not run on a device.
bool is_ours_alone(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0 && info.st_uid == ::geteuid() &&
         (info.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// Makes the folder, with access for the user alone, if it does not exist.
void make_folder(const std::filesystem::path& folder) {
  if (std::filesystem::is_directory(folder)) return;
  if (folder.has_parent_path()) std::filesystem::create_directories(folder.parent_path());
  if (::mkdir(folder.c_str(), S_IRWXU) != 0 && errno != EEXIST)
    throw std::filesystem::filesystem_error("mkdir", folder, {errno, std::generic_category()});
}

}  // namespace

ProgramCache ProgramCache::from_environment() {
  if (!environment("FASTID_NO_CACHE").empty()) return ProgramCache("");
  const std::string base = user_folder("XDG_CACHE_HOME", "/.cache");
  return ProgramCache(base.empty() ? "" : base + "/fastid/programs");
}

std::optional<std::string> ProgramCache::load(const std::string& key) const {
  if (!keeps() || !is_ours_alone(folder_) || !is_ours_alone(path(key))) return std::nullopt;
  try {
    const std::string entry = read_whole_file(path(key), kMostBytes);
    const std::size_t end = entry.find('\n');
    if (end == std::string::npos) return std::nullopt;
    const std::string_view binary = std::string_view(entry).substr(end + 1);
    if (entry.substr(0, end + 1) != header_of(key, binary)) {
      log::detail("{}: damaged; building anew", path(key));
      return std::nullopt;
    }
    return std::string(binary);
  } catch (const Error& error) {
    log::detail("{}", error.what());
    return std::nullopt;
  }
}

void ProgramCache::store(const std::string& key, std::string_view binary) const {
  if (!keeps() || binary.empty()) return;
  try {
    make_folder(folder_);
    OutputFile file(path(key));
    file.write(header_of(key, binary));
    file.write(binary);
    file.commit();
  } catch (const std::exception& error) {  // fastid's errors and those of std::filesystem
    log::detail("the built program is not kept: {}", error.what());
  }
}

}  // namespace fastid::opencl
