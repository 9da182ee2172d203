/// \file
/// Files at the level of system calls: descriptors that close themselves, checked reads, and outputs that
/// appear whole or not at all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/terminal.hpp"

namespace fastid {

class StagedFile;  // staged_file.hpp

/// Owns a file descriptor.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  ~FileDescriptor();
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;

  int get() const noexcept { return fd_; }
  int release() noexcept;

 private:
  int fd_ = -1;
};

/// The name of a path in messages: "standard input" for "-".
std::string display_name(const std::string& path);

/// Opens a regular file or a pipe for reading. \throws InputError with path and reason.
FileDescriptor open_for_reading(const std::string& path);

/// Opens a regular file for reading, and refuses anything else at once: a pipe is never waited for. For files
/// that the program looks for without being told, and for files that are not read in order. \throws
/// InputError
FileDescriptor open_regular(const std::string& path);

/// Refuses a path that exists and is no regular file, before a library opens it. \throws InputError
void check_regular(const std::string& path);

/// Refuses a file that anybody but this user and root can change, directly or through a folder that leads to
/// it. For files that stand for options of a command line. \throws InputError
void check_own(const std::string& path);

/// Reads up to `bytes`; 0 at the end. Retries reads that a signal interrupted. \throws InputError.
std::size_t read_some(int fd, void* into, std::size_t bytes, std::string_view path);

/// Reads exactly `bytes` at `offset`. \throws InputError where the file is too short, naming the byte.
void read_at(int fd, void* into, std::size_t bytes, std::uint64_t offset, std::string_view path);

/// Identifies a file and its state: two states differ where the files differ, or where a file was changed.
struct FileState {
  std::uint64_t device = 0, inode = 0, bytes = 0;
  std::int64_t changed_s = 0, changed_ns = 0;  ///< time of the last change of its content

  friend bool operator==(const FileState&, const FileState&) = default;
};

/// The state of an open file. \throws InputError.
FileState file_state(int fd, std::string_view path);

/// The state of the file that a path leads to; no value where it cannot be read.
std::optional<FileState> file_state(const std::string& path);

/// Size of an open file in bytes. \throws InputError.
std::uint64_t file_size(int fd, std::string_view path);

/// An empty private file in `folder` without a name; it is deleted when its descriptor is closed. \throws
/// Failure.
FileDescriptor unnamed_file(const std::string& folder);

/// Writes all bytes at the descriptor's position. Returns false, and sets errno, where that fails. \throws
/// Interrupted.
bool write_all(int fd, const void* from, std::size_t bytes);

/// The whole content of a small file. \throws InputError where it is longer than `most` bytes.
std::string read_whole_file(const std::string& path, std::uint64_t most);

/// read_whole_file() for a file that the program looks for without being told, opened by open_regular().
std::string read_regular_file(const std::string& path, std::uint64_t most);

/// Refuses a text in UTF-16.
/// \param begin  the first bytes of the text, at least 64 where there are so many
/// \throws InputError naming `path` where it is in UTF-16
void refuse_utf16(std::string_view begin, const std::string& path);

/// A text that somebody wrote, without the mark by which some programs say that it is UTF-8. \throws
/// InputError naming `path` where the text is in UTF-16, or an office document
std::string without_encoding_mark(std::string text, const std::string& path);

/// The whole content of a list, without such a mark. "-" is standard input.
std::string read_whole_list(const std::string& path, std::uint64_t most);

/// The user's folder from the environment `variable` ("XDG_CONFIG_HOME"), else HOME followed by `otherwise`
/// ("/.config"). "" where neither is an absolute path, as the XDG standard requires.
std::string user_folder(const char* variable, std::string_view otherwise);

/// Where results go: standard output ("" or "-") or a file that appears whole on commit().
///
/// A path that exists but is not a regular file (a pipe, /dev/null, a terminal) is written directly.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// True where the output is a terminal.
  bool is_terminal() const;

  /// How text for people is laid out on this output.
  TextStyle style() const;

  /// \throws Failure where the write fails (full disk), ReaderGone where the reader of a pipe has closed it.
  void write(std::string_view text);

  /// Flushes, checks for errors, and makes the file appear. Without this call no file appears. \throws
  /// Failure.
  void commit();

 private:
  [[noreturn]] void refuse() const;

  std::string name_;  ///< for messages
  std::unique_ptr<StagedFile> staged_;
  std::FILE* stream_ = nullptr;
};

}  // namespace fastid
