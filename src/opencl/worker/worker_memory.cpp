#include "opencl/worker/worker_memory.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <utility>

#include "base/checked.hpp"
#include "base/log.hpp"
#include "opencl/device_buffer.hpp"
#include "opencl/kernel/launch.hpp"

namespace fastid::opencl {
namespace {

// The buffer is filled, so that a lack of memory shows now.
cl::Buffer touched_buffer(const cl::Context& context, const cl::CommandQueue& queue, std::size_t bytes) {
  cl::Buffer made = make_buffer(context, CL_MEM_READ_WRITE, bytes);
  queue.enqueueFillBuffer(made, cl_uint{0}, 0, bytes);
  return made;
}

// Large enough for what a tile usually sends (thresholds) and brings back (pairs), which both grow with the
// number of queries. Larger transfers do not use it.
std::unique_ptr<Staging> make_staging(const cl::Context& context, const cl::CommandQueue& queue,
                                      std::size_t pair_bytes) {
  constexpr std::size_t kMost = (std::size_t{1} << 20) / sizeof(Word);
  const std::size_t words = std::min(kMost, pair_bytes / sizeof(Word));
  return std::unique_ptr<Staging>(
      new Staging{{context, queue, WordBuffer(words)}, {context, queue, WordBuffer(words)}});
}

}  // namespace

// The checksums, if any, lie behind the blocks, where there must be room for kTilePadding words too.
MemorySizes memory_sizes(const engine::Problem& problem, std::size_t tile_blocks, std::size_t found_pairs) {
  constexpr std::size_t kSumWords = sizeof(std::uint64_t) / sizeof(Word);
  const std::size_t behind = std::max(kTilePadding, checked_mul(tile_blocks, kSumWords));
  return {.plane_words = checked_add(checked_mul(tile_blocks, problem.database.block_words()), behind),
          .has_second = problem.has_second,
          .profiles = checked_mul(tile_blocks, kLanes),
          .found_pairs = found_pairs};
}

MemoryPool::MemoryPool(const cl::Context& context, const cl::Device& device, bool unified,
                       std::size_t threads)
    : context_(context), device_(device), unified_(unified), threads_(threads + 1) {}

void MemoryPool::prepare(std::size_t n, const MemorySizes& sizes) {
  making_.clear();  // what was not begun is called off, and the rest waited for
  {
    const std::lock_guard lock(guard_);
    ask_for(sizes);
    if (free_.size() > n) free_.resize(n);
    pending_ = n = n - free_.size();
    changed_.notify_all();
  }
  for (std::size_t i = 0; i < n; ++i) making_.push_back(threads_.start([this, sizes] { make_ahead(sizes); }));
}

void MemoryPool::make_ahead(const MemorySizes& sizes) {
  std::unique_ptr<WorkerMemory> made;
  try {
    if (is_wanted(sizes)) made = make(sizes);
  } catch (const std::exception& error) {
    log::detail("a worker's memory could not be had ahead: {}", error.what());
  }
  const std::lock_guard lock(guard_);
  if (sizes != sizes_ || pending_ == 0) return;
  --pending_;
  if (made) free_.push_back(std::move(made));
  changed_.notify_all();
}

std::shared_ptr<WorkerMemory> MemoryPool::take(const MemorySizes& sizes) {
  std::unique_ptr<WorkerMemory> memory;
  {
    std::unique_lock lock(guard_);
    ask_for(sizes);
    changed_.wait(lock, [&] { return sizes != sizes_ || !free_.empty() || pending_ == 0; });
    if (sizes == sizes_ && !free_.empty()) {
      memory = std::move(free_.back());
      free_.pop_back();
    }
  }
  if (!memory) memory = make(sizes);
  return {memory.release(), [pool = shared_from_this(), sizes](WorkerMemory* used) {
            pool->give_back(std::unique_ptr<WorkerMemory>(used), sizes);
          }};
}

void MemoryPool::drop_free() {
  const std::lock_guard lock(guard_);
  free_.clear();
}

// Called with guard_ locked. Memory of another size that is still being made is not waited for.
void MemoryPool::ask_for(const MemorySizes& sizes) {
  if (sizes == sizes_) return;
  sizes_ = sizes;
  pending_ = 0;
  free_.clear();
  changed_.notify_all();
}

bool MemoryPool::is_wanted(const MemorySizes& sizes) {
  const std::lock_guard lock(guard_);
  return sizes == sizes_ && pending_ > 0;
}

void MemoryPool::give_back(std::unique_ptr<WorkerMemory> memory, const MemorySizes& sizes) noexcept {
  try {
    const std::lock_guard lock(guard_);
    if (!memory->spoiled && sizes == sizes_) free_.push_back(std::move(memory));
  } catch (const std::bad_alloc&) {
    // The memory is freed then.
  }
}

// All zero and touched by several threads, since zeroing pages takes longer than a driver takes to pin them.
WordBuffer MemoryPool::touched_words(std::size_t words) {
  constexpr std::size_t kPageWords = 4096 / sizeof(Word), kPieceWords = (std::size_t{4} << 20) / sizeof(Word);
  WordBuffer made(words);
  threads_.for_each(ceil_div(words, kPieceWords), [&](std::size_t i, const ThreadPool::Stop&) {
    for (std::size_t at = i * kPieceWords; at < std::min(words, (i + 1) * kPieceWords); at += kPageWords)
      *static_cast<volatile Word*>(made.data() + at) = 0;
  });
  return made;
}

// One worker's pages are zeroed while the driver pins another's.
std::unique_ptr<WorkerMemory> MemoryPool::make(const MemorySizes& sizes) {
  WordBuffer bits = touched_words(sizes.plane_words);
  WordBuffer second = sizes.has_second ? touched_words(sizes.plane_words) : WordBuffer();
  const std::lock_guard lock(driver_);
  auto made = std::make_unique<WorkerMemory>();
  made->queue = cl::CommandQueue(context_, device_, CL_QUEUE_PROFILING_ENABLE);
  const cl::CommandQueue& queue = made->queue;
  made->bits = make_tile_plane(context_, queue, std::move(bits), unified_);
  if (sizes.has_second) made->second = make_tile_plane(context_, queue, std::move(second), unified_);
  const std::size_t pair_bytes =
      checked_mul(checked_add<std::size_t>(sizes.found_pairs, 1), sizeof(engine::Pair));
  made->found = {touched_buffer(context_, queue, pair_bytes), narrow<cl_uint>(sizes.found_pairs)};
  made->own_bits = touched_buffer(context_, queue, checked_mul(sizes.profiles, sizeof(Word)));
  made->staging = make_staging(context_, queue, pair_bytes);
  Word* const word = made->staging->reads.data();
  queue.enqueueWriteBuffer(made->own_bits, CL_TRUE, 0, sizeof *word, word);
  queue.enqueueReadBuffer(made->own_bits, CL_TRUE, 0, sizeof *word, word);
  return made;
}

}  // namespace fastid::opencl
