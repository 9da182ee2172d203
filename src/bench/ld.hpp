/// \file
/// `fastid bench --ld`: all pairs of sites, with r2 computed and filtered, as bits a second. On a CPU this is
/// compared with the rate of the counting instructions (and, popcount, add), run on registers right after
/// each repeat.
///
/// Measured from sites in memory to the linked pairs in memory, including a device's transfers. Bits are the
/// bits of the products of planes: pairs of sites x people x products_of(sums_of(...)).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/rate.hpp"
#include "engine/ld.hpp"

namespace fastid::bench {

struct LdCohort {
  std::uint32_t sites = 0, people = 0;
  bool missing = false;  ///< some calls are missing
};

struct LdResult : DeviceRate {  ///< in bits
  LdCohort shape;
  std::uint64_t linked = 0;  ///< pairs
};

struct LdOptions : RateOptions {
  std::vector<LdCohort> shapes = {
      {10'000, 2504, false}, {10'000, 2504, true}, {10'000, 12'000, false}, {10'000, 12'000, true}};
};

using LdEngineMaker = std::function<std::unique_ptr<engine::LdEngine>(const std::string& device,
                                                                      const engine::LdProblem& problem)>;

/// Measures every shape on every device. \throws UsageError, DeviceError, Interrupted
std::vector<LdResult> run_ld(const LdOptions& options, const LdEngineMaker& make_engine,
                             const std::function<void(const LdResult&)>& on_result);

}  // namespace fastid::bench
