#include "opencl/pass_tallies.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "opencl/device_buffer.hpp"

namespace fastid {
namespace {

constexpr std::size_t kTallySteps = 1024;  // as bars.h has them

}  // namespace

std::uint64_t PassTallies::bytes(std::size_t n_queries) {
  return std::clamp<std::size_t>(n_queries, 1, kMostQueries) * kTallySteps * sizeof(cl_uint);
}

PassTallies::PassTallies(const cl::Context& context, const cl::Device& device)
    : context_(context), queue_(context, device) {}

// Waits until a table is empty: for an H200's driver, having the lanes' queues wait for it takes longer.
std::shared_ptr<const PassTallies::Table> PassTallies::join(std::uint64_t pass, std::size_t n_queries) {
  const std::lock_guard lock(guard_);
  std::shared_ptr<Table> table = of_pass(pass);
  if (table != nullptr && table->n_queries < n_queries)
    throw Failure("the lanes of a pass have different queries (a defect of fastid)");
  if (table == nullptr) {
    table = free_table(n_queries);
    queue_.enqueueFillBuffer(table->tallies, cl_uint{0}, 0, bytes(n_queries));
    queue_.finish();
    table->pass = pass;
  }
  return table;
}

std::shared_ptr<const PassTallies::Table> PassTallies::take(std::size_t n_queries) {
  const std::lock_guard lock(guard_);
  return free_table(n_queries);
}

std::shared_ptr<PassTallies::Table> PassTallies::of_pass(std::uint64_t pass) const {
  const auto table = std::ranges::find(tables_, pass, [](const auto& made) { return made->pass; });
  return table == tables_.end() ? nullptr : *table;
}

// One that nobody holds. Those that are too small go.
std::shared_ptr<PassTallies::Table> PassTallies::free_table(std::size_t n_queries) {
  const auto is_free = [](const auto& table) { return table.use_count() == 1; };
  std::erase_if(tables_, [&](const auto& table) { return is_free(table) && table->n_queries < n_queries; });
  const auto table = std::ranges::find_if(tables_, is_free);
  if (table != tables_.end()) {
    (*table)->pass = 0;
    return *table;
  }
  const cl::Buffer tallies = make_buffer(context_, CL_MEM_READ_WRITE, bytes(n_queries));
  return tables_.emplace_back(std::make_shared<Table>(Table{tallies, n_queries, 0}));
}

}  // namespace fastid
