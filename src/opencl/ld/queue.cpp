#include "opencl/ld/queue.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "opencl/device/found_list.hpp"
#include "opencl/kernel/launch.hpp"

namespace fastid::opencl {
namespace {

constexpr std::size_t kFirstRead = 4096;  // pairs that are read together with their number
constexpr std::uint64_t kMostPairs = std::uint64_t{1} << 31;  // that the kernel's counter can count

/// Own of ld_test.h, over n units: `scaled`, x / sqrt(n), of all sites of all blocks, then `width`,
/// sqrt(sqrt(min_r2) (n xx - x x) / n). A site that does not vary is linked to none.
std::vector<cl_float> own_parts(const engine::LdProblem& problem) {
  const std::span<const engine::LdCounts> own = problem.site_counts;
  const auto units = static_cast<double>(problem.n_units());
  const std::size_t n = kLanes * static_cast<std::size_t>(problem.sites.shape.n_blocks());
  std::vector<cl_float> parts(2 * n);
  for (std::size_t site = 0; site < own.size(); ++site) {
    const double x = own[site].x, spread = units * own[site].xx - x * x;
    parts[site] = static_cast<cl_float>(x / std::sqrt(units));
    parts[n + site] = spread == 0
                          ? std::numeric_limits<cl_float>::infinity()
                          : static_cast<cl_float>(std::sqrt(std::sqrt(problem.min_r2) * spread / units));
  }
  return parts;
}

// With padding, since a kernel reads past the last block.
cl::Buffer upload(const cl::Context& context, const cl::CommandQueue& queue, const Word* plane,
                  std::size_t bytes) {
  cl::Buffer buffer = make_buffer(context, CL_MEM_READ_ONLY, bytes + kTilePadding * sizeof(Word));
  write_in_pieces(queue, buffer, bytes, plane);
  return buffer;
}

}  // namespace

SitesOnDevice::SitesOnDevice(const ProgramOn<LdProgramShape>& built_for, const engine::LdProblem& of)
    : built(built_for), problem(of) {
  const cl::Context& context = built.context;
  const cl::CommandQueue queue(context, built.on.device);
  const BlockShape& blocks = problem.sites.shape;
  const std::size_t plane = checked_mul(static_cast<std::size_t>(blocks.n_blocks()), blocks.block_bytes());
  minor = upload(context, queue, problem.sites.bits, plane);
  major = upload(context, queue, problem.sites.second, plane);
  own = make_copy(context, own_parts(problem));
  packed = make_buffer(context, CL_MEM_READ_WRITE, packed_bytes(built.shape, blocks));
  cl::Kernel pack(built.program, "pack_sites");
  set_arguments(pack, 0, minor, major, narrow<cl_uint>(blocks.n_words()), cl_uint{problem.n_sites()}, packed);
  const KernelLaunch launch = pack_launch(built.shape, blocks);
  queue.enqueueNDRangeKernel(pack, cl::NullRange, launch.items, launch.group);
  queue.finish();
}

SitesOnDevice SitesOnDevice::with(const ProgramOn<LdProgramShape>& other) const {
  SitesOnDevice same = *this;
  same.built = other;
  return same;
}

LdQueue::LdQueue(const SitesOnDevice& sites, std::uint32_t most_found)
    : sites_(sites),
      compute_units_(sites.built.on.device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>()),
      queue_(sites.built.context, sites.built.on.device),
      kernel_(sites.built.program, kernel_name(sites.built.shape).c_str()),
      most_found_(most_found) {
  const BlockShape& blocks = sites.problem.sites.shape;
  set_arguments(kernel_, kSites, sites.packed, sites.minor, sites.major, sites.own,
                narrow<cl_uint>(blocks.n_words()), narrow<cl_uint>(blocks.n_blocks()));
  cl_uint n_results = 1;  // PAIRS_RESULT of ld_test.h
  if (!sites.built.shape.counts) {
    n_results = 4;
    set_arguments(kernel_, kResults, static_cast<cl_float>(sites.problem.min_r2),
                  cl_float{engine::covariance_slack(sites.problem.n_units())}, cl_uint{most_found_},
                  results_.reserve(sites.built.context, (std::size_t{most_found_} + 1) * sizeof(LdPlaces)));
  }
  if (const std::size_t bytes = local_bytes(sites.built.shape, blocks))
    kernel_.setArg(kResults + n_results, cl::Local(bytes));
}

void LdQueue::run(const engine::Rectangle& tile) {
  set_arguments(kernel_, kTile, cl_uint{tile.row_begin}, cl_uint{tile.row_end}, cl_uint{tile.column_begin},
                cl_uint{tile.column_end});
  queue_.run(kernel_, launch_for(sites_.built.shape, compute_units_, tile));
}

void LdQueue::find(const engine::Rectangle& tile, std::vector<LdPlaces>& out) {
  if (tile.pairs() == 0) return;
  // Of each part: 1 says that it is done, n that it is to be found again in n parts.
  find_in_parts(tile, [&](const engine::Rectangle& part) -> std::size_t {
    if (part.pairs() > kMostPairs) return ceil_div<std::uint64_t>(part.pairs(), kMostPairs);
    const cl::Buffer& found = results_.buffer();
    queue_.clear(found, sizeof(LdPlaces));
    run(part);
    const std::size_t n =
        list_.read_head(queue_, found, std::min<std::size_t>(kFirstRead, most_found_)).first;
    if (n <= most_found_) {
      list_.append(queue_, found, n, out);
      return 1;
    }
    if (n > part.pairs())
      throw WrongAnswer(fmt::format("the device found {} pairs among {}", n, part.pairs()));
    return n / most_found_ + 1;
  });
}

void LdQueue::count(const engine::Rectangle& pairs, std::span<engine::LdCounts> out) {
  const LdProgramShape& shape = sites_.built.shape;
  const std::size_t n = pairs.pairs(), n_sums = engine::sums_of(shape.unit, shape.all_called).n;
  if (n == 0) return;
  std::vector<cl_uint> counted(n * n_sums);  // [sum][row][column]
  const std::size_t bytes = counted.size() * sizeof(cl_uint);
  kernel_.setArg(kResults, results_.reserve(sites_.built.context, bytes));
  run(pairs);
  queue_.read(results_.buffer(), 0, counted.data(), counted.size());
  std::array<std::uint32_t, engine::kMostSums> sums{};
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t s = 0; s < n_sums; ++s) sums[s] = counted[s * n + i];
    out[i] = engine::counts_of(sites_.problem, shape.all_called, pairs.row_begin + i / pairs.columns(),
                               pairs.column_begin + i % pairs.columns(), sums);
  }
}

}  // namespace fastid::opencl
