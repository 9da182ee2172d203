#include "base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <utility>

#include "base/error.hpp"
#include "base/threads.hpp"

namespace fastid {
namespace {

namespace fs = std::filesystem;

/// The file that a chain of links leads to, whether it exists or not, so that a rename replaces it and not
/// the link.
std::string resolve_links(const std::string& path) {
  constexpr int kMostLinks = 40;  // as the kernel allows
  fs::path real = path;
  std::error_code failed;
  for (int i = 0; i < kMostLinks && fs::is_symlink(real, failed); ++i)
    real = real.parent_path() / fs::read_symlink(real, failed);
  return real.string();
}

bool exists_and_is_not_regular(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
}

/// The permissions that a file at `path` has, or would have if any program had made it there.
mode_t usual_mode(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0) return info.st_mode & 07777;
  const mode_t mask = ::umask(0);  // can only be read by setting it
  ::umask(mask);
  return 0666 & ~mask;
}

void sync_folder_of(const std::string& path) {
  const std::string folder = fs::path(path).parent_path().string();
  const FileDescriptor fd(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd.get() >= 0) ::fsync(fd.get());  // best effort: some file systems refuse it for folders
}

}  // namespace

FileDescriptor::~FileDescriptor() {
  if (fd_ >= 0) ::close(fd_);
}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  if (this != &other) {
    if (fd_ >= 0) ::close(fd_);
    fd_ = other.release();
  }
  return *this;
}

int FileDescriptor::release() noexcept {
  return std::exchange(fd_, -1);
}

std::string display_name(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

FileDescriptor open_for_reading(const std::string& path) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const int reason = errno;
  if (file.get() < 0) check_interrupt();  // opening a pipe waits for its writer
  if (file.get() < 0) throw InputError(path, "", fmt::format("cannot open: {}", errno_text(reason)), "");
  struct stat info {};
  if (::fstat(file.get(), &info) == 0 && S_ISDIR(info.st_mode))
    throw InputError(path, "", "is a folder", "name a file in it");
  return file;
}

namespace {

/// Returns once a read would not wait. A signal may come just before a read that waits forever: so this looks
/// up.
void wait_for_input(int fd) {
  constexpr int kLookUpMs = 250;
  pollfd input{fd, POLLIN, 0};
  int ready = 0;
  do {
    check_interrupt();
    ready = ::poll(&input, 1, kLookUpMs);
  } while (ready == 0 || (ready < 0 && errno == EINTR));
}

}  // namespace

std::size_t read_some(int fd, void* into, std::size_t bytes, std::string_view path) {
  for (;;) {
    wait_for_input(fd);
    const ssize_t got = ::read(fd, into, bytes);
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) throw InputError(path, "", fmt::format("cannot read: {}", errno_text(errno)), "");
  }
}

void read_at(int fd, void* into, std::size_t bytes, std::uint64_t offset, std::string_view path) {
  char* to = static_cast<char*>(into);
  while (bytes > 0) {
    const ssize_t got = ::pread(fd, to, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0)
      throw InputError(path, fmt::format("byte {}", offset), "cannot read: " + errno_text(errno), "");
    if (got == 0)
      throw InputError(path, fmt::format("byte {}", offset), "the file ends early: it is truncated",
                       "restore it from a copy");
    to += got;
    offset += static_cast<std::uint64_t>(got);
    bytes -= static_cast<std::size_t>(got);
  }
}

std::uint64_t file_size(int fd, std::string_view path) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) throw InputError(path, "", "cannot stat: " + errno_text(errno), "");
  return static_cast<std::uint64_t>(info.st_size);
}

std::string read_whole_file(const std::string& path, std::uint64_t most) {
  const FileDescriptor file = open_for_reading(path);
  std::string text;
  std::string piece(std::size_t{1} << 16, '\0');
  while (const std::size_t got = read_some(file.get(), piece.data(), piece.size(), path)) {
    text.append(piece, 0, got);
    if (text.size() > most)
      throw InputError(path, "", fmt::format("is longer than {} bytes", most), "is it the right file?");
  }
  return text;
}

StagedFile::StagedFile(const std::string& target) : target_(resolve_links(target)) {
  if (exists_and_is_not_regular(target_)) {
    pending_ = false;
    throw Failure(fmt::format("{}: cannot write here: there is a folder or a device of that name", target));
  }
  const fs::path final_path(target_);
  path_ = (final_path.parent_path() / ("." + final_path.filename().string() + ".part-XXXXXX")).string();
  const FileDescriptor fd(::mkostemp(path_.data(), O_CLOEXEC));
  if (fd.get() < 0) {
    pending_ = false;
    throw Failure(fmt::format("{}: cannot write here: {}", target, errno_text(errno)));
  }
}

StagedFile::~StagedFile() {
  if (pending_) ::unlink(path_.c_str());
}

void StagedFile::commit() {
  const FileDescriptor fd(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
  if (fd.get() < 0 || ::fchmod(fd.get(), usual_mode(target_)) != 0 || ::fsync(fd.get()) != 0)
    throw Failure(fmt::format("{}: cannot flush to the disk: {}", target_, errno_text(errno)));
  if (::rename(path_.c_str(), target_.c_str()) != 0)
    throw Failure(fmt::format("{}: cannot be put in place: {}", target_, errno_text(errno)));
  pending_ = false;
  sync_folder_of(target_);
}

OutputFile::OutputFile(const std::string& path) : name_(path) {
  if (path.empty() || path == "-") {
    name_ = "standard output";
    stream_ = stdout;
    return;
  }
  if (!exists_and_is_not_regular(path)) staged_ = std::make_unique<StagedFile>(path);
  const std::string& actual = staged_ ? staged_->path() : path;
  stream_ = std::fopen(actual.c_str(), "we");
  if (stream_ == nullptr) {
    const int reason = errno;
    throw Failure(fmt::format("{}: cannot write: {}", name_, errno_text(reason)));
  }
}

OutputFile::~OutputFile() {
  if (stream_ != nullptr && stream_ != stdout) std::fclose(stream_);
}

bool OutputFile::is_terminal() const {
  return ::isatty(::fileno(stream_)) == 1;
}

void OutputFile::refuse() const {
  const int reason = errno;
  check_interrupt();  // a signal breaks off a write to a full pipe
  throw Failure(fmt::format("{}: cannot write: {}", name_, errno_text(reason)));
}

void OutputFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stream_) != text.size()) refuse();
}

void OutputFile::commit() {
  if (std::fflush(stream_) != 0) refuse();
  if (stream_ == stdout) return;
  if (std::fclose(std::exchange(stream_, nullptr)) != 0) refuse();
  if (staged_) staged_->commit();
}

}  // namespace fastid
