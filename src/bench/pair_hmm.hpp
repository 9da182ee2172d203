/// \file
/// `fastid bench --pairhmm`: cells of the pair-HMM's tables a second, compared on a CPU with the rate of the
/// instructions that a cell takes, run on registers right after each repeat.
///
/// Measured from reads and haplotypes in memory to likelihoods in memory, transfers to a device included:
/// reads of one length beside haplotypes of one length, 32 reads with 8 haplotypes each as around an active
/// site.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/rate.hpp"
#include "hmm/pair_hmm.hpp"

namespace fastid::bench {

/// Lengths of the reads and of the haplotypes.
struct HmmShape {
  std::uint32_t rows = 0, columns = 0;
};

struct HmmResult : DeviceRate {  ///< in cells
  HmmShape shape;
  std::uint64_t pairs = 0;
  std::uint64_t rescued = 0;
};

struct HmmReport {
  std::vector<std::string> engines;
  std::vector<HmmResult> results;
};

struct HmmOptions : RateOptions {
  std::vector<HmmShape> shapes = {{101, 162}, {151, 250}, {250, 400}};
};

using LikelihoodEngineMaker =
    std::function<std::unique_ptr<hmm::LikelihoodEngine>(const std::string& device, std::size_t threads)>;

/// Measures every shape on every device, with as many pairs as take a quarter of a second, or a million.
/// \throws UsageError, DeviceError, Interrupted
HmmReport run_hmm(const HmmOptions& options, const LikelihoodEngineMaker& make_engine,
                  const std::function<void(const HmmResult&)>& on_result);

}  // namespace fastid::bench
