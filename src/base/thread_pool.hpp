/// \file
/// The one way in which fastid runs work on several threads.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace fastid {

/// Threads that wait for work. The caller of for_each() works too, so that a pool of one has no thread of its
/// own, and for_each() may be called from within its pieces.
class ThreadPool {
 public:
  /// Which job's pieces come first: the oldest job's (kInTurn), or this job's, if it is short (kAhead).
  enum class Order { kInTurn, kAhead };

  /// \param threads  that work at the same time, the caller's among them; 0 is taken for 1
  /// \throws Failure where the system gives no more threads
  explicit ThreadPool(std::size_t threads);
  /// Tasks that no thread has begun are run by their owner when it waits for them.
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::size_t threads() const { return threads_.size() + 1; }

  /// True once a piece of the same for_each() has thrown: a piece that takes long should then return at its
  /// next safe point.
  using Stop = std::atomic<bool>;
  using Piece = std::function<void(std::size_t i, const Stop& stop)>;

  /// Runs piece(0) .. piece(n - 1), begun in this order, on the caller and on whichever threads are free, and
  /// waits for all. From any thread. \throws what a piece threw first, once none is running any more; pieces
  /// that were not begun by then are left out
  void for_each(std::size_t n, const Piece& piece, Order order = Order::kInTurn);

  /// Work that start() was given. A thread that waits for it does what no other thread has begun, so that
  /// waiting is safe while the pool's threads are busy, and in a pool of one.
  class Task {
   public:
    Task() = default;
    Task(Task&&) = default;
    Task& operator=(Task&& other) noexcept;
    /// Work that was not begun is called off, and running work is waited for: nothing uses the owner's
    /// objects afterwards.
    ~Task();

    bool valid() const { return state_ != nullptr; }
    /// Waits, once. \throws what the work threw
    void get();

   private:
    friend ThreadPool;
    struct State;
    explicit Task(std::shared_ptr<State> state) : state_(std::move(state)) {}
    void call_off() noexcept;

    std::shared_ptr<State> state_;
  };

  /// Has a thread of the pool do `work`. Tasks are done in the order of start(), before pieces of for_each().
  /// From any thread.
  [[nodiscard]] Task start(std::function<void()> work);
  /// start() for long work that yields to other tasks: `step` is called until it returns false, and after
  /// each step tasks that were started meanwhile come first.
  [[nodiscard]] Task start_steps(std::function<bool()> step);

 private:
  struct Job;
  bool take_piece(std::unique_lock<std::mutex>& lock, Job& job);
  void take_task(std::unique_lock<std::mutex>& lock);
  void serve();
  void end() noexcept;

  std::mutex guard_;
  std::condition_variable work_, done_;
  std::deque<Job*> jobs_;  ///< with pieces left
  std::deque<std::shared_ptr<Task::State>> tasks_;
  bool ending_ = false;
  std::vector<std::jthread> threads_;
};

/// work(i) for each i below `n`, on up to `threads` threads (0: one for each CPU). \throws Interrupted, what
/// work threw
void in_parallel(std::size_t n, std::size_t threads, const std::function<void(std::size_t i)>& work);

}  // namespace fastid
