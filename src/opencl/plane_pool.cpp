#include "opencl/plane_pool.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include "base/log.hpp"
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

PlanePool::PlanePool(const cl::Context& context, const cl::Device& device, bool unified, std::size_t threads)
    : context_(context), device_(device), unified_(unified), threads_(threads) {}

PlanePool::~PlanePool() {
  end_preparing();
}

void PlanePool::prepare(std::size_t n, std::size_t words) {
  end_preparing();
  preparing_ = {};  // waits for what is under way
  {
    const std::lock_guard lock(guard_);
    ask_for(words);
    if (free_.size() > n) free_.resize(n);
    pending_ = n = n - free_.size();
  }
  if (n == 0) return;
  try {
    preparing_ = std::jthread([this, n, words] { make_free(n, words); });
  } catch (const std::system_error&) {
    end_preparing();  // without its help then
  }
}

std::shared_ptr<TilePlane> PlanePool::take(std::size_t words) {
  std::unique_ptr<TilePlane> plane = take_free(words);
  if (!plane) plane = make(words, [] { return true; });
  return {plane.release(), [pool = shared_from_this(), words](TilePlane* used) {
            pool->give_back(std::unique_ptr<TilePlane>(used), words);
          }};
}

// Each on a thread of its own: one's pages are zeroed while the driver takes those of another.
void PlanePool::make_free(std::size_t n, std::size_t words) {
  try {
    run_crew(n, [&](std::size_t, const std::atomic<bool>& failed) {
      const auto wanted = [&] {
        const std::lock_guard lock(guard_);
        return !failed && words == words_ && pending_ > 0;
      };
      std::unique_ptr<TilePlane> made = make(words, wanted);
      const std::lock_guard lock(guard_);
      if (made == nullptr || words != words_ || pending_ == 0) return;
      free_.push_back(std::move(made));
      --pending_;
      changed_.notify_all();
    });
  } catch (const std::exception& error) {
    log::detail("a tile's memory could not be had ahead: {}", error.what());
  }
  end_preparing();
}

// Nobody waits any more for what has not been made.
void PlanePool::end_preparing() {
  const std::lock_guard lock(guard_);
  pending_ = 0;
  changed_.notify_all();
}

// Under the guard.
void PlanePool::ask_for(std::size_t words) {
  if (words == words_) return;
  words_ = words;
  pending_ = 0;
  free_.clear();
  changed_.notify_all();
}

// Null where there is none, nor will be.
std::unique_ptr<TilePlane> PlanePool::take_free(std::size_t words) {
  std::unique_lock lock(guard_);
  ask_for(words);
  changed_.wait(lock, [&] { return words != words_ || !free_.empty() || pending_ == 0; });
  if (words != words_ || free_.empty()) return nullptr;
  std::unique_ptr<TilePlane> plane = std::move(free_.back());
  free_.pop_back();
  return plane;
}

void PlanePool::give_back(std::unique_ptr<TilePlane> plane, std::size_t words) noexcept {
  try {
    const std::lock_guard lock(guard_);
    if (words == words_) free_.push_back(std::move(plane));
  } catch (const std::bad_alloc&) {
    // It goes then.
  }
}

// Null where it is no longer wanted by the time that the driver could take it.
std::unique_ptr<TilePlane> PlanePool::make(std::size_t words, const std::function<bool()>& wanted) {
  if (!wanted()) return nullptr;
  WordBuffer touched = touched_words(words, threads_);
  const std::lock_guard lock(driver_);
  if (!wanted()) return nullptr;
  // A queue of its own: where memory lacked, a driver may have given up the last one.
  const cl::CommandQueue queue(context_, device_);
  return make_tile_plane(context_, queue, std::move(touched), unified_);
}

}  // namespace fastid
