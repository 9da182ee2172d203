/// \file
/// The rate of a device at one kind of work, such as the pair-HMM or combinations of sites.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/kernel_step.hpp"

namespace fastid::bench {

/// Numbers are medians over the repeats.
struct DeviceRate {
  std::string device;
  std::size_t repeats = 0;
  double seconds = 0;
  double rate = 0;   ///< units of work a second
  double bound = 0;  ///< units a second of the instructions on registers; 0: not known

  engine::KernelStep step;  ///< what a step of the kernel counts; unknown where it counts no bits
  double bit_rate = 0;      ///< bits that the kernel counts a second; 0: not known

  /// Share of the bound; 0: not known.
  double share() const { return bound > 0 ? rate / bound : 0; }
};

struct RateOptions {
  std::vector<std::string> devices = {"cpu"};
  std::size_t threads = 0;  ///< 0: as many as the process may use
  std::size_t repeats = 11;
  std::uint64_t seed = 1;
};

}  // namespace fastid::bench
