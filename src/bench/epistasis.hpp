/// \file
/// `fastid bench --epistasis`: combinations of two or three sites times people a second, compared on a CPU
/// with the rate of the instructions (and, popcount, add) that count the cells of a table, run on registers
/// right after each repeat: 8 cells of three sites (27 where calls are missing), 9 of two.
///
/// Measured from sites in memory to the best ten combinations, half of the people cases.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/rate.hpp"
#include "engine/epistasis.hpp"

namespace fastid::bench {

struct EpistasisShape {
  std::uint32_t sites = 0, people = 0;
  bool missing = false;   ///< 2 % of calls are missing
  std::uint32_t way = 3;  ///< or 2
};

struct EpistasisResult : DeviceRate {  ///< in combinations times people
  EpistasisShape shape;
  std::uint64_t combinations = 0;
};

struct EpistasisOptions : RateOptions {
  std::vector<EpistasisShape> shapes = {{400, 1600}, {300, 4000}};
};

using EpistasisEngineMaker = std::function<std::unique_ptr<engine::EpistasisEngine>(
    const std::string& device, const engine::EpistasisProblem& problem)>;

/// Measures every shape on every device. \throws UsageError, DeviceError, Interrupted
std::vector<EpistasisResult> run_epistasis(const EpistasisOptions& options,
                                           const EpistasisEngineMaker& make_engine,
                                           const std::function<void(const EpistasisResult&)>& on_result);

}  // namespace fastid::bench
