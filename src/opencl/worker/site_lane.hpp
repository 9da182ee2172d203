/// \file
/// A problem's sites on one device, and what looks for linked ones among them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "engine/linkage.hpp"
#include "opencl/device/cl_api.hpp"
#include "opencl/kernel/site_kernels.hpp"

namespace fastid {

/// What a device's program reads, uploaded and packed once. \throws cl::Error (all here)
struct DeviceSites {
  DeviceSites(const cl::Context& context, const cl::Device& device, const cl::Program& program,
              const SiteShape& shape, const SiteProblem& problem);

  cl::Context context;
  cl::Device device;
  cl::Program program;
  SiteShape shape;
  SiteProblem problem;
  cl::CommandQueue queue;  ///< by which they came
  cl::Buffer minor, major, packed, own;
};

/// A queue of a device with a tile in it. Used by one thread at a time.
class SiteLane {
 public:
  /// \param most_found  pairs that its buffer holds; if more pass, find() runs the tile again in parts
  SiteLane(const DeviceSites& sites, std::uint32_t most_found);

  /// That the kernel ran.
  double kernel_seconds() const { return seconds_; }

  using PairPlaces = std::vector<std::pair<cl_uint, cl_uint>>;
  /// Appends the pairs of a tile that may be linked, and perhaps others.
  void find(const SiteTile& tile, PairPlaces& out);

 private:
  struct Found {
    cl_uint first, second;
  };

  void set_arguments(const DeviceSites& sites);
  std::size_t run(const SiteTile& tile);
  void read(std::size_t n, PairPlaces& out);

  SiteShape shape_;
  std::uint32_t most_found_;
  std::size_t units_;  ///< compute units of the device
  cl::CommandQueue queue_;
  cl::Kernel find_;
  cl::Buffer found_;
  std::vector<Found> head_;
  double seconds_ = 0;
};

}  // namespace fastid
