/// \file
/// A device's traits as far as they are known before anything is measured: the driver's answers, the vendors'
/// extensions, and the table of known devices.
#pragma once

#include "model/traits.hpp"
#include "opencl/devices.hpp"

namespace fastid {

/// What the driver says. Extensions of NVIDIA, AMD and Intel are asked where the device has them; a refusal
/// leaves a number unknown.
model::DeviceTraits queried_traits(const OpenClDevice& device);

/// What the driver says and what the table of known devices adds.
model::DeviceTraits stated_traits(const OpenClDevice& device);

}  // namespace fastid
