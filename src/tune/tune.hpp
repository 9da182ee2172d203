/// \file
/// `fastid tune` from a device to a config: traits by query, table and microbenchmark; the model's answer;
/// the search; what was predicted beside what was measured. Files are the caller's business, but for their
/// texts.
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
  std::string selector;  ///< of the device, as in --device opencl:SELECTOR
  Effort effort = Effort::kNormal;
  std::optional<double> seconds;  ///< about, in place of the effort's own
  std::string program;            ///< "fastid 0.1.0 (revision ...)", for the header
  std::string report;             ///< its file's name, for the header
};

/// A prediction and what it was about.
struct Compared {
  std::string what;
  double predicted = 0, measured = 0;  ///< seconds; predicted 0: too little is known
  double ratio() const { return measured > 0 ? predicted / measured : 0; }
};

/// The problem of a run as an example: 32 queries against 20,000,000 profiles of 1,024 sites.
struct RunExample {
  model::Workload work;
  model::TilePlan tiles;
  model::RunEstimate estimate;
};

struct TuneResult {
  DeviceFacts device;
  std::string date;
  std::string known_as, known_source;  ///< its entry in the table of known devices; "": it has none
  model::DeviceTraits traits;
  std::vector<MicroTiming> timings;
  std::string standard_reason;  ///< why the default is what the device would get
  KernelConfig model_answer;
  SearchResult search;                 ///< of compare.cl
  std::optional<SearchResult> matrix;  ///< of compare_matrix.cl, where the config has it
  std::vector<model::Workload> workloads, matrix_workloads;  ///< that were timed
  KernelConfig config;                                       ///< the answer, with what was measured
  std::vector<Compared> compared;
  std::vector<RunExample> examples;
  std::string header;  ///< text
  double seconds = 0;  ///< that tuning took
};

/// \throws DeviceError, Interrupted, Failure. Nothing is written anywhere.
TuneResult tune(const TuneOptions& options);

}  // namespace fastid::tune
