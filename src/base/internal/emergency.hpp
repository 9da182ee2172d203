/// \file
/// What must be gone when the program ends before it can unwind: a signal whose safe point does not come in
/// time (a device deep in a tile, a disk that does not answer) ends it all the same, and leaves nothing
/// half-written.
#pragma once

#include <cstddef>
#include <string>

namespace fastid {

/// While it lives, an early end of the program removes `path`. A few dozen may live at once; those past that
/// number are not known to the early end, and only that.
class RemovedInEmergency {
 public:
  explicit RemovedInEmergency(const std::string& path);
  ~RemovedInEmergency();
  RemovedInEmergency(const RemovedInEmergency&) = delete;
  RemovedInEmergency& operator=(const RemovedInEmergency&) = delete;

 private:
  std::size_t slot_;
};

/// Removes what was registered. Safe in a signal handler.
void remove_in_emergency() noexcept;

}  // namespace fastid
