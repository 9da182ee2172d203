/// \file
/// A config as a header that a person can read and contribute; configs/README.md says what it holds.
#pragma once

#include <string>

#include "model/config.hpp"
#include "model/device_facts.hpp"
#include "model/traits.hpp"

namespace fastid::tune {

/// Only the `#define` lines: all numbers that are required or not 0.
std::string header_lines(const model::KernelConfig& config);

/// Where a header comes from.
struct HeaderOrigin {
  model::DeviceFacts device;
  model::DeviceTraits traits;
  std::string date;      ///< UTC
  std::string program;   ///< "fastid 0.1.0 (revision ...)"
  std::string report;    ///< file with the measurements; "": none was written
  std::string findings;  ///< lines about rates, for the comment; may be empty
};

/// The whole header. Text from a driver cannot end the comment that it is put into.
std::string header_text(const model::KernelConfig& config, const HeaderOrigin& origin);

/// A config's name for a device: lower case, letters, digits and _, 38 letters at most: "nvidia_h200".
std::string config_name_for(const std::string& device);

}  // namespace fastid::tune
