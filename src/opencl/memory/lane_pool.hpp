/// \file
/// Memory of lanes that stays with an engine when a lane is closed: a driver takes longer to make it than to
/// open the rest of a lane.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "base/log.hpp"
#include "base/threads.hpp"

namespace fastid {

/// Items of one size: that which was last asked for. Thread-safe.
template <class Item, class Size>
class LanePool : public std::enable_shared_from_this<LanePool<Item, Size>> {
 public:
  /// Makes an item; null where `wanted` tells in time that it is not wanted any more. From any thread.
  using Make = std::function<std::unique_ptr<Item>(const Size& size, const std::function<bool()>& wanted)>;

  explicit LanePool(Make make) : make_(std::move(make)) {}
  ~LanePool() { end_preparing(); }
  LanePool(const LanePool&) = delete;
  LanePool& operator=(const LanePool&) = delete;

  /// Begins to make what there is less than `n` items of a size, on threads of its own, and frees what there
  /// is more. What fails will fail again in take(), which says so. Called by one thread at a time.
  void prepare(std::size_t n, const Size& size) {
    end_preparing();
    preparing_ = {};  // waits for what is under way
    {
      const std::lock_guard lock(guard_);
      ask_for(size);
      if (free_.size() > n) free_.resize(n);
      pending_ = n = n - free_.size();
    }
    if (n == 0) return;
    try {
      preparing_ = std::jthread([this, n, size] { make_free(n, size); });
    } catch (const std::system_error&) {
      end_preparing();  // without its help then
    }
  }

  /// Frees what nobody has.
  void drop_free() {
    const std::lock_guard lock(guard_);
    free_.clear();
  }

  /// An item that is free or was being made, else a new one: anything in it. Comes back to the pool with its
  /// last owner, unless it is `spoiled` by then. \throws what making one throws
  std::shared_ptr<Item> take(const Size& size) {
    std::unique_ptr<Item> item = take_free(size);
    if (!item) item = make_(size, [] { return true; });
    return {item.release(), [pool = this->shared_from_this(), size](Item* used) {
              pool->give_back(std::unique_ptr<Item>(used), size);
            }};
  }

 private:
  // Each on a thread of its own: of a plane, the host has a part of the work.
  void make_free(std::size_t n, const Size& size) {
    try {
      run_crew(n, [&](std::size_t, const std::atomic<bool>& failed) {
        std::unique_ptr<Item> made = make_(size, [&] {
          const std::lock_guard lock(guard_);
          return !failed && size == size_ && pending_ > 0;
        });
        const std::lock_guard lock(guard_);
        if (made == nullptr || size != size_ || pending_ == 0) return;
        free_.push_back(std::move(made));
        --pending_;
        changed_.notify_all();
      });
    } catch (const std::exception& error) {
      log::detail("a lane's memory could not be had ahead: {}", error.what());
    }
    end_preparing();
  }

  // Nobody waits any more for what has not been made.
  void end_preparing() {
    const std::lock_guard lock(guard_);
    pending_ = 0;
    changed_.notify_all();
  }

  // Under the guard.
  void ask_for(const Size& size) {
    if (size == size_) return;
    size_ = size;
    pending_ = 0;
    free_.clear();
    changed_.notify_all();
  }

  // Null where there is none, nor will be.
  std::unique_ptr<Item> take_free(const Size& size) {
    std::unique_lock lock(guard_);
    ask_for(size);
    changed_.wait(lock, [&] { return size != size_ || !free_.empty() || pending_ == 0; });
    if (size != size_ || free_.empty()) return nullptr;
    std::unique_ptr<Item> item = std::move(free_.back());
    free_.pop_back();
    return item;
  }

  void give_back(std::unique_ptr<Item> item, const Size& size) noexcept {
    try {
      if constexpr (requires { item->spoiled; })
        if (item->spoiled) return;
      const std::lock_guard lock(guard_);
      if (size == size_) free_.push_back(std::move(item));
    } catch (const std::bad_alloc&) {
      // It goes then.
    }
  }

  Make make_;
  std::mutex guard_;  ///< of what follows
  std::condition_variable changed_;
  Size size_{};              ///< of each item that is kept
  std::size_t pending_ = 0;  ///< items that are being made ahead
  std::vector<std::unique_ptr<Item>> free_;
  std::jthread preparing_;  ///< last: it uses all of them
};

}  // namespace fastid
