#include "opencl/kernel/comparer.hpp"

#include <fmt/format.h>

#include "engine/kernel_case.hpp"
#include "opencl/device_buffer.hpp"

namespace fastid::opencl {
namespace {

constexpr std::size_t kGroupBlocks = 8, kGroupItems = 8 * kGroupBlocks;  // as block_checksum.h has them
constexpr std::size_t kLeastBytes = 256;  // shorter blocks need another algorithm than the one there

std::size_t most_items(const cl::Kernel& kernel, const cl::Context& context) {
  return kernel.getWorkGroupInfo<CL_KERNEL_WORK_GROUP_SIZE>(context.getInfo<CL_CONTEXT_DEVICES>().front());
}

// Where both alleles are counted, a query's two words say which sites it has called.
bool reads_called_sites(const engine::Problem& problem) {
  return engine::counts_compared(problem) && problem.by == Encoding::kMinor;
}

}  // namespace

cl::Buffer pack_called_sites(const cl::Context& context, const engine::Problem& problem) {
  std::vector<Word> words;
  for (std::size_t i = 0; reads_called_sites(problem) && i < problem.queries->n_rows(); ++i) {
    const RowView row = problem.queries->row(i);
    words.insert(words.end(), row.called.begin(), row.called.end());
  }
  return make_copy(context, std::move(words));
}

std::string problem_options(const engine::Problem& problem) {
  return fmt::format(
      "-cl-std=CL1.2 -D FASTID_CASE={} -D FASTID_ALLELES={:d} -D FASTID_COMPARED={:d} -D FASTID_WIDE={:d} "
      "-D RATIO_BITS={}",
      static_cast<int>(engine::kernel_case(problem)), problem.database.encoding == Encoding::kAlleles,
      reads_called_sites(problem), is_wide(problem), ratio_bits(problem));
}

bool nearly_all_called(const engine::Problem& problem) {
  const std::uint64_t sites = problem.database.n_sites;
  for (std::size_t i = 0; i < problem.queries->n_rows(); ++i)
    if (problem.queries->called_sites(i) * std::uint64_t{100} < sites * 97) return false;
  return true;
}

bool counts_pair_denominators(const engine::Problem& problem) {
  const engine::KernelCase which = engine::kernel_case(problem);
  if (engine::denominator_source(which) != engine::DenominatorOf::kPair || engine::counts_both_alleles(which))
    return false;
  return problem.comparison == engine::Comparison::kReverseMixture || !nearly_all_called(problem);
}

Comparer::Comparer(const cl::Context& context, const cl::Program& program, const engine::Problem& problem,
                   const model::KernelConfig& config, const DeviceTile& tile, const DeviceQueries& queries)
    : units_(std::max(1u, config.hw_compute_units)),
      thresholds_(context, queries.thresholds),
      compare_(program, "compare"),
      count_found_(program, "count_found"),
      count_own_bits_(program, "count_own_bits"),
      count_sound_(program, "count_sound"),
      own_bits_(queries.own_bits),
      makes_checksums_(problem.block_bytes() >= kLeastBytes &&
                       most_items(count_sound_, context) >= kGroupItems),
      own_bits_items_(most_items(count_own_bits_, context)) {
  set_fixed_arguments(problem, tile, queries);
}

void Comparer::set_fixed_arguments(const engine::Problem& problem, const DeviceTile& tile,
                                   const DeviceQueries& queries) {
  const cl_uint n_words = narrow<cl_uint>(problem.database.n_words());
  const cl_uint n_rows = narrow<cl_uint>(queries.thresholds.n_rows);
  set_arguments(compare_, kFixed, queries.queries, thresholds_.buffer(), n_rows, tile.bits, tile.second,
                tile.own_bits, n_words);
  set_arguments(compare_, kFound, tile.found.capacity, tile.found.buffer);
  set_arguments(count_found_, 0, queries.queries, queries.called, thresholds_.buffer(), n_rows, tile.bits,
                tile.second, n_words, tile.found.capacity, tile.found.buffer);
  set_arguments(count_own_bits_, 0, tile.bits, tile.second, n_words);
  count_own_bits_.setArg(4, tile.own_bits);
  set_arguments(count_sound_, 0, tile.bits, tile.second, cl_uint{problem.has_second ? 2u : 1u}, n_words);
  count_sound_.setArg(5, tile.bits);
  count_sound_.setArg(7, tile.found.buffer);
}

void Comparer::count_sound(const cl::CommandQueue& queue, std::size_t n_blocks, std::size_t at,
                           std::vector<cl::Event>& events) {
  count_sound_.setArg(4, narrow<cl_uint>(n_blocks));
  count_sound_.setArg(6, cl_ulong{at / sizeof(std::uint64_t)});
  queue.enqueueNDRangeKernel(count_sound_, cl::NullRange,
                             cl::NDRange(ceil_div(n_blocks, kGroupBlocks) * kGroupItems),
                             cl::NDRange(kGroupItems), nullptr, &events.emplace_back());
}

void Comparer::prepare(const cl::CommandQueue& queue, std::size_t n_blocks, std::vector<cl::Event>& events) {
  constexpr std::size_t kMostItems = 256;  // every driver runs as many; the kernel works with any number
  compare_.setArg(kBlocks, narrow<cl_uint>(n_blocks));
  if (!own_bits_) return;
  const std::size_t group = std::min(kMostItems, own_bits_items_), n = n_blocks * kLanes;
  count_own_bits_.setArg(3, narrow<cl_uint>(n));
  queue.enqueueNDRangeKernel(count_own_bits_, cl::NullRange, cl::NDRange(ceil_div(n, group) * group),
                             cl::NDRange(group), nullptr, &events.emplace_back());
}

void Comparer::compare(const cl::CommandQueue& queue, const engine::Rectangle& pairs,
                       std::vector<cl::Event>& events) {
  set_arguments(compare_, kPairs, cl_uint{pairs.row_begin}, cl_uint{pairs.row_end},
                cl_uint{pairs.column_begin}, cl_uint{pairs.column_end});
  const Launch run = launch(compare_, pairs);
  queue.enqueueNDRangeKernel(compare_, cl::NullRange, run.items, run.group, nullptr, &events.emplace_back());
  // Only the device knows the number of pairs yet.
  constexpr std::size_t kItems = 16'384;
  queue.enqueueNDRangeKernel(count_found_, cl::NullRange, cl::NDRange(kItems), cl::NullRange, nullptr,
                             &events.emplace_back());
}

}  // namespace fastid::opencl
