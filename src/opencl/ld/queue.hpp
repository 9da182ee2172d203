/// \file
/// A problem's sites on one device, and what finds linked ones among them or counts all pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/ld.hpp"
#include "engine/rectangle.hpp"
#include "opencl/device/cl_api.hpp"
#include "opencl/device/found_list.hpp"
#include "opencl/device_buffer.hpp"
#include "opencl/kernel/programs.hpp"
#include "opencl/ld/program.hpp"
#include "opencl/worker/transfers.hpp"

namespace fastid::opencl {

/// The sites of a problem on a device, uploaded once and packed once for a program. \throws cl::Error (all
/// here)
struct SitesOnDevice {
  SitesOnDevice(const ProgramOn<LdProgramShape>& built, const engine::LdProblem& problem);
  /// The same for another program that packs them likewise.
  SitesOnDevice with(const ProgramOn<LdProgramShape>& other) const;

  ProgramOn<LdProgramShape> built;
  engine::LdProblem problem;
  cl::Buffer minor, major, packed, own;
};

/// The places of two sites, as kernels append them to a buffer, whose head has their number first.
struct LdPlaces {
  cl_uint first, second;
};

/// A queue of a device, and a program's kernel with its sites. Used by one thread at a time.
class LdQueue {
 public:
  /// \param sites  must outlive this \param most_found  pairs that its buffer holds; if more pass, find()
  /// runs the tile again in parts
  explicit LdQueue(const SitesOnDevice& sites, std::uint32_t most_found = 0);

  /// How long the kernel ran.
  double kernel_seconds() { return queue_.kernel_seconds(); }

  /// Appends the pairs of a tile that may be linked, and perhaps others. By a program that does not count.
  void find(const engine::Rectangle& tile, std::vector<LdPlaces>& out);
  /// Counts every pair of a rectangle: [row][column]. By a program that counts (LdProgramShape::counts).
  void count(const engine::Rectangle& pairs, std::span<engine::LdCounts> out);

 private:
  /// Where the kernel's arguments begin: of the sites, of a tile, and of its results.
  enum Argument : cl_uint { kSites = 0, kTile = 6, kResults = 10 };
  void run(const engine::Rectangle& tile);

  const SitesOnDevice& sites_;
  std::size_t compute_units_;  ///< of the device
  DeviceQueue queue_;
  cl::Kernel kernel_;
  std::uint32_t most_found_;
  GrowingBuffer results_;
  FoundList<LdPlaces> list_;
};

}  // namespace fastid::opencl
