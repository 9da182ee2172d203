#include "opencl/hmm/slice_worker.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/embedded.hpp"

namespace fastid::opencl {
namespace {

constexpr int kScale = 100;         ///< SCALE of the kernel, as a power of two
constexpr float kLeast = 0x1p-86F;  ///< the least sum that is trusted, as in hmm/cpu/forward.cpp
constexpr std::size_t kHmmGroupItems = 128;
constexpr std::size_t kLeastStaging = std::size_t{1} << 18;

double log10_of_sum(float sum) {
  return sum >= kLeast && std::isfinite(sum) ? std::log10(static_cast<double>(sum)) - kScale * std::log10(2.0)
                                             : std::nan("");
}

cl::Buffer rates_on(const cl::Context& context) {
  std::array<float, hmm::kMostQuality + 1> rates{};
  std::ranges::transform(hmm::error_rates(), rates.begin(),
                         [](double rate) { return static_cast<float>(rate); });
  return {context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof(rates), rates.data()};
}

/// Neighbours among the elements of all sequences.
template <class T, class Place>
std::span<const T> between(std::span<const T> all, Place first, Place end) {
  return all.subspan(first, end - first);
}

/// The rows of a slice's reads.
std::span<const hmm::Row> rows_of_slice(const hmm::Groups& groups, const HmmSlice& slice) {
  return between(groups.rows(), groups.read_starts()[slice.reads.first],
                 groups.read_starts()[slice.reads.end]);
}

/// Where the slice's haplotypes begin, and the last one ends.
std::span<const std::uint32_t> starts_of_slice(const hmm::Groups& groups, const HmmSlice& slice) {
  return between(groups.haplotype_starts(), slice.haplotypes.first, slice.haplotypes.end + 1);
}

}  // namespace

HmmDevice::HmmDevice(OpenClDevice device, bool doubles)
    : facts_(std::move(device.facts)),
      device_(std::move(device.device)),
      context_(device_),
      cache_(program_cache(facts_)),
      rates_(rates_on(context_)),
      logarithms_(doubles && device_.getInfo<CL_DEVICE_DOUBLE_FP_CONFIG>() != 0) {}

std::size_t HmmDevice::pairs_of_group(HmmShape shape) const {
  return std::max<std::size_t>(1, std::min(kHmmGroupItems, facts_.max_group_items) / shape.items);
}

cl::Program HmmDevice::program(HmmShape shape) {
  const std::scoped_lock lock(guard_);
  auto& program = programs_[shape];
  if (!program) {
    const std::string options = fmt::format(
        "-DFASTID_HMM_ROWS={} -DFASTID_HMM_ITEMS={} -DFASTID_HMM_PAIRS={} -DFASTID_HMM_SHUFFLE={} "
        "-DFASTID_HMM_LOGARITHMS={}",
        shape.rows, shape.items, pairs_of_group(shape), facts_.architecture.starts_with("sm_") ? 1 : 0,
        logarithms_ ? 1 : 0);
    program = build_program(context_, device_, facts_,
                            {std::string(embedded_text("kernels/pair_hmm.cl")), options, "forward"}, cache_);
  }
  return *program;
}

SliceWorker::SliceWorker(HmmDevice& device)
    : device_(device), queue_(device.context(), device.device(), CL_QUEUE_PROFILING_ENABLE) {}

void SliceWorker::compute(const hmm::Groups& groups, const HmmSlice& slice, std::span<double> log10) {
  const bool logarithms = device_.logarithms();
  const std::size_t bytes = log10.size() * (logarithms ? sizeof(double) : sizeof(float));
  if (!slice.order.empty()) {
    const Buffers buffers = upload(groups, slice, bytes);
    launch(buffers, slice, starts_of_slice(groups, slice).front());
    sums_.resize(logarithms ? 0 : log10.size());
    if (logarithms)
      transfers_->read(buffers.results, 0, log10.data(), log10.size());
    else
      transfers_->read(buffers.results, 0, sums_.data(), sums_.size());
    if (!logarithms) std::ranges::transform(sums_, log10.begin(), log10_of_sum);
  }
  for (std::uint32_t read = slice.reads.first; read < slice.reads.end; ++read)
    if (!kernel_takes(groups, read))
      std::ranges::fill(groups.part_of(log10, slice.reads, {read, read + 1}), std::nan(""));
}

/// Has room for a slice's transfers, made anew where it is too small.
void SliceWorker::reserve_staging(std::size_t reads, std::size_t writes) {
  const auto enough = [](const PinnedMemory& memory, std::size_t bytes) { return bytes <= memory.bytes(); };
  if (staging_ && enough(staging_->reads, reads) && enough(staging_->writes, writes)) return;
  transfers_.reset();
  staging_.reset();
  const auto words = [](std::size_t bytes) {
    return WordBuffer((std::max(bytes + bytes / 4, kLeastStaging) + sizeof(Word) - 1) / sizeof(Word));
  };
  const cl::Context& context = device_.context();
  staging_ = std::unique_ptr<Staging>(
      new Staging{{context, queue_, words(reads)}, {context, queue_, words(writes)}});
  transfers_.emplace(queue_, *staging_);
}

SliceWorker::Buffers SliceWorker::upload(const hmm::Groups& groups, const HmmSlice& slice,
                                         std::size_t results) {
  const auto rows = rows_of_slice(groups, slice);
  const auto starts = starts_of_slice(groups, slice);
  const auto bases = between(groups.bases(), starts.front(), starts.back());
  const std::span<const HmmRead> order(slice.order);
  reserve_staging(results, order.size_bytes() + rows.size_bytes() + bases.size_bytes() + starts.size_bytes());
  std::size_t next = 0;
  const auto room = [&](std::size_t bytes) { return buffers_.at(next++).reserve(device_.context(), bytes); };
  const auto sent = [&](auto data) {
    cl::Buffer to = room(data.size_bytes());
    transfers_->write(to, data.size_bytes(), data.data());
    return to;
  };
  return {sent(order),  room(slice.pairs * sizeof(cl_uint2)), sent(rows), sent(bases), sent(starts),
          room(results)};
}

/// Lists the pairs, and queues the launches that compute them.
void SliceWorker::launch(const Buffers& buffers, const HmmSlice& slice, cl_uint first_base) {
  const HmmShape any = slice.launches.front().shape;
  cl::Kernel list(device_.program(any), "list_pairs");
  set_arguments(list, 0, buffers.order, buffers.pairs);
  transfers_->run(list, {cl::NDRange(slice.order.size() * any.items), cl::NDRange(any.items)});
  for (const HmmLaunch& launch : slice.launches) {
    cl::Kernel kernel(device_.program(launch.shape), "forward");
    const std::size_t pairs = device_.pairs_of_group(launch.shape);
    set_arguments(kernel, 0, static_cast<cl_uint>(launch.first),
                  static_cast<cl_uint>(launch.first + launch.n), buffers.pairs, buffers.order, buffers.rows,
                  buffers.bases, buffers.starts, first_base, device_.rates(), buffers.results);
    const std::size_t items = pairs * launch.shape.items;
    transfers_->run(kernel, {cl::NDRange((launch.n + pairs - 1) / pairs * items), cl::NDRange(items)});
  }
}

void SliceWorker::drain() noexcept {
  if (transfers_) transfers_->drain();
}

}  // namespace fastid::opencl
