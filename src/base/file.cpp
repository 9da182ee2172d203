#include "base/file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/retry.hpp"
#include "base/staged_file.hpp"
#include "base/text.hpp"

namespace fastid {
namespace {

bool exists_and_is_not_regular(const std::string& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode);
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

namespace {

/// The cure of an error at opening; "": none but to name another file.
std::string cure_of_opening(const std::string& path, int reason) {
  if (reason == EACCES || reason == EPERM) return "ask its owner for the right to read it: chmod, chgrp";
  const std::string bed = path + ".bed";
  if (reason == ENOENT && ::access(bed.c_str(), F_OK) == 0)
    return fmt::format("name the .bed of PLINK's files: {}", printable(bed));
  return "";
}

}  // namespace

FileDescriptor open_for_reading(const std::string& path) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  const int reason = errno;
  if (file.get() < 0) check_interrupt();  // opening a pipe waits for its writer
  if (file.get() < 0)
    throw InputError(path, "", fmt::format("cannot open: {}", errno_text(reason)),
                     cure_of_opening(path, reason));
  struct stat info {};
  if (::fstat(file.get(), &info) == 0 && S_ISDIR(info.st_mode))
    throw InputError(path, "", "is a folder", "name a file in it");
  return file;
}

namespace {

[[noreturn]] void refuse_irregular(const std::string& path) {
  throw InputError(path, "", "is no regular file", "it is read from a file, never from a pipe or a device");
}

}  // namespace

FileDescriptor open_regular(const std::string& path) {
  FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat info {};
  if (file.get() < 0 || ::fstat(file.get(), &info) != 0 || S_ISREG(info.st_mode) || S_ISDIR(info.st_mode))
    return open_for_reading(path);  // says what is wrong, or waits for somebody who is replacing the file
  refuse_irregular(path);
}

void check_regular(const std::string& path) {
  if (exists_and_is_not_regular(path)) refuse_irregular(path);
}

void check_own(const std::string& path) {
  namespace fs = std::filesystem;
  std::error_code none;
  const fs::path absolute = fs::absolute(path, none), real = fs::canonical(path, none);
  const fs::path folder = absolute.parent_path();
  for (const fs::path& place : {absolute, folder, folder.parent_path(), real.parent_path()}) {
    struct stat info {};
    if (place.empty() || ::stat(place.c_str(), &info) != 0) continue;
    if (info.st_uid != ::geteuid() && info.st_uid != 0)
      throw InputError(path, "", fmt::format("is not yours: {} belongs to another user", place.string()),
                       "make a copy of your own, or remove it");
    const bool of_owners = S_ISDIR(info.st_mode) && (info.st_mode & S_ISVTX) != 0;
    if ((info.st_mode & (S_IWGRP | S_IWOTH)) != 0 && !of_owners)
      throw InputError(path, "", fmt::format("can be changed by others, who may write to {}", place.string()),
                       "look whether it is as you left it, and: chmod go-w " + place.string());
  }
}

namespace {

/// Returns once a read would not wait. A signal may come just before a read that would wait forever, so this
/// checks for signals at intervals.
void wait_for_input(int fd) {
  constexpr int kLookUpMs = 250;
  pollfd input{fd, POLLIN, 0};
  do check_interrupt();
  while (unbroken([&] { return ::poll(&input, 1, kLookUpMs); }) == 0);
}

}  // namespace

std::size_t read_some(int fd, void* into, std::size_t bytes, std::string_view path) {
  wait_for_input(fd);
  const ssize_t got = unbroken([&] { return ::read(fd, into, bytes); });
  if (got < 0) throw InputError(path, "", fmt::format("cannot read: {}", errno_text(errno)), "");
  return static_cast<std::size_t>(got);
}

void read_at(int fd, void* into, std::size_t bytes, std::uint64_t offset, std::string_view path) {
  char* to = static_cast<char*>(into);
  while (bytes > 0) {
    const ssize_t got = unbroken([&] { return ::pread(fd, to, bytes, static_cast<off_t>(offset)); });
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

namespace {

FileState state_of(const struct stat& info) {
  return {info.st_dev, info.st_ino, static_cast<std::uint64_t>(info.st_size), info.st_mtim.tv_sec,
          info.st_mtim.tv_nsec};
}

}  // namespace

FileState file_state(int fd, std::string_view path) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) throw InputError(path, "", "cannot stat: " + errno_text(errno), "");
  return state_of(info);
}

std::optional<FileState> file_state(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  return state_of(info);
}

std::uint64_t file_size(int fd, std::string_view path) {
  return file_state(fd, path).bytes;
}

FileDescriptor unnamed_file(const std::string& folder) {
  FileDescriptor file(::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (file.get() >= 0) return file;
  std::string path = folder + "/.fastid-XXXXXX";  // for file systems without unnamed files
  file = FileDescriptor(::mkostemp(path.data(), O_CLOEXEC));
  if (file.get() < 0)
    throw Failure(fmt::format("{}: cannot write a temporary file here: {}", folder, errno_text(errno)));
  ::unlink(path.c_str());
  return file;
}

bool write_all(int fd, const void* from, std::size_t bytes) {
  const char* at = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t wrote = unbroken([&] { return ::write(fd, at, bytes); });
    if (wrote < 0) return false;
    at += wrote;
    bytes -= static_cast<std::size_t>(wrote);
  }
  return true;
}

namespace {

std::string read_to_end(const FileDescriptor& file, const std::string& path, std::uint64_t most) {
  std::string text;
  std::string piece(std::size_t{1} << 16, '\0');
  while (const std::size_t got = read_some(file.get(), piece.data(), piece.size(), path)) {
    text.append(piece, 0, got);
    if (text.size() > most)
      throw InputError(path, "", fmt::format("is longer than {} bytes", most), "is it the right file?");
  }
  return text;
}

}  // namespace

std::string read_whole_file(const std::string& path, std::uint64_t most) {
  return read_to_end(open_for_reading(path), path, most);
}

std::string read_regular_file(const std::string& path, std::uint64_t most) {
  return read_to_end(open_regular(path), path, most);
}

namespace {

/// Whether a text is UTF-16 without a mark: at its beginning every second byte is 0, and no other byte is.
bool is_utf16_of_ascii(std::string_view text) {
  constexpr std::size_t kLeast = 4, kBegin = 64;
  const std::size_t begin = std::min(text.size(), kBegin) / 2 * 2;
  std::array<std::size_t, 2> zeros{};
  for (std::size_t i = 0; i < begin; ++i) zeros[i % 2] += text[i] == '\0';
  return begin >= kLeast && std::ranges::max(zeros) == begin / 2 && std::ranges::min(zeros) == 0;
}

}  // namespace

void refuse_utf16(std::string_view begin, const std::string& path) {
  constexpr std::string_view kLittle = "\xFF\xFE", kBig = "\xFE\xFF";
  if (begin.starts_with(kLittle) || begin.starts_with(kBig) || is_utf16_of_ascii(begin))
    throw InputError(path, "", "is a text in UTF-16 (\"Unicode text\" of a spreadsheet)", "save it as UTF-8");
}

std::string without_encoding_mark(std::string text, const std::string& path) {
  constexpr std::string_view kUtf8 = "\xEF\xBB\xBF", kZip = "PK\x03\x04",
                             kOle = "\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1";
  refuse_utf16(text, path);
  if (text.starts_with(kZip) || text.starts_with(kOle))
    throw InputError(path, "", "is a spreadsheet or another office document (.xlsx, .ods, .xls)",
                     "save its table as text with tabs");
  if (text.starts_with(kUtf8)) text.erase(0, kUtf8.size());
  return text;
}

std::string read_whole_list(const std::string& path, std::uint64_t most) {
  const std::string name = display_name(path);
  if (path != "-") return without_encoding_mark(read_whole_file(path, most), name);
  return without_encoding_mark(read_to_end(FileDescriptor(::dup(STDIN_FILENO)), name, most), name);
}

std::string user_folder(const char* variable, std::string_view otherwise) {
  std::string named(environment(variable));
  if (named.starts_with('/')) return named;
  const std::string home(environment("HOME"));
  return home.starts_with('/') ? home + std::string(otherwise) : "";
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

TextStyle OutputFile::style() const {
  return style_of(::fileno(stream_));
}

void OutputFile::refuse() const {
  const int reason = errno;
  check_interrupt();  // a signal interrupts a write to a full pipe
  if (reason == EPIPE) throw ReaderGone();
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
