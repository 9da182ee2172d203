#include "opencl/memory/plane_pool.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <mutex>
#include <utility>

#include "base/threads.hpp"

namespace fastid {
namespace {

// All zero and touched: zeroing pages takes longer than a driver does to take them.
WordBuffer touched_words(std::size_t words, std::size_t threads) {
  constexpr std::size_t kPageWords = 4096 / sizeof(Word),
                        kThreadWords = (std::size_t{4} << 20) / sizeof(Word);
  WordBuffer made(words);
  const std::size_t n = std::clamp<std::size_t>(words / kThreadWords, 1, std::max<std::size_t>(1, threads));
  run_crew(n, [&](std::size_t i, const std::atomic<bool>&) {
    for (std::size_t at = i * words / n; at < (i + 1) * words / n; at += kPageWords)
      *static_cast<volatile Word*>(made.data() + at) = 0;
  });
  return made;
}

}  // namespace

std::shared_ptr<PlanePool> make_plane_pool(const cl::Context& context, const cl::Device& device, bool unified,
                                           std::size_t threads) {
  // Planes are made one after the other, so that the first one is there soon; one's pages are zeroed while
  // the driver takes those of another.
  return std::make_shared<PlanePool>(
      [=, driver = std::make_shared<std::mutex>()](
          std::size_t words, const std::function<bool()>& wanted) -> std::unique_ptr<TilePlane> {
        if (!wanted()) return nullptr;
        WordBuffer touched = touched_words(words, threads);
        const std::lock_guard lock(*driver);
        if (!wanted()) return nullptr;
        // A queue of its own: where memory lacked, a driver may have given up the last one.
        const cl::CommandQueue queue(context, device);
        return make_tile_plane(context, queue, std::move(touched), unified);
      });
}

}  // namespace fastid
