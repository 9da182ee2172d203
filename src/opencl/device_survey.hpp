/// \file
/// What `fastid devices` reports about OpenCL devices: traits, configs and warnings.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/config.hpp"
#include "model/device_facts.hpp"
#include "model/registry.hpp"
#include "model/traits.hpp"

namespace fastid::opencl {

struct SurveyedDevice {
  model::DeviceFacts facts;
  model::DeviceTraits traits;                 ///< known, queried, and measured by `fastid tune`
  std::vector<model::ConfigLink> chain;       ///< config_chain()
  std::optional<model::KernelConfig> config;  ///< the one in use; nothing: no config fits
  std::vector<std::string> warnings;          ///< for a person
};

struct DeviceSurvey {
  std::vector<SurveyedDevice> devices;
  std::vector<std::string> failures;  ///< one message for each platform that failed
};

/// Asks all drivers, but measures nothing.
DeviceSurvey survey_with_traits();

/// Adds to `traits` what a tuned config has measured; a config of another origin adds nothing.
void learn_measured(const model::KernelConfig& config, model::DeviceTraits& traits);

/// Warnings for the user of a device that has this config.
/// \param tuned_driver  the driver that the config was measured with; "": it was not measured
std::vector<std::string> device_warnings(const model::DeviceFacts& facts, const model::KernelConfig* config,
                                         const std::string& tuned_driver);

/// The driver that a header of `fastid tune` names; "" where there is none.
std::string driver_of_header(std::string_view text);

}  // namespace fastid::opencl
