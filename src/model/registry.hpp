/// \file
/// Which config fits a device: the user's own, as `fastid tune` writes them, then configs/registry.tsv,
/// embedded.
///
///   $XDG_CONFIG_HOME/fastid/configs/registry.tsv     else ~/.config/...; lines as in configs/registry.tsv
///   $XDG_CONFIG_HOME/fastid/configs/NAME.h
///
/// What is wrong with a file of the user's costs that file only: it is left out, and the chain says why.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/config.hpp"
#include "model/device_facts.hpp"

namespace fastid {

/// A config that fits a device.
struct ConfigLink {
  std::string config;   ///< its name
  std::string file;     ///< of the user's own; "": the program's
  std::string because;  ///< what of the device it fits: "architecture sm_9*"
  std::string unfit;    ///< why the device cannot run it; "" where it can
};

/// The configs that fit a device, best first. Not empty.
std::vector<ConfigLink> config_chain(const DeviceFacts& facts);

/// An embedded config by its name. \throws Failure where there is none.
KernelConfig embedded_config(std::string_view name);

/// Names of all embedded configs.
std::vector<std::string> embedded_config_names();

/// The config of a chain. \throws InputError (a user's own)
KernelConfig config_of(const ConfigLink& link);

/// Why the device cannot run a config; "" where it can.
std::string unfit_reason(const KernelConfig& config, const DeviceFacts& facts);

/// Where the user's own configs are; "": nowhere, for the environment names no home.
std::string user_config_folder();

/// A line of a registry.
struct RegistryLine {
  std::string field, pattern, config;
};
/// The user's own, in the order of the file. What is no line of a registry is left out, with a message at -v;
/// a file that cannot be read, with a warning.
std::vector<RegistryLine> user_registry();

/// The user's registry with this line in place of those of the same field and pattern, first. \throws
/// InputError where it cannot be read: to write it anew would lose its lines
std::string registry_with(const RegistryLine& line);

}  // namespace fastid
