#include "opencl/worker/pass_tallies.hpp"

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
  Made* made = of_pass(pass);
  if (made != nullptr && made->n_queries < n_queries)
    throw Failure("the lanes of a pass have different queries (a defect of fastid)");
  if (made == nullptr) {
    made = &free_table(n_queries);
    queue_.enqueueFillBuffer(made->table->tallies, cl_uint{0}, 0, bytes(n_queries));
    queue_.finish();
    made->pass = pass;
  }
  return made->table;
}

std::shared_ptr<const PassTallies::Table> PassTallies::take(std::size_t n_queries) {
  const std::lock_guard lock(guard_);
  return free_table(n_queries).table;
}

PassTallies::Made* PassTallies::of_pass(std::uint64_t pass) {
  const auto made = std::ranges::find(tables_, pass, &Made::pass);
  return made == tables_.end() ? nullptr : &*made;
}

// One that nobody holds. Those that are too small go.
PassTallies::Made& PassTallies::free_table(std::size_t n_queries) {
  const auto is_free = [](const Made& made) { return made.table.use_count() == 1; };
  std::erase_if(tables_, [&](const Made& made) { return is_free(made) && made.n_queries < n_queries; });
  const auto made = std::ranges::find_if(tables_, is_free);
  if (made != tables_.end()) {
    made->pass = 0;
    return *made;
  }
  const cl::Buffer tallies = make_buffer(context_, CL_MEM_READ_WRITE, bytes(n_queries));
  tables_.push_back({std::make_shared<const Table>(Table{tallies}), n_queries, 0});
  return tables_.back();
}

}  // namespace fastid
