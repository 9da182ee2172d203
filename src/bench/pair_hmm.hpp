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

#include "hmm/pair_hmm.hpp"

namespace fastid::bench {

/// Lengths of the reads and of the haplotypes.
struct HmmShape {
  std::uint32_t rows = 0, columns = 0;
};

struct HmmResult {
  std::string device;
  HmmShape shape;
  std::uint64_t pairs = 0;
  std::size_t repeats = 0;
  double seconds = 0;  ///< median over the repeats, as the next two
  double rate = 0;     ///< cells a second
  double bound = 0;    ///< cells a second by instructions on registers; 0: not known
  std::uint64_t rescued = 0;

  /// Share of the bound; 0: not known.
  double share() const { return bound > 0 ? rate / bound : 0; }
};

struct HmmReport {
  std::vector<std::string> engines;
  std::vector<HmmResult> results;
};

struct HmmOptions {
  std::vector<std::string> devices = {"cpu"};
  std::size_t threads = 0;  ///< 0: as many as the process may use
  std::vector<HmmShape> shapes = {{101, 162}, {151, 250}, {250, 400}};
  std::size_t repeats = 11;
  std::uint64_t seed = 1;
};

using LikelihoodEngineMaker =
    std::function<std::unique_ptr<hmm::LikelihoodEngine>(const std::string& device, std::size_t threads)>;

/// Measures every shape on every device, with as many pairs as take a quarter of a second, or a million.
/// \throws UsageError, DeviceError, Interrupted
HmmReport run_hmm(const HmmOptions& options, const LikelihoodEngineMaker& make_engine,
                  const std::function<void(const HmmResult&)>& on_result);

}  // namespace fastid::bench
