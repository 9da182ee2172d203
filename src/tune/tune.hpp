/// \file
/// `fastid tune` from a device to a config: traits from the driver, the table and microbenchmarks; the
/// model's answer; the search; predictions beside measurements. The caller writes the files; their texts are
/// made here.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "model/transfer.hpp"
#include "opencl/devices.hpp"
#include "tune/choose/header.hpp"
#include "tune/choose/search.hpp"
#include "tune/measure/micro.hpp"

namespace fastid::tune {

enum class Effort { kQuick, kNormal, kFull };

struct TuneOptions {
  std::string selector;  ///< selects the device, as in --device opencl:SELECTOR
  Effort effort = Effort::kNormal;
  std::optional<double> seconds;  ///< approximate limit, in place of the effort's
  std::string program;            ///< "fastid 0.1.0 (revision ...)", for the header
  std::string report;             ///< name of the report's file, for the header
};

/// A prediction and the measurement of the same run.
struct Compared {
  std::string what;
  double predicted = 0, measured = 0;  ///< seconds; predicted is 0 where too little is known
  double ratio() const { return measured > 0 ? predicted / measured : 0; }
};

/// The run that serves as an example: 32 queries against 20,000,000 profiles of 1,024 sites.
struct RunExample {
  model::Workload work;
  model::TilePlan tiles;
  model::RunEstimate estimate;
};

struct TuneResult {
  model::DeviceFacts device;
  std::string date;
  std::string known_as, known_source;  ///< its entry in the table of known devices; "": it has none
  model::DeviceTraits traits;
  std::vector<MicroTiming> timings;
  std::string standard_reason;  ///< why the device would get the default
  model::KernelConfig model_answer;
  SearchResult search;                 ///< the search for compare.cl's numbers
  std::optional<SearchResult> matrix;  ///< for compare_matrix.cl, where the config has that kernel
  std::vector<model::Workload> workloads, matrix_workloads;  ///< workloads that were timed
  model::KernelConfig config;                                ///< the answer, with the measured numbers
  double ld_rate = 0;  ///< bits a second of the config's ld.cl; 0: not measured
  std::vector<Compared> compared;
  std::vector<RunExample> examples;
  std::string header;  ///< text
  double seconds = 0;  ///< time that tuning took
};

/// \throws DeviceError, Interrupted, Failure. Writes no files.
TuneResult tune(const TuneOptions& options);

}  // namespace fastid::tune
