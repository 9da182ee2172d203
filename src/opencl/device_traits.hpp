/// \file
/// A device's traits as far as they are known before anything is measured: the driver's answers, the vendors'
/// extensions, and the table of known devices.
#pragma once

#include "model/traits.hpp"
#include "opencl/devices.hpp"

namespace fastid {

/// model::stated_traits() and what the extensions of NVIDIA, AMD and Intel add where the device has them; a
/// refusal leaves a number as it was.
model::DeviceTraits stated_traits(const OpenClDevice& device);

}  // namespace fastid
