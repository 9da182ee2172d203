#include "opencl/worker/site_lane.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "opencl/device_buffer.hpp"

namespace fastid {
namespace {

constexpr std::size_t kFirstRead = 4096;  // pairs that are read together with their number
constexpr std::uint64_t kMostPairs = std::uint64_t{1} << 31;  // that the kernel's counter can count

/// Own of site_test.h: the sums of all sites of all blocks, then their widths. A site that does not vary is
/// linked to none.
std::vector<cl_float> own_parts(const SiteProblem& problem) {
  const std::span<const SiteCounts> own = problem.own;
  const auto units = static_cast<double>(problem.sites.shape.n_sites);
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
  queue.enqueueWriteBuffer(buffer, CL_TRUE, 0, bytes, plane);
  return buffer;
}

}  // namespace

DeviceSites::DeviceSites(const cl::Context& on, const cl::Device& at, const cl::Program& built,
                         const SiteShape& of_shape, const SiteProblem& of)
    : context(on), device(at), program(built), shape(of_shape), problem(of), queue(context, device) {
  const BlockShape& sites = problem.sites.shape;
  const std::size_t plane = checked_mul(static_cast<std::size_t>(sites.n_blocks()), sites.block_bytes());
  minor = upload(context, queue, problem.sites.bits, plane);
  major = upload(context, queue, problem.sites.second, plane);
  std::vector<cl_float> parts = own_parts(problem);
  own = make_buffer(context, CL_MEM_READ_ONLY, parts.size() * sizeof(cl_float), parts.data());
  packed = make_buffer(context, CL_MEM_READ_WRITE, packed_bytes(shape, sites));
  cl::Kernel pack(program, "pack_sites");
  pack.setArg(0, minor);
  pack.setArg(1, major);
  pack.setArg(2, narrow<cl_uint>(sites.n_words()));
  pack.setArg(3, narrow<cl_uint>(sites.n_profiles));
  pack.setArg(4, packed);
  const KernelLaunch launch = pack_launch(shape, sites);
  queue.enqueueNDRangeKernel(pack, cl::NullRange, launch.items, launch.group);
  queue.finish();
}

SiteQueue::SiteQueue(const DeviceSites& sites)
    : shape_(sites.shape),
      units_(sites.device.getInfo<CL_DEVICE_MAX_COMPUTE_UNITS>()),
      queue_(sites.context, sites.device, CL_QUEUE_PROFILING_ENABLE),
      kernel_(sites.program, kernel_name(sites.shape).c_str()) {
  const BlockShape& shape = sites.problem.sites.shape;
  kernel_.setArg(0, sites.packed);
  kernel_.setArg(1, sites.minor);
  kernel_.setArg(2, sites.major);
  kernel_.setArg(3, sites.own);
  kernel_.setArg(4, narrow<cl_uint>(shape.n_words()));
  kernel_.setArg(5, narrow<cl_uint>(shape.n_blocks()));
  if (const std::size_t bytes = local_bytes(shape_, shape))
    kernel_.setArg(kResults + (shape_.counts ? 1 : 4), cl::Local(bytes));
}

void SiteQueue::run(const SiteTile& tile) {
  kernel_.setArg(6, cl_uint{tile.first_begin});
  kernel_.setArg(7, cl_uint{tile.first_end});
  kernel_.setArg(8, cl_uint{tile.second_begin});
  kernel_.setArg(9, cl_uint{tile.second_end});
  const KernelLaunch launch = launch_for(shape_, units_, tile);
  queue_.enqueueNDRangeKernel(kernel_, cl::NullRange, launch.items, launch.group, nullptr, &ran_);
}

SiteLane::SiteLane(const DeviceSites& sites, std::uint32_t most_found)
    : device_(sites),
      most_found_(most_found),
      found_(make_buffer(sites.context, CL_MEM_READ_WRITE, (std::size_t{most_found} + 1) * sizeof(Found))) {
  cl::Kernel& kernel = device_.kernel();
  kernel.setArg(SiteQueue::kResults, static_cast<cl_float>(sites.problem.min_r2));
  kernel.setArg(SiteQueue::kResults + 1, cl_float{covariance_slack(sites.problem.sites.shape.n_sites)});
  kernel.setArg(SiteQueue::kResults + 2, cl_uint{most_found_});
  kernel.setArg(SiteQueue::kResults + 3, found_);
}

void SiteLane::find(const SiteTile& tile, PairPlaces& out) {
  const std::uint64_t n_firsts = tile.first_end - tile.first_begin,
                      n_seconds = tile.second_end - tile.second_begin;
  if (n_firsts == 0 || n_seconds == 0) return;
  if (n_firsts * n_seconds <= kMostPairs) {
    const std::size_t n = run(tile);
    if (n <= most_found_) return read(n, out);
    if (n > n_firsts * n_seconds)
      throw DeviceError(fmt::format("the device found {} pairs among {}", n, n_firsts * n_seconds));
  }
  SiteTile rest = tile, part = tile;  // its longer side in two
  if (n_firsts >= n_seconds)
    part.first_end = rest.first_begin = tile.first_begin + static_cast<std::uint32_t>(n_firsts / 2);
  else
    part.second_end = rest.second_begin = tile.second_begin + static_cast<std::uint32_t>(n_seconds / 2);
  find(part, out);
  find(rest, out);
}

// How many pairs were found, of which the buffer holds the first.
std::size_t SiteLane::run(const SiteTile& tile) {
  const cl::CommandQueue& queue = device_.queue();
  queue.enqueueFillBuffer(found_, cl_uint{0}, 0, sizeof(Found));
  device_.run(tile);
  head_.resize(1 + std::min<std::size_t>(kFirstRead, most_found_));
  queue.enqueueReadBuffer(found_, CL_TRUE, 0, head_.size() * sizeof(Found), head_.data());
  device_.add_time();
  return head_.front().first;
}

void SiteLane::read(std::size_t n, PairPlaces& out) {
  const std::size_t here = head_.size();
  head_.resize(n + 1);
  if (n + 1 > here)
    device_.queue().enqueueReadBuffer(found_, CL_TRUE, here * sizeof(Found), (n + 1 - here) * sizeof(Found),
                                      head_.data() + here);
  for (std::size_t i = 1; i <= n; ++i) out.emplace_back(head_[i].first, head_[i].second);
}

void SiteCountLane::count(const Rectangle& pairs, std::span<cl_uint> sums) {
  if (sums.size_bytes() > bytes_) {
    bytes_ = sums.size_bytes();
    counted_ = make_buffer(device_.queue().getInfo<CL_QUEUE_CONTEXT>(), CL_MEM_WRITE_ONLY, bytes_);
    device_.kernel().setArg(SiteQueue::kResults, counted_);
  }
  device_.run({pairs.row_begin, pairs.row_end, pairs.column_begin, pairs.column_end});
  device_.queue().enqueueReadBuffer(counted_, CL_TRUE, 0, sums.size_bytes(), sums.data());
  device_.add_time();
}

}  // namespace fastid
