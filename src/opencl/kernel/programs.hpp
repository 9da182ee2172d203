/// \file
/// Builds programs for a device, or takes them from the cache.
#pragma once

#include <fmt/format.h>

#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "engine/engine.hpp"
#include "opencl/device/cl_api.hpp"
#include "opencl/devices.hpp"
#include "opencl/kernel/program_cache.hpp"
#include "opencl/opencl_engine.hpp"

namespace fastid::opencl {

/// What a program is built from.
struct ProgramSource {
  std::string text;
  std::string options;
  std::string kernel;  ///< the name of a kernel that it must have
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
