/// \file
/// From `--device` to an engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "asking/device_options.hpp"
#include "engine/engine.hpp"
#include "engine/epistasis.hpp"
#include "engine/ld.hpp"
#include "engine/similarity.hpp"
#include "engine/vector_blocks.hpp"
#include "opencl/counting_engines.hpp"

namespace fastid::asking {

/// `device`: "auto" (the shortest predicted time for the problem: auto_engine.hpp), "cpu", "reference",
/// "opencl", "opencl:SELECTOR", "opencl:all" (the devices of devices_to_combine() together). \throws
/// UsageError (unknown word), DeviceError (no such device).
std::unique_ptr<engine::Engine> make_engine(const std::string& device, const engine::EngineOptions& options);

/// The same for a process, which may be one of several on a host.
std::unique_ptr<engine::Engine> make_engine_on(const DeviceOptions& on);

/// How many devices compute together, each with its share of --memory: more than one for "opencl:all" alone,
/// where this process does not take one of them.
std::size_t n_devices(const DeviceOptions& on);

/// What finds linked sites, as `on` says: make_engine()'s words, the config of popcounts, and the memory that
/// the sites may take on all devices. \param on  auto becomes the device of the shortest predicted time for
/// n_pairs pairs \throws UsageError, also where the sites take more memory; DeviceError, InputError (the
/// config)
std::unique_ptr<engine::LdEngine> make_ld_engine_on(
    DeviceOptions& on, const engine::LdProblem& problem, std::uint64_t n_pairs,
    opencl::BitProducts products = opencl::BitProducts::kBest);

/// What finds combinations of sites that go with a trait, likewise; no config is used.
std::unique_ptr<engine::EpistasisEngine> make_epistasis_engine_on(
    DeviceOptions& on, const engine::EpistasisProblem& problem,
    opencl::BitProducts products = opencl::BitProducts::kBest);

/// What multiplies vectors of bits or of numbers, likewise. \param vectors  whose owner must outlive the
/// engine \param n_combinations  pairs or triples that are asked for
std::unique_ptr<engine::SimilarityEngine> make_similarity_on(DeviceOptions& on,
                                                             const engine::VectorBlocks& vectors,
                                                             std::uint64_t n_combinations);

}  // namespace fastid::asking
