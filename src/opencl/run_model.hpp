/// \file
/// A run on a device as the model sees it: by the numbers of the device's config.
#pragma once

#include "engine/engine.hpp"
#include "model/config.hpp"
#include "model/kernel_time.hpp"
#include "model/traits.hpp"

namespace fastid {

/// The hardware numbers that a config holds and that are not part of the kernel's shape.
model::DeviceTraits traits_of(const KernelConfig& config, model::Source source);

/// What the model is told of a device. \param config  null: nothing is known  \param uploads  false where the
/// device works in the host's memory
model::DeviceTraits run_traits(const KernelConfig* config, bool uploads);

model::Workload workload_of(const Problem& problem);

}  // namespace fastid
