/// \file
/// Chooses the kernels for a problem, builds them with the device's config, proves those that a device must
/// prove before they are used, and packs the problem's queries for them:
///
///   build_and_pack()    a QueryGroup for each kernel (split_queries() of problem_work.hpp says which)
///   compare_program()   compare_matrix.cl or compare.cl, built and proved
///   pack_compared()     its queries on the device (comparer.cpp), in QueryGroup::make, which makes
///   Comparer            the kernels of one worker, with its tile and thresholds
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/engine.hpp"
#include "opencl/device/cl_api.hpp"
#include "opencl/kernel/comparer.hpp"
#include "opencl/kernel/programs.hpp"
#include "opencl/opencl_engine.hpp"
#include "opencl/worker/opencl_worker.hpp"

namespace fastid::opencl {

/// Thread-safe: while one thread builds a kernel, others may ask what is known so far.
class KernelBuilder {
 public:
  /// \param configs    those that the device can run, best first
  /// \param is_chosen  whether the user named the config: if it does not build, that is then an error
  KernelBuilder(const OpenClContext& context, std::vector<model::KernelConfig> configs, bool is_chosen,
                const OpenClTuning& tuning);

  KernelBuilder(const KernelBuilder&) = delete;
  KernelBuilder& operator=(const KernelBuilder&) = delete;

  /// The problem's queries, each in the group of the kernel that finds its pairs. A kernel is built once for
  /// each kind of problem. \param threads  that may pack \throws DeviceError, KernelBuildError, KernelFault;
  /// cl::Error
  std::vector<QueryGroup> build_and_pack(const engine::Problem& problem, std::size_t threads);

  /// How long comparing is expected to take; 0: not known, since no config is left.
  double expected_seconds(const engine::Problem& problem) const;
  /// What a step of the kernel that is expected to serve a problem reads and counts.
  engine::KernelStep step(const engine::Problem& problem) const;

  /// The config in use; null: none. It changes when a config does not build.
  std::shared_ptr<const model::KernelConfig> config() const;
  /// Whether the matrix kernel served a problem.
  bool uses_matrix() const { return uses_matrix_; }
  /// Why the device cannot use the config's matrix kernel; "": no fault is known.
  std::string matrix_fault() const;

 private:
  double seconds_of(const model::KernelConfig& config, const engine::Problem& problem) const;
  bool wants_matrix(const engine::Problem& problem, const model::KernelConfig& config,
                    const MatrixShape& shape) const;
  CompareProgram compare_program(const engine::Problem& problem);
  std::optional<CompareProgram> by_matrix(const engine::Problem& problem, const model::KernelConfig& config);
  CompareProgram by_popcounts(const engine::Problem& problem, const model::KernelConfig& config);
  cl::Program weigh_program(const engine::Problem& problem);
  cl::Program screen_program(std::size_t n_queries);
  template <class MakeProof, class Pack>
  void prove(const ProgramSource& source, std::string_view answers, const MakeProof& make_proof,
             const Pack& pack);
  cl::Program program(const ProgramSource& source);

  OpenClContext context_;
  const model::DeviceFacts& facts_;  ///< of context_
  bool is_chosen_;
  OpenClTuning tuning_;
  ProgramCache cache_;
  std::mutex building_;  ///< of the members below, up to `known_`; locked while a kernel is built
  std::map<std::string, cl::Program> programs_;
  mutable std::mutex known_;  ///< of the members below; locked only briefly. The building thread writes them
  std::deque<std::shared_ptr<const model::KernelConfig>> configs_;
  std::string matrix_fault_;
  std::atomic<bool> uses_matrix_ = false;
};

}  // namespace fastid::opencl
