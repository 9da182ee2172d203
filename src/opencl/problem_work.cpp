#include "opencl/problem_work.hpp"

#include "engine/kernel_case.hpp"
#include "engine/screen_count.hpp"
#include "engine/weighted_count.hpp"
#include "opencl/kernel/blocked_comparer.hpp"
#include "opencl/kernel/matrix_comparer.hpp"

namespace fastid {
namespace {

// How many words compare.cl counts the bits of for each word of a pair.
std::uint32_t counted_words(const Problem& problem) {
  const KernelCase which = kernel_case(problem);
  if (!counts_both_alleles(which)) return counts_pair_denominators(problem) ? 2 : 1;
  const Terms terms = terms_of(which);
  std::uint32_t words = 0;
  for (const Term& term : terms.counted()) words += term.weight;
  return words;
}

}  // namespace

model::Workload workload_of(const Problem& problem) {
  constexpr std::uint64_t kBitsOfChain = 100;  // that are compared while a chain passes a site
  const std::uint64_t times = screen_of(problem) != nullptr ? kBitsOfChain : 1;
  return {times * problem.queries->n_rows(), problem.database.n_profiles, problem.database.n_sites,
          problem.has_second ? 2u : 1u};
}

model::KernelWork kernel_work_of(const Problem& problem, const KernelConfig& config,
                                 const MatrixShape* matrix) {
  model::Workload work = workload_of(problem);
  work.planes = reads_second(kernel_case(problem)) ? 2 : 1;
  if (matrix == nullptr) {
    model::KernelWork made = model::kernel_work(MicroKernel::kPopcount, config, work);
    made.sites *= counted_words(problem);
    return made;
  }
  model::KernelWork made = model::kernel_work(MicroKernel::kMatrix, config, work);
  const std::uint64_t at_once = matrix->group_queries();
  made.rows = ceil_div(work.queries, at_once) * at_once;
  made.sites *= matrix_products(problem, *matrix);
  made.bytes *= matrix->own_bits ? 2 : 1;
  return made;
}

KernelStep blocked_step(const Problem& problem, const KernelConfig& config) {
  const KernelCase which = kernel_case(problem);
  return kernel_step({config.m_r, static_cast<double>(query_words(which))},
                     {config.columns(), reads_second(which) ? 2.0 : 1.0}, counted_words(problem));
}

model::KernelWork weigh_work_of(const Problem& problem, const WeightedCount& count) {
  const std::uint64_t words = problem.database.n_words(), planes = problem.has_second ? 2 : 1;
  std::uint64_t sets = 0;
  for (const WeightedCount::OfQuery& of : count.weighted()) sets += of.weights.size();
  return {.profiles = problem.database.n_profiles,
          .rows = sets,
          .sites = words * kWordBits * SiteWeightsByKind::kBits,
          .bytes = sets * planes * words * sizeof(Word)};
}

}  // namespace fastid
