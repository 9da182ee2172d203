/// \file
/// One writer of a file at a time.
#pragma once

#include <optional>
#include <string>

#include "base/file.hpp"
#include "base/internal/emergency.hpp"

namespace fastid {

/// "cannot be locked: REASON; CURE", for the errno of a flock that failed.
std::string lock_trouble(int number);

/// The right to replace `target`, held by a lock of the kernel (flock) on a hidden file ".NAME.lock" beside
/// it, which says who holds it. The kernel lets go of it however the holder ends, so a lock is never stale;
/// the file that a killed holder leaves behind is taken over by the next. Readers need no lock: a target is
/// only ever replaced whole.
///
/// Where the file system has no locks nothing is left behind, and the refusal says what that means.
///
/// On NFS, flock works between the clients of one server that runs its lock manager (Linux does so by
/// default); where it is mounted with local locks, two machines do not see each other's.
class WriteLock {
 public:
  /// \throws Failure naming the holder (process, host, since when, command) where there is one; Interrupted.
  explicit WriteLock(const std::string& target);
  ~WriteLock();
  WriteLock(const WriteLock&) = delete;
  WriteLock& operator=(const WriteLock&) = delete;

  /// What it guards, without links.
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
