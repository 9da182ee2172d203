/// \file
/// A device's traits before anything is measured: from its driver, its config and the table of known devices.
#pragma once

#include "model/config.hpp"
#include "model/device_facts.hpp"
#include "model/traits.hpp"

namespace fastid::model {

/// Traits from the driver and, where it states nothing, from the table of known devices.
DeviceTraits stated_traits(const DeviceFacts& facts);

/// The hardware numbers of a config, which are not part of the kernel's shape.
DeviceTraits traits_of(const KernelConfig& config, Source source);

/// The traits that a device's runs are predicted from: its config's numbers, then stated_traits(). A link for
/// which neither has a rate is taken to be slow (model/transfer.hpp).
///
/// \param config   null: the device has none
/// \param uploads  false where the device works in the host's memory and so has no link
DeviceTraits run_traits(const DeviceFacts& facts, const KernelConfig* config, bool uploads);

}  // namespace fastid::model
