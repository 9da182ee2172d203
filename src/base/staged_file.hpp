/// \file
/// Files that appear whole or not at all, and are private until somebody says otherwise.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "base/file.hpp"
#include "base/internal/emergency.hpp"

namespace fastid {

/// Who may read the files that this program makes.
enum class Privacy {
  kOwner,  ///< the owner alone (0600)
  kUmask   ///< whoever the umask lets
};

/// For all files made from now on (kOwner until then). Files that take the place of others keep their
/// permissions, and their owner and group as far as this user may give files away; where the group cannot be
/// kept, the group's permissions go.
void set_privacy(Privacy privacy);

/// The permissions that a new file at `path` gets: those of the file that it replaces, else as set_privacy()
/// says.
mode_t mode_for(const std::string& path);

/// The file that a chain of links leads to, whether it exists or not, so that a rename replaces it and not
/// the link.
std::string resolve_links(const std::string& path);

/// A file beside `target` that becomes `target` on commit(), and is gone otherwise.
///
/// Readable by the owner alone until commit(). Where the file system can, the file has no name until then: so
/// nothing is left of it however the program ends, SIGKILL and power failure included. A writer that insists
/// on a path (HDF5) gets a hidden file ".NAME.part-XXXXXX", which remove_abandoned_parts() clears away after
/// a SIGKILL.
class StagedFile {
 public:
  enum class Name { kNone, kHidden };

  /// \throws Failure where nothing can be written there, or the target is a folder, a pipe or a device.
  explicit StagedFile(const std::string& target, Name name = Name::kNone);
  ~StagedFile();
  StagedFile(const StagedFile&) = delete;
  StagedFile& operator=(const StagedFile&) = delete;

  /// Where this process can open it: beside the target only where it has a name.
  const std::string& path() const noexcept { return path_; }
  int descriptor() const noexcept { return fd_.get(); }

  /// Has the disk begin with what is written so far, so that commit() has less to wait for.
  void begin_flush() const noexcept;

  /// Flushes to the disk, gives it the target's permissions and owner (set_privacy), and renames onto the
  /// target. \throws Failure; the target is then as it was.
  void commit();

  /// So too, but only where the target still is what it was (nothing: not there). \throws Failure.
  void commit_over(const std::optional<FileState>& expected);

 private:
  void prepare();
  void put_in_place();
  [[noreturn]] void refuse(const char* what) const;
  bool create_unnamed();
  void create_named(const std::string& shown);
  void give_name();

  std::string target_;
  std::string path_;
  FileDescriptor fd_;  ///< holds a lock, so that others see that the file is in use
  bool named_ = false;
  std::optional<RemovedInEmergency> emergency_;
};

/// Removes hidden files beside `target` that a StagedFile of a program that was killed has left.
void remove_abandoned_parts(const std::string& target) noexcept;

/// Copies all of `from` to the empty file `to`: sharing its blocks where the file system can, else within the
/// kernel, else by reading and writing. Stops at a signal. \throws Failure, InputError (reading),
/// Interrupted.
void copy_content(int from, int to, const std::string& from_name, const std::string& to_name);

}  // namespace fastid
