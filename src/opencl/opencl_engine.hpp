/// \file
/// The OpenCL engine: compares tiles on a device of any vendor. OpenCL is not used before one of these
/// functions is called, since a driver may take hundreds of milliseconds to start.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "model/config.hpp"
#include "model/device_facts.hpp"

namespace fastid::opencl {

/// All devices of all platforms that work; empty where no driver is installed. \throws DeviceError if there
/// is none because drivers fail.
std::vector<model::DeviceFacts> list_opencl_devices();

/// Settings for tests, benches and tune.
struct OpenClTuning {
  /// Pairs that the device's buffer holds; if more pass, compare() runs the tile again in parts. 0: the
  /// engine's choice.
  std::size_t found_pairs = 0;
  /// Most pairs that one run of the kernel compares: its counter of pairs that passed has 32 bits and must
  /// not wrap.
  std::size_t pairs = UINT32_MAX;
  /// Queries that the device takes at once. 0: the engine's choice.
  std::size_t queries = 0;
  /// Gives the device memory of its own, even where it can work in the host's.
  bool own_memory = false;
  /// The micro-kernel to use, if the config has it, instead of the one that is expected to be faster.
  std::optional<model::MicroKernel> micro_kernel;
  /// The name of an embedded config to use instead of the one that fits the device; "": none.
  std::string config;
  /// The text of a config to use instead of the one that fits the device; "": none.
  std::string config_text;
  /// Whether built programs are kept for later runs. Not wanted where many configs are tried.
  bool keep_programs = true;
};

/// The result of the proof that a device's matrix kernel must pass before it is used.
struct MatrixReport {
  bool configured = false;  ///< the config has a matrix kernel
  std::string fault;        ///< why the device cannot use it; "" where it can
};
/// Builds the matrix kernel and compares a small problem, as the engine does before it first uses the kernel.
/// Takes seconds where programs are not cached. Does not throw if the device fails.
MatrixReport prove_matrix_kernel(const model::DeviceFacts& facts);

/// An engine on one device.
///
/// \param selector  "": the first GPU, else the first device. "P.D": device D of platform P, as in
///        list_opencl_devices(). Anything else: the first device whose own name, platform's name or
///        platform's version ("PoCL 3.1") contains it, ignoring case.
/// \throws DeviceError if there is no such device; the message names the devices there are, or the cure if
///         there are none
std::unique_ptr<engine::Engine> make_opencl_engine(const std::string& selector,
                                                   const engine::EngineOptions& options,
                                                   const OpenClTuning& tuning = {});

}  // namespace fastid::opencl
