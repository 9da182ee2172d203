/// \file
/// A problem's sites on one device, and what finds linked ones among them or counts all pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "engine/ld.hpp"
#include "engine/rectangle.hpp"
#include "opencl/device/cl_api.hpp"
#include "opencl/device/lanes.hpp"
#include "opencl/device_buffer.hpp"
#include "opencl/ld/program.hpp"

namespace fastid {

/// What a device's program reads, uploaded and packed once. \throws cl::Error (all here)
struct DeviceSites {
  DeviceSites(const cl::Context& context, const cl::Device& device, const cl::Program& program,
              const LdProgramShape& shape, const LdProblem& problem);

  cl::Context context;
  cl::Device device;
  cl::Program program;
  LdProgramShape shape;
  LdProblem problem;
  cl::CommandQueue queue;  ///< by which they came
  cl::Buffer minor, major, packed, own;
};

/// A queue of a device, and the kernel of a program with its sites. Used by one thread at a time.
class LdQueue {
 public:
  explicit LdQueue(const DeviceSites& sites);

  /// The kernel's arguments of its results begin here.
  static constexpr cl_uint kResults = 10;
  cl::Kernel& kernel() { return kernel_; }
  LaneQueue& queue() { return queue_; }
  const LaneQueue& queue() const { return queue_; }
  /// Runs the kernel for a tile.
  void run(const Rectangle& tile);

 private:
  LdProgramShape shape_;
  std::size_t units_;  ///< compute units of the device
  LaneQueue queue_;
  cl::Kernel kernel_;
};

/// Finds the linked pairs of a tile.
class LdLane {
 public:
  /// \param most_found  pairs that its buffer holds; if more pass, find() runs the tile again in parts
  LdLane(const DeviceSites& sites, std::uint32_t most_found);

  /// That the kernel ran.
  double kernel_seconds() const { return device_.queue().kernel_seconds(); }

  using PairPlaces = std::vector<std::pair<cl_uint, cl_uint>>;
  /// Appends the pairs of a tile that may be linked, and perhaps others.
  void find(const Rectangle& tile, PairPlaces& out);

 private:
  struct Found {
    cl_uint first, second;
  };

  std::size_t run(const Rectangle& tile);
  void read(std::size_t n, PairPlaces& out);

  LdQueue device_;
  std::uint32_t most_found_;
  cl::Buffer found_;
  std::vector<Found> head_;
};

/// Counts every pair of a rectangle.
class LdCountLane {
 public:
  /// \param sites  whose program counts (LdProgramShape::counts)
  explicit LdCountLane(const DeviceSites& sites) : device_(sites) {}

  double kernel_seconds() const { return device_.queue().kernel_seconds(); }

  /// \param sums  [sum][row][column], as sums_of() has them
  void count(const Rectangle& pairs, std::span<cl_uint> sums);

 private:
  LdQueue device_;
  GrowingBuffer counted_;
};

}  // namespace fastid
