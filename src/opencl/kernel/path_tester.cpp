#include "opencl/kernel/path_tester.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "opencl/device_buffer.hpp"
#include "opencl/kernel/query_limits.hpp"

namespace fastid {
namespace {

constexpr std::size_t kPathQueries = 16;     // QUERIES of the kernel
constexpr std::size_t kMostPathItems = 256;  // of a work-group; a driver may take fewer
constexpr std::size_t kWordSteps = 8, kWordScores = kWordSteps * kStepScores;
constexpr std::size_t kRowWords = kPathCodes / sizeof(cl_uint);            // of scores by the profile's code
constexpr std::size_t kScoreWords = kWordScores * kPathCodes * kRowWords;  // of a word of sites
constexpr std::size_t kTestWords = 4;                                      // of a population

/// The arrays that path_score.cl describes.
struct PackedPaths {
  std::vector<cl_uint> queries, missing, scores, tests;
  std::vector<cl_char2> bounds;
};

void pack_queries(const ProfileRows& queries, const PathTest& test, PackedPaths& to) {
  const std::size_t n_words = queries.n_words();
  to.queries.resize(ceil_div(queries.n_rows(), kPathQueries) * kPathQueries * n_words * 2);
  for (std::size_t query = 0; query < queries.n_rows(); ++query) {
    const RowView row = queries.row(query);
    to.missing.push_back(test.missing(row));
    for (std::size_t word = 0; word < n_words; ++word) {
      const std::size_t at =
          ((query / kPathQueries * n_words + word) * kPathQueries + query % kPathQueries) * 2;
      to.queries[at] = row.bits[word];
      to.queries[at + 1] = row.major[word];
    }
  }
}

/// Of all steps of all words: where no unit is, no site weighs and the path does not move.
void pack_table(const PathTable& table, const PathTest& test, PackedPaths& to) {
  const std::size_t n_words = test.sites.size();
  const std::size_t scores = to.scores.size(), bounds = to.bounds.size();
  to.scores.resize(scores + n_words * kScoreWords);
  const PathTable::Bounds no_move;
  const auto packed = [](const PathTable::Bounds& of) {
    return cl_char2{{static_cast<cl_char>(of.least & 255), static_cast<cl_char>(of.most & 255)}};
  };
  to.bounds.resize(bounds + n_words * kWordSteps, packed(no_move));
  constexpr std::size_t kUnitSteps = kUnitScores / kStepScores;
  for (std::size_t unit = 0; unit < test.units.size(); ++unit) {
    const auto& [word, byte] = test.units[unit];
    for (std::size_t i = 0; i < kUnitSteps; ++i)
      to.bounds[bounds + word * kWordSteps + byte * kUnitSteps + i] =
          packed(table.bounds[unit * kUnitSteps + i]);
    for (std::size_t i = 0; i < kUnitScores; ++i) {
      using Rows = std::array<cl_uint, kPathCodes * kRowWords>;
      const auto rows = std::bit_cast<Rows>(table.scores[unit * kUnitScores + i]);
      std::ranges::copy(
          rows, to.scores.begin() + static_cast<std::ptrdiff_t>(scores + word * kScoreWords +
                                                                (byte * kUnitScores + i) * rows.size()));
    }
  }
  to.tests.insert(to.tests.end(), {table.least_score, table.of_missing, table.most_missing, 0});
}

/// Buffers of one problem, for all workers.
struct DevicePaths {
  cl::Buffer queries, missing, sites, scores, bounds, tests;
  std::size_t n_queries = 0, n_populations = 0;
};

class PathTester final : public PairKernel {
 public:
  PathTester(const cl::Context& context, const cl::Program& program, const Problem& problem,
             const DevicePaths& paths, const DeviceTile& tile)
      : kernel_(program, "find_paths"),
        limits_(context, paths.n_queries),
        group_(group_items(kernel_, context, kMostPathItems)) {
    kernel_.setArg(0, paths.queries);
    kernel_.setArg(1, paths.missing);
    kernel_.setArg(2, limits_.buffer());
    kernel_.setArg(3, paths.sites);
    kernel_.setArg(4, paths.scores);
    kernel_.setArg(5, paths.bounds);
    kernel_.setArg(6, paths.tests);
    kernel_.setArg(7, narrow<cl_uint>(paths.n_populations));
    kernel_.setArg(8, tile.bits);
    kernel_.setArg(9, tile.second);
    kernel_.setArg(10, narrow<cl_uint>(problem.database.n_words()));
    kernel_.setArg(15, tile.found.capacity);
    kernel_.setArg(16, tile.found.buffer);
    kernel_.setArg(17, cl::Local(2 * kWordScores * kPathQueries * kPathCodes));
  }

  void set(WorkerQueue& queue, std::span<const Threshold> thresholds) override {
    limits_.set(queue, thresholds, PathCount::kPasses.denominator, std::uint32_t{PathCount::kFails.count});
  }

  void compare(const cl::CommandQueue& queue, const PairRange& range,
               std::vector<cl::Event>& events) override {
    kernel_.setArg(11, narrow<cl_uint>(range.first_profile));
    kernel_.setArg(12, narrow<cl_uint>(range.end_profile));
    kernel_.setArg(13, narrow<cl_uint>(range.first_query));
    kernel_.setArg(14, narrow<cl_uint>(range.end_query));
    queue.enqueueNDRangeKernel(
        kernel_, cl::NullRange,
        cl::NDRange(ceil_div(range.profiles(), group_) * group_, ceil_div(range.queries(), kPathQueries)),
        cl::NDRange(group_, 1), nullptr, &events.emplace_back());
  }

 private:
  cl::Kernel kernel_;
  QueryLimits limits_;
  std::size_t group_;
};

}  // namespace

std::string path_options() {
  return "-cl-std=CL1.2 -D FASTID_WIDE=0";
}

PairKernelMaker pack_paths_for(const cl::Context& context, const cl::Program& program, const Problem& problem,
                               const PathTest& test) {
  PackedPaths made;
  pack_queries(*problem.queries, test, made);
  for (const PathTable& table : test.tables) pack_table(table, test, made);
  DevicePaths paths{
      make_copy(context, std::move(made.queries)),
      make_copy(context, std::move(made.missing)),
      make_copy(context, test.sites),
      make_copy(context, std::move(made.scores)),
      make_buffer(context, CL_MEM_READ_ONLY, made.bounds.size() * sizeof(cl_char2), made.bounds.data()),
      make_copy(context, std::move(made.tests)),
      problem.queries->n_rows(),
      test.tables.size()};
  return [=](const DeviceTile& tile) {
    return std::make_unique<PathTester>(context, program, problem, paths, tile);
  };
}

PathBytes path_bytes(const Problem& problem, const PathTest& test) {
  const std::uint64_t n = problem.queries->n_rows(), words = problem.database.n_words();
  const std::uint64_t queries = ceil_div<std::uint64_t>(n, kPathQueries) * kPathQueries * words * 2;
  const std::uint64_t scores = test.tables.size() * words * kScoreWords;
  const std::uint64_t rest = 2 * n + words + test.tables.size() * (words * kWordSteps / 2 + kTestWords);
  return {(queries + scores + rest) * sizeof(cl_uint), queries * sizeof(cl_uint), scores * sizeof(cl_uint)};
}

}  // namespace fastid
