/// \file
/// Which config fits a device: first the user's own configs, as `fastid tune` writes them, then the configs
/// of the embedded configs/registry.tsv.
///
///   $XDG_CONFIG_HOME/fastid/configs/registry.tsv     else ~/.config/...; lines as in configs/registry.tsv
///   $XDG_CONFIG_HOME/fastid/configs/NAME.h
///
/// A damaged file of the user is left out, and the chain states why; other files are not affected.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "model/config.hpp"
#include "model/device_facts.hpp"

namespace fastid::model {

/// A config that fits a device.
struct ConfigLink {
  std::string config;   ///< its name
  std::string file;     ///< the user's file; "": an embedded config
  std::string because;  ///< the field of the device that it matches: "architecture sm_9*"
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

/// The folder of the user's own configs; "" where the environment names no home folder.
std::string user_config_folder();

/// A line of a registry.
struct RegistryLine {
  std::string field, pattern, config;
};
/// The lines of the user's registry, in the order of the file. A malformed line is left out, with a message
/// at -v; a file that cannot be read is left out with a warning.
std::vector<RegistryLine> user_registry();

/// The text of the user's registry with this line at the top, in place of lines of the same field and
/// pattern. \throws InputError where the registry cannot be read, since writing a new one would lose its
/// lines.
std::string registry_with(const RegistryLine& line);

}  // namespace fastid::model
