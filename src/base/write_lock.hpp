/// \file
/// A lock that allows one writer of a file at a time.
#pragma once

#include <optional>
#include <string>

#include "base/file.hpp"
#include "base/internal/emergency.hpp"

namespace fastid {

/// "cannot be locked: REASON; CURE", for the errno of a flock that failed.
std::string lock_trouble(int number);

/// The right to replace `target`: a kernel lock (flock) on a hidden file ".NAME.lock" beside it, which names
/// the holder. The kernel releases the lock however the holder ends, so a lock is never stale; a file that a
/// killed holder leaves behind is taken over by the next one. Readers need no lock, since a target is only
/// replaced as a whole.
///
/// Where the file system has no locks, no file is left behind, and the error says what that means.
///
/// On NFS, flock works between the clients of one server that runs its lock manager (Linux does so by
/// default); where it is mounted with local locks, two machines do not see each other's locks.
class WriteLock {
 public:
  /// \throws Failure naming the holder (process, host, since when, command) where there is one; Interrupted.
  explicit WriteLock(const std::string& target);
  ~WriteLock();
  WriteLock(const WriteLock&) = delete;
  WriteLock& operator=(const WriteLock&) = delete;

  /// The file that the lock guards, with links resolved.
  const std::string& target() const noexcept { return target_; }

 private:
  bool take();
  [[noreturn]] void give_up(const std::string& why) const;
  void say_who() const;

  std::string target_, path_;
  FileDescriptor fd_;
  std::optional<RemovedInEmergency> emergency_;
};

}  // namespace fastid
