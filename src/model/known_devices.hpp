/// \file
/// Published figures of devices: the paper's Table I, and the vendors' figures for current devices.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "model/traits.hpp"

namespace fastid::model {

struct KnownDevice {
  std::string_view name;
  std::string_view device;        ///< part of the device's name, lower case; "": any
  std::string_view architecture;  ///< beginning of its architecture ("sm_9"); "": any
  std::string_view source;        ///< of the numbers
  double clock_mhz;               ///< 0 here and below: not known
  double compute_units;
  double thread_group, resident_groups, clusters;
  double popcounts, logic, adds;  ///< for each clock and compute unit
  double popcount_latency;        ///< clocks
  double banks;
  double local_bytes, local_reserved;
  double registers, item_registers;
  double memory_rate;  ///< 1e9 bytes a second
};

std::span<const KnownDevice> known_devices();

/// The first entry that fits, or null. \param device, architecture  as the driver states them
const KnownDevice* find_known_device(std::string_view device, std::string_view architecture);

/// The numbers of an entry as traits with the source kKnown.
DeviceTraits traits_of(const KnownDevice& known);

}  // namespace fastid::model
