#include "fuzz/fuzz.hpp"

#include <stdlib.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>

#include "base/log.hpp"

namespace fastid::fuzz {
namespace {

class Folder {
 public:
  Folder() {
    struct stat info {};
    std::string path =
        ::stat("/dev/shm", &info) == 0 ? "/dev/shm/fastid-fuzz-XXXXXX" : "/tmp/fastid-fuzz-XXXXXX";
    if (::mkdtemp(path.data()) == nullptr) ::abort();
    path_ = path;
    log::set_level(log::Level::kQuiet);
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace

const std::string& folder() {
  static const Folder folder;
  return folder.path();
}

std::string file_of(const std::string& name, std::string_view bytes) {
  std::string path = folder() + "/" + name;
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  return path;
}

std::vector<std::string_view> pieces(std::string_view bytes, std::size_t n) {
  constexpr std::string_view kMark = "\n=====\n";
  std::vector<std::string_view> found;
  while (found.size() + 1 < n) {
    const std::size_t at = bytes.find(kMark);
    found.push_back(bytes.substr(0, at));
    bytes = at == std::string_view::npos ? std::string_view() : bytes.substr(at + kMark.size());
  }
  found.push_back(bytes);
  return found;
}

}  // namespace fastid::fuzz
