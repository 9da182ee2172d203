/// \file
/// Builds programs for a device, or takes them from the cache.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "opencl/device/cl_api.hpp"
#include "opencl/devices.hpp"

namespace fastid::opencl {

/// What a program is built from.
struct ProgramSource {
  std::string text;
  std::string options;
  std::string kernel;  ///< the name of a kernel that it must have
};

/// Built programs, kept from run to run: building one takes a driver up to seconds.
///
///   $XDG_CACHE_HOME/fastid/programs/KEY      else ~/.cache/fastid/programs/KEY
///
/// KEY is the SHA-256 of everything that a binary depends on. An entry that is damaged, cut short, or stored
/// under another key's name is ignored, and so is a folder that cannot be written. A non-empty
/// FASTID_NO_CACHE in the environment turns the cache off.
class ProgramCache {
 public:
  /// A cache in the folder that the environment names; one that keeps nothing if there is none or it is
  /// turned off.
  static ProgramCache from_environment();
  /// \param folder  "": the cache keeps nothing
  explicit ProgramCache(std::string folder) : folder_(std::move(folder)) {}

  /// Whether the cache keeps anything; if not, drivers need not be asked for binaries.
  bool keeps() const { return !folder_.empty(); }

  /// The complete binary that was stored under `key` (64 hexadecimal digits); nothing if there is none.
  std::optional<std::string> load(const std::string& key) const;
  /// Stores a binary. The entry appears whole or not at all. A failure goes to the log and is not thrown.
  void store(const std::string& key, std::string_view binary) const;

 private:
  std::string path(const std::string& key) const { return folder_ + "/" + key; }

  std::string folder_;
};

/// The texts of embedded files, one after the other.
std::string text_of(std::initializer_list<std::string_view> files);

/// The cache for a device's programs: one that keeps nothing where the driver keeps them itself.
ProgramCache program_cache(const model::DeviceFacts& facts);

/// A key of all that a binary depends on: the source, its options, the device, its driver and its platform.
std::string program_key(const ProgramSource& source, const model::DeviceFacts& facts);

/// \throws cl::BuildError with the compiler's log, cl::Error
cl::Program build_program(const cl::Context& context, const cl::Device& device,
                          const model::DeviceFacts& facts, const ProgramSource& source,
                          const ProgramCache& cache);

/// \throws DeviceError
cl::Context context_of(const OpenClDevice& device);

}  // namespace fastid::opencl
