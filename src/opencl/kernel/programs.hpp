/// \file
/// Builds programs for a device, or takes them from the cache.
#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "engine/engine.hpp"
#include "opencl/device/cl_api.hpp"
#include "opencl/devices.hpp"
#include "opencl/opencl_engine.hpp"

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

/// A device computes something else of a small problem than the definition: the proof of a program, which is
/// run before the program is used.
class KernelFault : public DeviceError {
 public:
  /// \param device  its name \param fault  what it does wrong
  KernelFault(const std::string& device, std::string fault)
      : DeviceError(fmt::format("{}: {}; {}", device, fault, engine::kDistrust)), fault_(std::move(fault)) {}
  const std::string& fault() const { return fault_; }

 private:
  std::string fault_;
};

/// Whether a kernel can be made; says why not. \param rethrow  there is no other one: throws
/// KernelBuildError, KernelFault \throws DeviceError
template <class Make>
bool try_kernel(const Make& make, bool rethrow) {
  try {
    make();
    return true;
  } catch (const KernelBuildError& error) {
    if (rethrow) throw;
    log::detail("{}; another kernel is used", error.what());
  } catch (const KernelFault& fault) {
    if (rethrow) throw;
    log::warn("{}; another kernel is used", fault.what());
  }
  return false;
}

/// Gives use(program, shape) the program of the first shape that the device's compiler takes and in which
/// `use` finds no fault. \param name  of the device, in messages \param shapes  the best first, at least one
/// \throws KernelBuildError: it takes none; KernelFault: it miscounts by the last one; DeviceError
template <class Shape, class Use>
void use_first_built(const std::string& name, const cl::Context& context, const OpenClDevice& device,
                     const std::vector<Shape>& shapes, ProgramSource (*source_of)(const Shape&),
                     const Use& use) {
  for (const Shape& shape : shapes) {
    const auto build = [&] {
      return build_program(context, device.device, device.facts, source_of(shape),
                           program_cache(device.facts));
    };
    if (try_kernel([&] { use(with_cl_errors(name, build), shape); }, &shape == &shapes.back())) return;
  }
}

}  // namespace fastid::opencl
