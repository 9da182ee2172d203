/// \file
/// Files that appear whole or not at all, and are private unless set_privacy() says otherwise.
#pragma once

#include <sys/types.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/file.hpp"
#include "base/internal/emergency.hpp"

namespace fastid {

/// Who may read the files that this program creates.
enum class Privacy {
  kOwner,  ///< only the owner (0600)
  kUmask   ///< as the umask allows
};

/// Applies to all files created from now on; the default is kOwner. A file that replaces another one keeps
/// that one's permissions and access control list, and its owner and group as far as this user may set them.
/// Where the group or the list cannot be kept, the group's permissions are removed.
void set_privacy(Privacy privacy);

/// The permissions that a new file at `path` gets: the permissions of the file that it replaces, else the
/// ones that set_privacy() implies.
mode_t mode_for(const std::string& path);

/// The file that a chain of links leads to, whether it exists or not, so that a rename replaces it and not
/// the link.
std::string resolve_links(const std::string& path);
/// resolve_links(). \throws Failure at a link that another user put into a folder that everybody may write
/// to: through it that user could make this user overwrite any file
std::string resolve_own_links(const std::string& path);

/// Refuses what will not fit on the disk where a file is to be written, before anything is. Pipes and devices
/// take anything. \param path  "" or "-": standard output  \param bytes  that the file takes at least \param
/// what  "81 values of r2"  \throws Failure that says both sizes
void check_room(const std::string& path, double bytes, std::string_view what, std::string_view cure);

/// The compression factor of gzip and HDF5 that callers of check_room() assume: higher than matrices of
/// numbers and lists reach.
inline constexpr double kMostCompressed = 10;

/// A file beside `target` that becomes `target` on commit() and is removed otherwise.
///
/// Only the owner can read it until commit(). Where the file system supports it, the file has no name until
/// then, so nothing is left of it however the program ends, even by SIGKILL or a power failure. A writer that
/// needs a path (HDF5) gets a hidden file ".NAME.part-XXXXXX", which remove_abandoned_parts() removes after a
/// SIGKILL.
class StagedFile {
 public:
  enum class Name { kNone, kHidden };

  /// \throws Failure where no file can be written there, or the target is a folder, a pipe or a device, or a
  /// link that another user put into a folder that everybody may write to.
  explicit StagedFile(const std::string& target, Name name = Name::kNone);
  ~StagedFile();
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;

  /// A path at which this process can open the file; it is beside the target only where the file has a name.
  const std::string& path() const noexcept { return path_; }
  int descriptor() const noexcept { return fd_.get(); }

  /// Starts writing to the disk what is there so far, so that commit() waits for less.
  void begin_flush() const noexcept;

  /// Flushes the file to the disk, gives it the target's permissions and owner (set_privacy), and renames it
  /// to the target. \throws Failure; the target is then unchanged.
  void commit();

  /// commit(), but only where the target is still in the state `expected` (no value: it does not exist).
  /// \throws Failure.
  void commit_over(const std::optional<FileState>& expected);

  /// Commits files that are read together, in this order. All of them are flushed before the first appears,
  /// so that hardly anything can fail in between; before that, the target of the last one, by which the
  /// others are found, is removed, so that it is never beside files of another set. \throws Failure.
  static void commit_together(std::span<StagedFile* const> files);

 private:
  void prepare();
  void put_in_place();
  [[noreturn]] void refuse(const char* what) const;
  bool create_unnamed();
  void create_named(const std::string& shown);
  void give_name();

  std::string target_;
  std::string path_;
  FileDescriptor fd_;  ///< holds a lock, which shows other processes that the file is in use
  bool named_ = false;
  std::optional<RemovedInEmergency> emergency_;
};

/// \throws Failure: somebody else changed the target meanwhile
[[noreturn]] void refuse_changed(const std::string& target);

/// Removes hidden files beside `target` that were left by killed programs.
void remove_abandoned_parts(const std::string& target) noexcept;

/// Copies all of `from` to the empty file `to`: by sharing its blocks where the file system supports it, else
/// within the kernel, else by reading and writing. Stops at a signal. \throws Failure, InputError (reading),
/// Interrupted.
void copy_content(int from, int to, const std::string& from_name, const std::string& to_name);

}  // namespace fastid
