#include "import/io/source.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <map>
#include <mutex>
#include <vector>

#include "base/error.hpp"
#include "base/process.hpp"

namespace fastid::imports {
namespace {

namespace fs = std::filesystem;

std::string temporary_folder() {
  const std::string_view set = environment("TMPDIR");
  return std::string(set.empty() ? "/tmp" : set);
}

/// Data from a device that is no terminal may never end, and would fill the disk.
void refuse_device(int from, const std::string& name) {
  struct stat info {};
  if (::fstat(from, &info) != 0 || !(S_ISCHR(info.st_mode) || S_ISBLK(info.st_mode)) || ::isatty(from) == 1)
    return;
  throw InputError(name, "", "is a device", "give a file of genotypes, or a pipe");
}

/// Copies all that is left of `from`; null where nothing is left.
std::shared_ptr<FileDescriptor> spool(int from, const std::string& name) {
  std::vector<char> buffer(std::size_t{1} << 20);
  std::shared_ptr<FileDescriptor> file;
  while (const std::size_t got = read_some(from, buffer.data(), buffer.size(), name)) {
    check_interrupt();
    if (!file) {
      refuse_device(from, name);
      file = std::make_shared<FileDescriptor>(unnamed_file(temporary_folder()));
    }
    if (!write_all(file->get(), buffer.data(), got))
      throw Failure(
          fmt::format("cannot keep piped input in a temporary file: {}; set TMPDIR to a folder with room",
                      errno_text(errno)));
  }
  return file;
}

/// A pipe gives its content once, but `db build` reads its first input twice (panel, then profiles). So the
/// content of a pipe is kept, and used again when the pipe is empty.
std::shared_ptr<FileDescriptor> spool_once(const std::string& path, const std::string& name) {
  static std::mutex guard;
  static std::map<std::string, std::shared_ptr<FileDescriptor>> kept;
  const std::lock_guard lock(guard);
  std::shared_ptr<FileDescriptor>& before = kept[path];
  if (path != "-" && before) return before;
  std::shared_ptr<FileDescriptor> now =
      path == "-" ? spool(STDIN_FILENO, name) : spool(open_for_reading(path).get(), name);
  if (now) before = now;
  if (!before) throw InputError(name, "", "is empty", "give a file of genotypes");
  return before;
}

bool is_pipe(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

/// A prefix that several files share stands for the file with the genotypes.
std::string with_suffix(const std::string& path) {
  std::error_code ignored;
  if (!fs::exists(path, ignored))
    for (const char* suffix : {".bed", ".geno"})
      if (fs::exists(path + suffix, ignored)) return path + suffix;
  return path;
}

}  // namespace

Source::Source(const std::string& path) : name_(display_name(path)), path_(path) {
  if (path != "-" && !is_pipe(path)) {
    path_ = with_suffix(path);
    name_ = path_;
    return;
  }
  spool_ = spool_once(path, name_);
  path_ = fmt::format("/proc/self/fd/{}", spool_->get());
}

std::string Source::stem() const {
  if (name_ == "standard input") return "stdin";
  fs::path file = fs::path(name_).filename();
  for (const char* suffix : {".gz", ".bgz", ".xz", ".zst"})
    if (file.extension() == suffix) {
      file = file.stem();
      break;
    }
  return file.stem().string();
}

FileDescriptor Source::open() const {
  return open_for_reading(path_);
}

}  // namespace fastid::imports
