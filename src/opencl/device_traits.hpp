/// \file
/// A device's traits that are known without measuring: from the driver, from vendors' extensions, and from
/// the table of known devices.
#pragma once

#include "model/traits.hpp"
#include "opencl/devices.hpp"

namespace fastid::opencl {

/// model::stated_traits(), and what the extensions of NVIDIA, AMD and Intel add where the device has them. A
/// number that the driver refuses to tell is left as it was.
model::DeviceTraits stated_traits(const OpenClDevice& device);

}  // namespace fastid::opencl
