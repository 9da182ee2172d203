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
#include "opencl/device/device_queue.hpp"
#include "opencl/device/found_list.hpp"
#include "opencl/device_buffer.hpp"
#include "opencl/ld/program.hpp"

namespace fastid::opencl {

/// What a device's program reads, uploaded and packed once. \throws cl::Error (all here)
struct DeviceSites {
  DeviceSites(const cl::Context& context, const cl::Device& device, const cl::Program& program,
              const LdProgramShape& shape, const engine::LdProblem& problem);

  cl::Context context;
  cl::Device device;
  cl::Program program;
  LdProgramShape shape;
  engine::LdProblem problem;
  cl::CommandQueue queue;  ///< by which they came
  cl::Buffer minor, major, packed, own;
};

/// A queue of a device, and the kernel of a program with its sites. Used by one thread at a time.
class SiteKernel {
 public:
  explicit SiteKernel(const DeviceSites& sites);

  /// Where the kernel's arguments begin: of the sites, of a tile, and of its results.
  enum Argument : cl_uint { kSites = 0, kTile = 6, kResults = 10 };
  cl::Kernel& kernel() { return kernel_; }
  DeviceQueue& queue() { return queue_; }
  const DeviceQueue& queue() const { return queue_; }
  /// Runs the kernel for a tile.
  void run(const engine::Rectangle& tile);

 private:
  LdProgramShape shape_;
  std::size_t units_;  ///< compute units of the device
  DeviceQueue queue_;
  cl::Kernel kernel_;
};

/// The places of two sites, as kernels append them to a buffer, whose head has their number first.
struct LdPlaces {
  cl_uint first, second;
};

/// Finds the linked pairs of a tile.
class LdQueue {
 public:
  /// \param most_found  pairs that its buffer holds; if more pass, find() runs the tile again in parts
  LdQueue(const DeviceSites& sites, std::uint32_t most_found);

  /// That the kernel ran.
  double kernel_seconds() const { return kernel_.queue().kernel_seconds(); }

  /// Appends the pairs of a tile that may be linked, and perhaps others.
  void find(const engine::Rectangle& tile, std::vector<LdPlaces>& out);

 private:
  SiteKernel kernel_;
  std::uint32_t most_found_;
  cl::Buffer found_;
  FoundList<LdPlaces> list_;
};

/// Counts every pair of a rectangle.
class LdCountQueue {
 public:
  /// \param sites  whose program counts (LdProgramShape::counts)
  explicit LdCountQueue(const DeviceSites& sites) : kernel_(sites) {}

  double kernel_seconds() const { return kernel_.queue().kernel_seconds(); }

  /// \param sums  [sum][row][column], as sums_of() has them
  void count(const engine::Rectangle& pairs, std::span<cl_uint> sums);

 private:
  SiteKernel kernel_;
  GrowingBuffer counted_;
};

}  // namespace fastid::opencl
