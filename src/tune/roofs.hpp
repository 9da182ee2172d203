/// \file
/// What bounds the kernels of an OpenCL device: how fast it reads its memories and counts bits, with all of
/// its work-groups and with some.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/engine.hpp"
#include "model/traits.hpp"
#include "tune/measure/micro.hpp"

namespace fastid::tune {

/// Rates a second; 0: not measured.
struct RoofRates {
  double memory = 0;     ///< bytes read of global memory
  double local = 0;      ///< bytes read of local memory
  double popcounts = 0;  ///< bits, by popcount and add
  double logic = 0;      ///< bits, by (a & b) ^ c
  double compared = 0;   ///< bits that compare.cl compares
};

struct DeviceRoofs {
  bool is_cpu = false;
  bool by_popcount = true;  ///< whether the config's kernels count by popcount(); else it is no bound
  RoofRates best;           ///< of any number of work-groups
  double adders = 0;        ///< bits a second counted behind the config's full adders; 0: it has none
  double matrix = 0;        ///< bits a second that the matrix unit multiplies; 0: it has none
  struct Some {
    std::size_t groups = 0;
    RoofRates rates;
  };
  std::vector<Some> by_groups;  ///< 1, 2, 4 ...
};

/// Bits a second that compare.cl compares with so many work-groups.
using CompareRate = std::function<double(std::size_t groups)>;

/// Bits a second that are counted where full adders of so many levels come first: it is bounded by the slower
/// of a comparison and popcount for each chunk of words, and two logic operations for each adder.
double adder_rate(const RoofRates& rates, std::uint32_t carry_levels);

/// A device's memories and instructions. Local memory is measured where the device has its own; a CPU's lies
/// in its caches.
/// \param base  compute units, and thread group
/// \param matrix  whether it has NVIDIA's instruction for matrices of bits
/// \param compare  may be empty
/// \throws DeviceError, Interrupted
DeviceRoofs measure_roofs(MicroDevice& device, const model::DeviceTraits& base, bool matrix,
                          const CompareRate& compare, const MicroOptions& options);

/// measure_roofs() for the device of a selector, with compare.cl by the device's config, or by the config
/// that `engine` names. \throws InputError (the config's file), DeviceError (the device cannot run it),
/// Interrupted
DeviceRoofs measure_roofs(const std::string& selector, const engine::EngineOptions& engine,
                          const MicroOptions& options);

}  // namespace fastid::tune
