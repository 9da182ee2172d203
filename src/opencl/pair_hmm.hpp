/// \file
/// The pair-HMM on the device that a word names; on an OpenCL device (kernels/pair_hmm.cl) in float. What
/// float has too few bits for, and reads that the kernel does not take, go to the CPU.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "hmm/pair_hmm.hpp"

namespace fastid::opencl {

/// \param selector  as of make_opencl_engine()
/// \param threads  of the CPU's part; 0: as many as the process may use
/// \param doubles  whether the device's double precision is used, if it has any: logarithms are taken there
/// \throws DeviceError
std::unique_ptr<hmm::LikelihoodEngine> make_opencl_likelihood_engine(const std::string& selector,
                                                                     std::size_t threads,
                                                                     bool doubles = true);

/// What computes likelihoods of reads. \param device  "auto" and "cpu" (the CPU engine: no GPU wakes
/// faster than it computes most samples), "reference", "opencl", "opencl:SELECTOR", "opencl:all";
/// "cpu:TARGET", for benches: with an instruction set \throws UsageError, DeviceError
std::unique_ptr<hmm::LikelihoodEngine> make_likelihood_engine(const std::string& device, std::size_t threads);

}  // namespace fastid::opencl
