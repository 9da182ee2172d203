#include "opencl/kernel/screener.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "opencl/device_buffer.hpp"

namespace fastid::opencl {
namespace {

constexpr std::size_t kMostScreenItems = 256;  // of a work-group; a driver may take fewer
constexpr std::size_t kGenotypes = 4;          // that Seen tells apart

/// Group and Step of screen.cl.
struct DeviceGroup {
  cl_uint word, first, n_sites;
  cl_float norm, one;
  cl_uint unused[3];
};
struct DeviceStep {
  cl_float from_one, stays;
  cl_uint bit, unused;
};
struct DeviceEmissions {
  cl_float of[kGenotypes];
};

/// The arrays that screen.cl describes.
struct PackedScreen {
  std::vector<cl_uint> queries;
  std::vector<cl_uint2> populations;
  std::vector<DeviceGroup> groups;
  std::vector<DeviceStep> steps;
  std::vector<DeviceEmissions> emissions;
};

void pack_queries(const ProfileRows& queries, std::size_t at_once, PackedScreen& to) {
  const std::size_t n_words = queries.n_words();
  to.queries.resize(ceil_div(queries.n_rows(), at_once) * at_once * n_words * 2);
  for (std::size_t query = 0; query < queries.n_rows(); ++query) {
    const RowView row = queries.row(query);
    for (std::size_t word = 0; word < n_words; ++word) {
      const std::size_t at = ((query / at_once * n_words + word) * at_once + query % at_once) * 2;
      to.queries[at] = row.bits[word];
      to.queries[at + 1] = row.major[word];
    }
  }
}

void pack_table(const engine::ScreenTable& table, PackedScreen& to) {
  to.populations.push_back({{narrow<cl_uint>(to.groups.size()), narrow<cl_uint>(table.groups.size())}});
  const std::size_t first = to.steps.size();
  for (const engine::ScreenGroup& group : table.groups) {
    if (group.n_sites > engine::kMostSitesOfGroup)
      throw Failure("a group of a chain's sites is too large for devices");
    to.groups.push_back({narrow<cl_uint>(group.word),
                         narrow<cl_uint>(first + group.first),
                         narrow<cl_uint>(group.n_sites),
                         group.norm,
                         group.one,
                         {}});
  }
  for (const engine::ScreenStep& step : table.steps)
    to.steps.push_back({step.from_one, step.stays, step.bit(), 0});
  for (const auto& of_site : table.emissions)
    for (const auto& of_query : of_site)
      to.emissions.push_back({{of_query[0], of_query[1], of_query[2], of_query[3]}});
}

/// Buffers of one problem, for all workers.
struct DeviceScreen {
  cl::Buffer queries, populations, groups, steps, emissions;
  std::size_t n_queries = 0, n_populations = 0;
};

class Screener final : public PairKernel {
 public:
  Screener(const cl::Context& context, const cl::Program& program, const engine::Problem& problem,
           const DeviceScreen& screen, const DeviceTile& tile)
      : kernel_(program, "find_relatives"),
        limits_(context, screen.n_queries, 2 * engine::kScreenOfOne - 1),
        at_once_(screen_queries(screen.n_queries)),
        group_(group_items(kernel_, context, kMostScreenItems)) {
    set_arguments(kernel_, 0, screen.queries, limits_.buffer(), screen.populations, screen.groups,
                  screen.steps, screen.emissions, narrow<cl_uint>(screen.n_populations), tile.bits,
                  tile.second, narrow<cl_uint>(problem.database.n_words()));
    set_arguments(kernel_, kFound, tile.found.capacity, tile.found.buffer,
                  cl::Local(2 * engine::kMostSitesOfGroup * at_once_ * sizeof(DeviceEmissions)));
  }

  void set(DeviceQueue& queue, std::span<const engine::Threshold> thresholds) override {
    limits_.set(queue, thresholds);
  }

  void compare(DeviceQueue& queue, const engine::Rectangle& pairs) override {
    set_arguments(kernel_, kPairs, cl_uint{pairs.row_begin}, cl_uint{pairs.row_end},
                  cl_uint{pairs.column_begin}, cl_uint{pairs.column_end});
    queue.run(kernel_,
              {cl::NDRange(ceil_div(pairs.rows(), group_) * group_, ceil_div(pairs.columns(), at_once_)),
               cl::NDRange(group_, 1)});
  }

 private:
  /// Where the kernel's arguments of pairs, and of where they are appended, begin.
  enum Argument : cl_uint { kPairs = 10, kFound = 14 };

  cl::Kernel kernel_;
  QueryLimits limits_;
  std::size_t at_once_, group_;
};

}  // namespace

std::size_t screen_queries(std::size_t n_queries) {
  constexpr std::size_t kFew = 4, kMany = 16;
  return n_queries <= 1 ? 1 : n_queries <= kFew ? kFew : kMany;
}

ProgramSource screen_source(std::size_t queries) {
  return {text_of({"kernels/common.h", "kernels/found.h", "kernels/screen.cl"}),
          fmt::format("-cl-std=CL1.2 -D FASTID_QUERIES={} -D FASTID_SHARE={:.4f}f "
                      "-D FASTID_COUNT_BITS={} -D FASTID_COUNT_OF_1={}u -D FASTID_MOST_EXPONENT={} "
                      "-D FASTID_MOST_SITES={}",
                      queries, engine::kScreenShare, engine::kScreenBits, engine::kScreenOfOne,
                      engine::kMostScreenExponent, engine::kMostSitesOfGroup),
          "find_relatives"};
}

PairKernelMaker pack_screen(const cl::Context& context, const cl::Program& program,
                            const engine::Problem& problem, const engine::ScreenCount& count) {
  PackedScreen made;
  pack_queries(*problem.queries, screen_queries(problem.queries->n_rows()), made);
  const std::vector<const engine::ScreenTable*> tables = count.tables();
  for (const engine::ScreenTable* const table : tables) pack_table(*table, made);
  const DeviceScreen screen{make_copy(context, made.queries),
                            make_copy(context, made.populations),
                            make_copy(context, made.groups),
                            make_copy(context, made.steps),
                            make_copy(context, made.emissions),
                            problem.queries->n_rows(),
                            tables.size()};
  return [=](const DeviceTile& tile) {
    return std::make_unique<Screener>(context, program, problem, screen, tile);
  };
}

ScreenBytes screen_bytes(const engine::Problem& problem, const engine::ScreenCount& count) {
  const std::uint64_t n = problem.queries->n_rows(), at_once = screen_queries(problem.queries->n_rows());
  const std::uint64_t queries =
      ceil_div<std::uint64_t>(n, at_once) * at_once * problem.database.n_words() * sizeof(cl_uint2);
  std::uint64_t emissions = 0, rest = n * sizeof(cl_uint);
  for (const engine::ScreenTable* const table : count.tables()) {
    emissions += table->steps.size() * kGenotypes * sizeof(DeviceEmissions);
    rest += table->steps.size() * sizeof(DeviceStep) + table->groups.size() * sizeof(DeviceGroup);
  }
  return {queries + emissions + rest, queries, emissions};
}

}  // namespace fastid::opencl
