/// \file
/// `fastid bench --roofline`: what bounds the kernels that count bits on each device, and where they lie
/// below these bounds.
///
///   bits a second |        ________________ and, popcount, add
///                 |   L1 / L2 / memory       x a search with 256 queries
///                 |     /  /   /
///                 |    /  /   /  x a search with one query
///                 +-----------------------------
///                   bits counted for each byte that a step of the kernel reads (engine/kernel_step.hpp)
///
/// Source. The cache-aware roofline: A. Ilic, F. Pratas, L. Sousa 2014. For epistasis: R. Campos, D. Marques,
/// S. Santander-Jimenez, L. Sousa, A. Ilic, Heterogeneous CPU+iGPU Processing for Efficient Epistasis
/// Detection, Euro-Par 2020.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bench/bench.hpp"
#include "bench/epistasis.hpp"
#include "bench/ld.hpp"
#include "bench/rate.hpp"
#include "bench/similarity.hpp"
#include "tune/roofs.hpp"

namespace fastid::bench {

/// A kernel of a question with some data.
struct KernelPoint {
  std::string name;            ///< the question's name, with a search's queries: "search 256", "ld"
  std::uint64_t queries = 0;   ///< 0: the question has none
  std::uint64_t profiles = 0;  ///< or vectors
  std::uint64_t sites = 0;     ///< or elements of each vector
  double intensity = 0;        ///< bits counted for each byte that a step reads
  double rate = 0;             ///< bits counted a second
};

/// A rate by the number of threads or of work-groups.
struct Growth {
  std::string name;
  bool bytes = false;         ///< whether the unit is bytes; else bits
  std::vector<double> rates;  ///< [DeviceRoofline::counts]; 0: not measured
};

struct DeviceRoofline {
  std::string device;       ///< as in RateOptions::devices
  std::string description;  ///< Engine::description()
  std::vector<Peak> roofs;  ///< levels of memory, the nearest first; then instructions
  std::vector<KernelPoint> points;
  bool work_groups = false;         ///< whether `counts` are numbers of work-groups, else of threads
  std::vector<std::size_t> counts;  ///< ascending
  std::vector<Growth> growth;
};

/// A roof, and the share of it that a kernel reaches.
struct NextRoof {
  std::string name;
  double share = 0;
};

/// The lowest roof above a point, among the levels of memory and the fastest instruction. Where the point is
/// above all roofs, the fastest instruction; no name where there is none.
NextRoof next_roof(const DeviceRoofline& of, const KernelPoint& point);

struct RooflineReport {
  std::size_t threads = 0;
  std::vector<DeviceRoofline> devices;
};

struct RooflineOptions : RateOptions {
  engine::EngineOptions engine;
  bool quick = false;  ///< smaller problems
};

/// Makes the engines of each question, and measures a device.
struct RooflineEngines {
  EngineMaker search;
  LdEngineMaker sites;
  EpistasisEngineMaker epistasis;
  SimilarityEngineMaker similarity;
  /// The roofs of an OpenCL device; no value for "cpu". \throws UsageError: another word
  std::function<std::optional<tune::DeviceRoofs>(const std::string& device)> roofs;
};

/// Called after each step of the work, of roofline_steps() for a device.
using OnStep = std::function<void()>;
std::size_t roofline_steps();

/// \throws UsageError, DeviceError, Interrupted
RooflineReport run_roofline(const RooflineOptions& options, const RooflineEngines& engines,
                            const OnStep& on_step);

}  // namespace fastid::bench
