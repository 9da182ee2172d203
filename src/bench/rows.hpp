/// \file
/// `fastid bench --rows`: answers that list many rows. Comparing is a small part of such an answer. Measured
/// is the work for each row, and the processor time of each stage.
///
/// Each answer is a command of the program, run in this process on simulated people and written to a file:
/// all pairs of them, with evidence and without; all pairs of sites 100 places apart at most; some people and
/// some mixtures searched for.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/stage_time.hpp"
#include "bench/rate.hpp"

namespace fastid::bench {

struct RowsShape {
  std::uint64_t people = 1000;
  std::uint32_t sites = 2000;
  std::uint32_t queries = 20;  ///< people of the database, and as many mixtures of two to five of them
};

struct RowsResult : DeviceRate {  ///< in rows
  std::string task;               ///< "pairs", "pairs, evidence", "ld", "search -k 10", "mixture -k 10"
  RowsShape shape;
  std::uint64_t rows = 0;
  /// Medians of processor seconds. The start, reading and naming belong to no stage.
  ProcessorTime processor;

  double share_of(AnswerStage stage) const {
    return processor.all > 0 ? processor.of(stage) / processor.all : 0;
  }
};

struct RowsOptions : RateOptions {
  std::vector<RowsShape> shapes = {RowsShape{}};
  std::string scratch;  ///< folder for people and answers; "": $TMPDIR, else /tmp
};

/// Runs a command with its arguments: a parameter, since commands are above this module.
using CommandRunner = std::function<void(const std::vector<std::string>& arguments)>;

/// Measures every answer to every shape on every device. \throws what the commands throw
std::vector<RowsResult> run_rows(const RowsOptions& options, const CommandRunner& run_command,
                                 const std::function<void(const RowsResult&)>& on_result);

/// The number of answers that are measured for one shape on one device.
std::size_t rows_tasks();

}  // namespace fastid::bench
