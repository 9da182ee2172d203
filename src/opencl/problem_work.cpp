#include "opencl/problem_work.hpp"

#include "engine/kernel_case.hpp"
#include "engine/screen_count.hpp"
#include "engine/weighted_count.hpp"
#include "opencl/kernel/comparer.hpp"

namespace fastid::opencl {
namespace {

// How many words compare.cl counts the bits of for each word of a pair.
std::uint32_t counted_words(const engine::Problem& problem) {
  const engine::KernelCase which = engine::kernel_case(problem);
  if (!engine::counts_both_alleles(which)) return counts_pair_denominators(problem) ? 2 : 1;
  const engine::Terms terms = engine::terms_of(which);
  std::uint32_t words = 0;
  for (const engine::Term& term : terms.counted()) words += term.weight;
  return words;
}

}  // namespace

QueriesByKernel split_queries(const engine::Problem& problem) {
  QueriesByKernel queries{problem, engine::screen_of(problem), engine::weighted_of(problem)};
  if (queries.screen != nullptr) queries.compared.reset();
  if (queries.weighted != nullptr) queries.compared = queries.weighted->plain(problem);
  return queries;
}

std::vector<std::uint32_t> QueriesByKernel::compared_places() const {
  if (weighted == nullptr) return {};
  return {weighted->plain_queries().begin(), weighted->plain_queries().end()};
}

std::vector<std::uint32_t> QueriesByKernel::weighted_places() const {
  std::vector<std::uint32_t> places;
  for (const engine::WeightedCount::OfQuery& of : weighted->weighted()) places.push_back(of.query);
  return places;
}

model::Workload workload_of(const engine::Problem& problem) {
  constexpr std::uint64_t kBitsOfChain = 100;  // that are compared while a chain passes a site
  const std::uint64_t times = engine::screen_of(problem) != nullptr ? kBitsOfChain : 1;
  return {times * problem.queries->n_rows(), problem.database.n_profiles, problem.database.n_sites,
          problem.has_second ? 2u : 1u};
}

model::KernelWork kernel_work_of(const engine::Problem& problem, const model::KernelConfig& config,
                                 const MatrixShape* matrix) {
  model::Workload work = workload_of(problem);
  work.planes = engine::reads_second(engine::kernel_case(problem)) ? 2 : 1;
  if (matrix == nullptr) {
    model::KernelWork made = model::kernel_work(model::MicroKernel::kPopcount, config, work);
    made.sites *= counted_words(problem);
    return made;
  }
  model::KernelWork made = model::kernel_work(model::MicroKernel::kMatrix, config, work);
  const std::uint64_t at_once = matrix->group_queries();
  made.rows = ceil_div(work.queries, at_once) * at_once;
  made.sites *= matrix_products(problem, *matrix);
  made.bytes *= matrix->own_bits ? 2 : 1;
  return made;
}

engine::KernelStep blocked_step(const engine::Problem& problem, const model::KernelConfig& config) {
  const engine::KernelCase which = engine::kernel_case(problem);
  return engine::kernel_step({config.m_r, static_cast<double>(engine::query_words(which))},
                             {config.columns(), engine::reads_second(which) ? 2.0 : 1.0},
                             counted_words(problem));
}

model::KernelWork weigh_work_of(const engine::Problem& problem, const engine::WeightedCount& count) {
  const std::uint64_t words = problem.database.n_words(), planes = problem.has_second ? 2 : 1;
  std::uint64_t sets = 0;
  for (const engine::WeightedCount::OfQuery& of : count.weighted()) sets += of.weights.size();
  return {.profiles = problem.database.n_profiles,
          .rows = sets,
          .sites = words * kWordBits * engine::SiteWeightsByKind::kBits,
          .bytes = sets * planes * words * sizeof(Word)};
}

}  // namespace fastid::opencl
