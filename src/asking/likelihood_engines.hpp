/// \file
/// From `--device` to an engine of the pair-HMM.
#pragma once

#include <memory>
#include <string>

#include "hmm/pair_hmm.hpp"

namespace fastid {

/// `device`: "auto" and "cpu" (the native engine: no GPU wakes faster than it computes most samples),
/// "reference", "opencl", "opencl:SELECTOR". \throws UsageError (unknown word), DeviceError (no such device).
std::unique_ptr<hmm::LikelihoodEngine> make_likelihood_engine(const std::string& device, std::size_t threads);

}  // namespace fastid
