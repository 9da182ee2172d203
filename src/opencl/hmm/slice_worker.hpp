/// \file
/// What takes slices of groups to a device, one after the other, and brings their likelihoods back.
#pragma once

#include <array>
#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "hmm/pair_hmm.hpp"
#include "opencl/device_buffer.hpp"
#include "opencl/devices.hpp"
#include "opencl/hmm/slices.hpp"
#include "opencl/kernel/programs.hpp"
#include "opencl/worker/transfers.hpp"

namespace fastid::opencl {

/// A device with the programs of kernels/pair_hmm.cl that were asked for. Thread-safe.
class HmmDevice {
 public:
  /// \param doubles  whether logarithms are taken on the device, if it has double precision
  HmmDevice(OpenClDevice device, bool doubles);

  const cl::Device& device() const { return device_; }
  const cl::Context& context() const { return context_; }
  const model::DeviceFacts& facts() const { return facts_; }
  /// 10^(-q/10) of each quality q.
  const cl::Buffer& rates() const { return rates_; }
  /// Whether kernels give log10 of likelihoods, in double; else scaled likelihoods, in float.
  bool logarithms() const { return logarithms_; }

  std::size_t pairs_of_group(HmmShape shape) const;
  cl::Program program(HmmShape shape);

 private:
  model::DeviceFacts facts_;
  cl::Device device_;
  cl::Context context_;
  ProgramCache cache_;
  cl::Buffer rates_;
  bool logarithms_;
  std::mutex guard_;  ///< of programs_
  std::map<HmmShape, std::optional<cl::Program>> programs_;
};

/// A queue, pinned memory and buffers, which are kept from slice to slice. Used by one thread at a time.
class SliceWorker {
 public:
  /// \param device  must outlive this
  explicit SliceWorker(HmmDevice& device);

  /// Sets log10 of the likelihoods of the slice's pairs: NaN where float has too few bits, or the kernel does
  /// not take the read. \param log10  of the slice's reads \throws cl::Error, after which this must only be
  /// drained
  void compute(const hmm::Groups& groups, const HmmSlice& slice, std::span<double> log10);

  /// Waits for what still uses memory of the host.
  void drain() noexcept;

 private:
  struct Buffers {
    cl::Buffer order, pairs, rows, bases, starts, results;
  };

  void reserve_staging(std::size_t reads, std::size_t writes);
  Buffers upload(const hmm::Groups& groups, const HmmSlice& slice, std::size_t results);
  void launch(const Buffers& buffers, const HmmSlice& slice, cl_uint first_base);

  HmmDevice& device_;
  cl::CommandQueue queue_;
  std::unique_ptr<Staging> staging_;
  std::optional<DeviceQueue> transfers_;
  std::array<GrowingBuffer, 6> buffers_;
  std::vector<float> sums_;  ///< where the device takes no logarithms
};

}  // namespace fastid::opencl
