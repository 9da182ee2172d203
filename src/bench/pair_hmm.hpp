/// \file
/// `fastid bench --pairhmm`: cells of the pair-HMM's tables a second, compared on a CPU with the rate of the
/// instructions that a cell takes, run on registers right after each repeat.
///
/// Measured from reads and haplotypes in memory to likelihoods in memory, transfers to a device included:
/// groups of reads of one length and haplotypes of one length, small ones and large ones.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/rate.hpp"
#include "hmm/pair_hmm.hpp"

namespace fastid::bench {

/// A group: the lengths of its reads and of its haplotypes, and the number of each.
struct HmmShape {
  std::uint32_t rows = 0, columns = 0;
  std::uint32_t reads = 0, haplotypes = 0;
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
  std::vector<HmmShape> shapes = {{101, 162, 8, 4},   {151, 250, 8, 4},   {250, 400, 8, 4},
                                  {101, 162, 64, 32}, {151, 250, 64, 32}, {250, 400, 64, 32}};
};

using LikelihoodEngineMaker =
    std::function<std::unique_ptr<hmm::LikelihoodEngine>(const std::string& device, std::size_t threads)>;

/// Measures every shape on every device, with as many groups as take a quarter of a second, or 256 MiB.
/// \throws UsageError, DeviceError, Interrupted
HmmReport run_hmm(const HmmOptions& options, const LikelihoodEngineMaker& make_engine,
                  const std::function<void(const HmmResult&)>& on_result);

}  // namespace fastid::bench
