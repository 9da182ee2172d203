/// \file
/// The one way in which fastid runs work on several threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace fastid {

/// Threads that wait for work. Whoever calls for_each() works too, so that a pool of one thread has none of
/// its own, and for_each() may be called from within its own pieces.
class ThreadPool {
 public:
  /// Whose pieces are taken first: those of who asked first, or, of what is short, those of who asked last.
  enum class Order { kInTurn, kAhead };

  /// \param threads  that work at the same time, the caller's among them; 0 is taken for 1
  /// \throws Failure where the system gives no more threads
  explicit ThreadPool(std::size_t threads);
  /// Finishes what start() was given.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::size_t threads() const { return threads_.size() + 1; }

  /// True once a piece of the same for_each() has thrown: a piece that takes long should then return at its
  /// next safe point.
  using Stop = std::atomic<bool>;
  using Piece = std::function<void(std::size_t i, const Stop& stop)>;

  /// Runs piece(0) .. piece(n - 1), in any order, on the caller and on whichever threads are free, and waits
  /// for all. From any thread. \throws what a piece threw first, once none is running any more; pieces that
  /// were not begun by then are left out
  void for_each(std::size_t n, const Piece& piece, Order order = Order::kInTurn);

  /// Has a thread of the pool do `work`, in the order of asking, before pieces of for_each(). In a pool of
  /// one thread it is done when the future is waited for.
  std::future<void> start(std::function<void()> work);

 private:
  struct Job;
  bool take_piece(std::unique_lock<std::mutex>& lock, Job& job);
  void serve();

  std::mutex guard_;
  std::condition_variable work_, done_;
  std::deque<Job*> jobs_;  ///< with pieces left
  std::deque<std::packaged_task<void()>> tasks_;
  bool ending_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace fastid
