#include "opencl/kernel_choice.hpp"

#include <algorithm>

#include "engine/kernel_case.hpp"
#include "opencl/kernel/comparer.hpp"
#include "opencl/kernel/matrix_comparer.hpp"

namespace fastid {
namespace {

constexpr double kGiga = 1e9, kMega = 1e6;

std::uint64_t filled(std::uint64_t value, std::uint64_t step) {
  return ceil_div(value, step) * step;
}

std::uint64_t profile_bytes(const Problem& problem) {
  const std::uint64_t planes = reads_called(kernel_case(problem)) ? 2 : 1;
  return planes * problem.database.n_words() * sizeof(Word);
}

ProfileWork popcount_work(const Problem& problem, const KernelConfig& config) {
  const std::uint64_t products = counts_pair_denominators(problem) ? 2 : 1;
  return {.rows = filled(problem.queries->n_rows(), config.m_c),
          .sites = products * problem.database.n_words() * kWordBits,
          .bytes = profile_bytes(problem),
          .rate = kGiga * config.rate_popcount,
          .start = config.start_popcount};
}

ProfileWork matrix_work(const Problem& problem, const KernelConfig& config, const MatrixShape& shape) {
  return {
      .rows = filled(problem.queries->n_rows(), shape.group_queries()),
      .sites = matrix_products(problem, shape) * filled(problem.database.n_words(), kMatrixStep) * kWordBits,
      .bytes = profile_bytes(problem) * (shape.own_bits ? 2 : 1),
      .rate = kGiga * config.rate_matrix,
      .start = config.start_matrix};
}

}  // namespace

double profile_seconds(const ProfileWork& work, double memory) {
  const double comparing =
      static_cast<double>(work.rows) * static_cast<double>(work.sites + work.start) / work.rate;
  return std::max(comparing, memory > 0 ? static_cast<double>(work.bytes) / memory : 0);
}

double compare_seconds(const Problem& problem, const KernelConfig& config, const MatrixShape* matrix) {
  const ProfileWork work =
      matrix != nullptr ? matrix_work(problem, config, *matrix) : popcount_work(problem, config);
  if (!(work.rate > 0)) return 0;
  return static_cast<double>(problem.database.n_profiles) *
         profile_seconds(work, kMega * config.hw_memory_mbytes);
}

bool matrix_is_faster(const Problem& problem, const KernelConfig& config, const MatrixShape& shape) {
  if (config.matrix == 0 || config.rate_matrix == 0) return false;
  if (config.rate_popcount == 0) return true;
  return compare_seconds(problem, config, &shape) < compare_seconds(problem, config, nullptr);
}

}  // namespace fastid
