/// \file
/// The two kernels for pairs of sites: link_sites.cl, by products of matrices of bits, and compare_sites.cl,
/// by popcounts. Which serve a problem on a device, how they are built, and how they are run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/linkage.hpp"
#include "model/config.hpp"
#include "model/device_facts.hpp"
#include "opencl/kernel/comparer.hpp"
#include "opencl/kernel/programs.hpp"
#include "opencl/site_engine.hpp"

namespace fastid {

/// What a program is built for.
struct SiteShape {
  SiteUnit unit = SiteUnit::kGenotypes;
  bool all_called = true;
  std::optional<KernelConfig> config;  ///< of compare_sites.cl, as it is compiled; no value: link_sites.cl
  bool whole = false;                  ///< of compare_sites.cl: local memory holds all words of its sites
  bool counts = false;  ///< the sums of all pairs are stored (count_sites), none is tested (find_sites)
  /// Of link_sites.cl: FASTID_MATRIX, _ROWS and _COLUMNS, _TILES and _BLOCKS.
  std::uint32_t instruction = 1, rows = 2, columns = 1, tiles = 1, blocks = 1;
};

/// The shapes that may serve a problem, the best first. \throws DeviceError, InputError (a config)
std::vector<SiteShape> site_shapes(const DeviceFacts& facts, const SiteProblem& problem,
                                   const SiteTuning& tuning);

/// What a step reads and counts: a work-item's of compare_sites.cl, a warp's of link_sites.cl.
KernelStep site_step(const SiteShape& shape);

ProgramSource site_program(const SiteShape& shape);
std::string kernel_name(const SiteShape& shape);

/// Bytes of the sites as the kernel's pack_sites() packs them, and how that is run.
std::size_t packed_bytes(const SiteShape& shape, const BlockShape& sites);
KernelLaunch pack_launch(const SiteShape& shape, const BlockShape& sites);

/// How the kernel is run for a tile. \param units  compute units of the device
KernelLaunch launch_for(const SiteShape& shape, std::size_t units, const SiteTile& tile);

/// Bytes of local memory that the kernel takes as its last argument; 0: it has none.
std::size_t local_bytes(const SiteShape& shape, const BlockShape& sites);

}  // namespace fastid
