#include "base/scratch_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/error.hpp"

namespace fastid {

ScratchFolder::ScratchFolder(const std::string& parent) {
  std::error_code none;
  const std::filesystem::path folder =
      parent.empty() ? std::filesystem::temp_directory_path(none) : std::filesystem::path(parent);
  std::string name = (folder / "fastid-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw Failure(folder.string() + ": cannot make a folder here: " + errno_text(errno));
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string ScratchFolder::file(const std::string& name) {
  std::string path = path_ + '/' + name;
  files_.push_back(std::make_unique<RemovedInEmergency>(path));
  return path;
}

}  // namespace fastid
