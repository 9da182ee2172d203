/// \file
/// Kernels for problems: which of them a device runs, built by its config, and proved where that is in doubt.
#pragma once

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/engine.hpp"
#include "opencl/device/cl_api.hpp"
#include "opencl/kernel/comparer.hpp"
#include "opencl/kernel/matrix_comparer.hpp"
#include "opencl/kernel/program_cache.hpp"
#include "opencl/kernel/programs.hpp"
#include "opencl/opencl_engine.hpp"
#include "opencl/worker/opencl_worker.hpp"

namespace fastid {

/// A problem's kernel as it was built.
struct Kernels {
  cl::Program program;
  std::variant<BlockedShape, MatrixShape> shape;

  /// Packs the problem's queries for it.
  ComparerMaker pack(const OpenClContext& context, const Problem& problem) const;
};

/// Thread-safe: while one thread has a kernel built, others may ask what is known so far.
class KernelBuilder {
 public:
  /// \param configs    that the device can run, best first
  /// \param is_chosen  by the user: a config that does not build is then an error, not left out
  KernelBuilder(const OpenClContext& context, const DeviceFacts& facts, std::vector<KernelConfig> configs,
                bool is_chosen, const OpenClTuning& tuning);

  /// Built once for each kind of problem. \throws DeviceError, KernelBuildError
  Kernels kernels_for(const Problem& problem);

  /// That comparing takes; 0: it is not known, for no config is left.
  double expected_seconds(const Problem& problem) const;

  /// The config in use, null: none. Changes when one does not build.
  std::shared_ptr<const KernelConfig> config() const;
  /// Whether the matrix kernel served a problem.
  bool uses_matrix() const { return uses_matrix_; }
  /// Why the matrix kernel is not used though the config has it; "": nothing is wrong with it.
  std::string matrix_fault() const;

 private:
  void leave_out_config();
  void leave_out_matrix(std::string fault);
  bool wants_matrix(const Problem& problem, const KernelConfig& config, const MatrixShape& shape) const;
  std::optional<Kernels> matrix_kernels(const Problem& problem, const KernelConfig& config);
  std::string prove(const Kernels& kernels, const Problem& problem, const MatrixShape& shape) const;
  Kernels blocked_kernels(const Problem& problem, const KernelConfig& config);
  cl::Program program(const ProgramSource& source);

  OpenClContext context_;
  DeviceFacts facts_;
  bool is_chosen_;
  OpenClTuning tuning_;
  ProgramCache cache_;
  std::mutex building_;  ///< of what follows, and held while a kernel is built
  std::map<std::string, cl::Program> programs_;
  std::map<std::string, bool> proved_;  ///< matrix kernels by their programs' keys
  mutable std::mutex known_;            ///< of what follows, never for long; written by who builds
  std::deque<std::shared_ptr<const KernelConfig>> configs_;
  std::string matrix_fault_;
  std::atomic<bool> uses_matrix_ = false;
};

}  // namespace fastid
