/// \file
/// A device's traits before anything is measured: what its driver, its config and the table of known devices
/// say.
#pragma once

#include "model/config.hpp"
#include "model/device_facts.hpp"
#include "model/traits.hpp"

namespace fastid::model {

/// What the table of known devices says, and before it what the driver does.
DeviceTraits stated_traits(const DeviceFacts& facts);

/// The hardware numbers that a config holds and that are not part of the kernel's shape.
DeviceTraits traits_of(const KernelConfig& config, Source source);

/// What runs on a device are predicted by: its config's numbers, then stated_traits(). A link of which
/// neither says anything is taken for a slow one (model/transfer.hpp).
///
/// \param config   null: it has none
/// \param uploads  false where the device works in the host's memory: then it has no link
DeviceTraits run_traits(const DeviceFacts& facts, const KernelConfig* config, bool uploads);

}  // namespace fastid::model
