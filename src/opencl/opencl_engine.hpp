/// \file
/// The OpenCL engine: compares tiles on a device of any vendor. Nothing of OpenCL is touched before one of
/// these functions is called: a driver may take hundreds of milliseconds to wake.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "model/config.hpp"
#include "model/device_facts.hpp"

namespace fastid {

/// All devices of all platforms that work; empty where no driver is installed. \throws DeviceError where
/// there is none because drivers fail.
std::vector<DeviceFacts> list_opencl_devices();

/// What tests, benches and tune set.
struct OpenClTuning {
  /// Pairs that fit the device's buffer; where more pass, compare() runs the tile again in pieces. 0: the
  /// engine's choice.
  std::size_t found_pairs = 0;
  /// In one run of the kernel: its counter of those that passed has 32 bits and must not wrap.
  std::size_t pairs = UINT32_MAX;
  /// Queries that are asked at once, in place of as many as the memory holds. 0: the engine's choice.
  std::size_t queries = 0;
  /// Memory of the device's own, even where it works in the host's.
  bool own_memory = false;
  /// In place of the one that is expected to be faster, where the config has it.
  std::optional<MicroKernel> micro_kernel;
  /// A config of the program's by its name, in place of the one that fits the device.
  std::string config;
  /// A config's text likewise.
  std::string config_text;
  /// Whether what is built is kept for later runs: not where many configs are tried.
  bool keep_programs = true;
};

/// What came of the proof that a device's matrix kernel needs before it is used.
struct MatrixReport {
  bool configured = false;  ///< the config has a matrix kernel
  std::string fault;        ///< why the device cannot use it; "" where it can
};
/// Builds the matrix kernel and compares a small problem, as the engine does before it first uses it:
/// seconds, where programs are not cached. Nothing is thrown for a device that fails.
MatrixReport prove_matrix_kernel(const DeviceFacts& facts);

/// An engine on one device.
///
/// \param selector  "": the first GPU, else the first device. "P.D": device D of platform P, as in
/// list_opencl_devices().
///                  Anything else: the first device whose own name, platform's name or platform's version
///                  ("PoCL 3.1") contains it, whatever the case.
/// \throws DeviceError where there is no such device, naming those there are; where there is none at all,
/// with the cure
std::unique_ptr<Engine> make_opencl_engine(const std::string& selector, const EngineOptions& options,
                                           const OpenClTuning& tuning = {});

}  // namespace fastid
