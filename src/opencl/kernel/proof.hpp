/// \file
/// The proof of a program: before a device is trusted with it, the device must solve a small problem as the
/// definition does. That a driver accepts a program proves nothing: one was seen to accept instructions that
/// its device does not have.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bits/blocks.hpp"
#include "opencl/kernel/programs.hpp"

namespace fastid::opencl {

/// A device solves the small problem of a proof otherwise than the definition.
class KernelFault : public WrongAnswer {
 public:
  /// \param device  its name \param fault  what it does wrong
  KernelFault(const std::string& device, const std::string& fault)
      : WrongAnswer(device + ": " + fault), device_(device), fault_(fault) {}
  const std::string& device() const { return device_; }
  const std::string& fault() const { return fault_; }

 private:
  std::string device_, fault_;
};

/// Has a device prove a program, once in a process.
/// \param answers  what is asked for, as in "other pairs of profiles than the definition"
/// \param solves   whether the device answers the small problem as the definition does
/// \throws KernelFault, also where the device answers what cannot be; KernelBuildError: the device cannot run
/// the program; DeviceMemoryError
void prove(const OpenClDevice& device, const ProgramSource& source, std::string_view answers,
           const std::function<bool()>& solves);

/// Runs make(), which builds a kernel and has it proved. Returns "" if the device can use it, else why not,
/// which is logged. \param is_last  there is no other kernel: throws instead
/// \throws DeviceError; where `is_last`, KernelBuildError and KernelFault
std::string try_kernel(const std::function<void()>& make, bool is_last);

/// Gives use(ProgramOn) the program of the first shape that the device can use. \param shapes  the best
/// first, at least one \param solves  solves(ProgramOn), as prove() has it
/// \throws DeviceError, KernelBuildError and KernelFault: as try_kernel() of the last shape; what `use`
/// throws
template <class Shape, class Solves, class Use>
void use_first_proved(const OpenClDevice& device, const cl::Context& context,
                      const std::vector<Shape>& shapes, ProgramSource (*source_of)(const Shape&),
                      std::string_view answers, const Solves& solves, const Use& use) {
  for (const Shape& shape : shapes) {
    const auto make = [&] {
      const ProgramSource source = source_of(shape);
      const auto build = [&] {
        return build_program(context, device.device, device.facts, source, program_cache(device.facts));
      };
      const ProgramOn<Shape> built{device, context, with_cl_errors(device.name(), build), shape};
      prove(device, source, answers, [&] { return solves(built); });
      use(built);
    };
    if (try_kernel(make, &shape == &shapes.back()).empty()) return;
  }
}

/// The same random profiles each time, for small problems. At each site of each one of `drawn` was seen;
/// `missing`: or, at one site of 16, nothing.
BitBlocks random_profiles(const BlockShape& shape, std::span<const Seen> drawn, bool missing,
                          std::uint32_t seed = 1);

}  // namespace fastid::opencl
