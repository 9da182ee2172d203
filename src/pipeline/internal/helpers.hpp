/// \file
/// Threads that help the lanes with what falls into pieces: a tile's read, the candidates of a tile.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace fastid {

class Helpers {
 public:
  /// Whose pieces are taken first: those of who asked first, or, of what is short beside a tile's read, those
  /// of who asked last.
  enum class Order { kInTurn, kAhead };

  /// \param threads  0: callers do their work alone, as they do until start()
  explicit Helpers(std::size_t threads) : n_threads_(threads) {}
  ~Helpers();
  Helpers(const Helpers&) = delete;
  Helpers& operator=(const Helpers&) = delete;

  std::size_t threads() const { return n_threads_; }

  /// Has the threads begin, unless they have: while others may be sharing already. By one thread at a time.
  /// \throws Failure where the system gives no more threads
  void start();

  /// Runs piece(0) .. piece(n - 1), in any order, on the caller and on whoever of the threads is free. From
  /// any thread. \throws what a piece throws first, once none is running any more; those not begun by then
  /// are left out
  void share(std::size_t n, const std::function<void(std::size_t)>& piece, Order order = Order::kInTurn);

 private:
  struct Job;
  bool take_piece(std::unique_lock<std::mutex>& lock, Job& job);
  void help();

  std::size_t n_threads_;
  std::mutex guard_;
  std::condition_variable work_, done_;
  std::deque<Job*> jobs_;  ///< with pieces left
  bool ending_ = false;
  std::vector<std::jthread> threads_;
};

}  // namespace fastid
