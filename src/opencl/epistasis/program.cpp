#include "opencl/epistasis/program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

#include "opencl/device_configs.hpp"
#include "opencl/kernel/launch.hpp"
#include "opencl/kernel/proof.hpp"

namespace fastid::opencl {
namespace {

constexpr std::uint32_t kMostInHalfAWord = 65535;

// Whether several deals are counted together: with fewer people the test of cells takes most of the time. The
// portable program, which serves tests, does it with any number of people.
bool shares(const engine::EpistasisProblem& problem, std::uint32_t instruction) {
  constexpr std::uint64_t kFewest = 16'384;
  return problem.permuted && problem.way < 4 && (problem.n_people() >= kFewest || instruction == 1);
}

// The fastest of some thirty on an H200. A warp's 128 sums, or 108 of all genotypes, are half of its
// registers; two groups of four warps share a compute unit, so that one multiplies while the other tests.
EpistasisShape matrix_shape(const EpistasisShape& usual, const engine::EpistasisProblem& problem,
                            std::uint32_t instruction) {
  EpistasisShape shape = usual;
  shape.multiplies = true;
  shape.shares = !usual.by_stretches && shares(problem, instruction);
  shape.instruction = instruction;
  shape.later_warps = 2;
  if (usual.way == 2) {
    shape.first_warps = 2;
    shape.first_sites = 2;
    shape.later_tiles = usual.all_called ? 2 : 1;
    return shape;
  }
  shape.first_sites = usual.all_called ? 2 : 1;
  shape.second_warps = 2;
  return shape;
}

}  // namespace

std::size_t EpistasisShape::group_laters() const {
  const std::size_t of_a_tile = all_called || way == 2 ? kMatrixTile : kMatrixTile / 2;
  return std::size_t{later_warps} * later_tiles * of_a_tile;
}

std::vector<EpistasisShape> epistasis_shapes(const model::DeviceFacts& facts,
                                             const engine::EpistasisProblem& problem, BitProducts products,
                                             bool by_stretches) {
  EpistasisShape usual{.by_stretches = by_stretches, .way = problem.way, .score = problem.score};
  usual.all_called = engine::everybody_is_called(problem);
  usual.large = by_stretches || std::max(problem.n_people(0), problem.n_people(1)) > kMostInHalfAWord;
  if (products == BitProducts::kPortableMatrix) return {matrix_shape(usual, problem, 1)};
  std::vector<EpistasisShape> shapes;
  if (products == BitProducts::kBest && ptx_config(facts))
    shapes.push_back(matrix_shape(usual, problem, kPtxMatrix));
  shapes.push_back(usual);
  return shapes;
}

// A warp makes the planes of pairs from those of their two sites.
engine::KernelStep epistasis_step(const EpistasisShape& shape) {
  const auto genotypes = static_cast<double>(shape.genotypes());
  if (!shape.multiplies)
    return engine::kernel_step({1, static_cast<double>(shape.genotypes_of_pair())}, {1, genotypes},
                               shape.counted());
  const std::size_t rows = kMatrixTile * shape.first_sites;
  const std::size_t sites = shape.way == 2 ? rows : kMatrixTile + shape.first_sites;
  return engine::kernel_step({rows, genotypes * static_cast<double>(sites) / static_cast<double>(rows)},
                             {shape.group_laters() / shape.later_warps, genotypes}, shape.counted());
}

ProgramSource epistasis_source(const EpistasisShape& shape) {
  std::string text = text_of({"kernels/common.h", "kernels/matrix_product.h", "kernels/epistasis_test.h",
                              shape.multiplies ? "kernels/epistasis_matrix.cl" : "kernels/epistasis.cl"});
  const bool slabs = shape.has_slabs() && !shape.by_stretches;
  if (slabs) text += text_of({"kernels/epistasis_slabs.cl"});
  if (shape.by_stretches) text += text_of({"kernels/epistasis_stretches.cl"});
  return {std::move(text),
          fmt::format(
              "-cl-std=CL1.2 -D FASTID_MATRIX={} -D FASTID_MATRIX_ROWS={} "
              "-D FASTID_MATRIX_COLUMNS={} -D FASTID_ALL_CALLED={:d} -D FASTID_PAIR_GENOTYPES={} "
              "-D FASTID_K2={:d} -D FASTID_LARGE={:d} -D FASTID_SLABS={:d} -D FASTID_FIRST_SITES={} "
              "-D FASTID_LATER_TILES={} -D FASTID_FIRST_WARPS={} -D FASTID_SECOND_WARPS={} "
              "-D FASTID_LATER_WARPS={} "
              "-D FASTID_STRETCHES={:d} -D FASTID_TABLE={} -D FASTID_PAIRS={:d} -D FASTID_SHARES={:d}",
              shape.instruction, shape.first_warps * shape.second_warps, shape.later_warps, shape.all_called,
              shape.genotypes_of_pair(), shape.score == engine::EpistasisScore::kK2, shape.large, slabs,
              shape.first_sites, shape.later_tiles, shape.first_warps, shape.second_warps, shape.later_warps,
              shape.by_stretches, engine::n_cells(shape.way), shape.way == 2, shape.shares),
          shape.kernel()};
}

// Of some combinations there are too few people, where not everybody is called.
bool solves_epistasis_problem(
    const EpistasisShape& shape,
    const std::function<void(const engine::EpistasisProblem&, engine::BestCombinations&)>& find) {
  const std::uint32_t sites = shape.way == 4 ? 20 : 40;
  const auto people = [&](std::uint32_t n) {
    constexpr Seen kDrawn[] = {kMajorSeen, kMajorSeen, kBothSeen, kBothSeen, kMinorSeen};
    return random_profiles({sites, n, Encoding::kAlleles}, kDrawn, !shape.all_called, n);
  };
  const BitBlocks controls = people(301), cases = people(200);
  const engine::EpistasisProblem problem{
      {controls.view(), cases.view()}, shape.way, shape.score, shape.all_called ? 0U : 420U};
  engine::BestCombinations right(30), found(30);
  engine::make_epistasis_engine("reference", problem)->find({0, sites, 0, sites}, right);
  find(problem, found);
  return found.kept() == right.kept();
}

}  // namespace fastid::opencl
