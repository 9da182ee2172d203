/// \file
/// Files that must be removed when the program ends without unwinding. A signal ends the program even if no
/// safe point is reached in time (a device is busy with a tile, a disk does not answer); nothing half-written
/// may be left then.
#pragma once

#include <cstddef>
#include <string>

namespace fastid {

/// While it exists, an early end of the program removes `path`. A few dozen may exist at the same time;
/// further ones are not removed at an early end, but have no other drawback.
class RemovedInEmergency {
 public:
  explicit RemovedInEmergency(const std::string& path);
  ~RemovedInEmergency();
  RemovedInEmergency(const RemovedInEmergency&) = delete;
  RemovedInEmergency& operator=(const RemovedInEmergency&) = delete;

 private:
  std::size_t slot_;
};

/// Removes the registered files. Safe in a signal handler.
void remove_in_emergency() noexcept;

}  // namespace fastid
