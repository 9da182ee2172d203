/// \file
/// A device as its driver describes it: plain data, so that decisions from it need no driver.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace fastid::model {

/// A device's own description. Sizes are in bytes.
struct DeviceFacts {
  std::string selector;  ///< "0.0": platform and device, counted from 0
  std::string platform;
  std::string platform_version;
  std::string device;
  std::string vendor;
  std::string version;  ///< OpenCL version and what the vendor adds
  std::string driver;
  std::string type;          ///< "GPU", "CPU", "accelerator", "other"
  std::string architecture;  ///< "sm_90", "gfx1100"; "" where the driver does not tell
  std::uint32_t compute_units = 0;
  std::uint32_t clock_mhz = 0;
  std::size_t max_group_items = 0;  ///< work-items of a work-group, and along its first two dimensions
  std::size_t max_group_columns = 0, max_group_rows = 0;
  bool unified_memory = false;  ///< the device works in the host's memory
  std::uint64_t global_memory = 0;
  std::uint64_t local_memory = 0;
  std::uint64_t max_allocation = 0;
};

}  // namespace fastid::model
