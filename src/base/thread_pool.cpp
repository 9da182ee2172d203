#include "base/thread_pool.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <system_error>
#include <utility>

#include "base/error.hpp"

namespace fastid {

// All but `failed` under the guard.
struct ThreadPool::Job {
  std::size_t n;
  const Piece& piece;
  std::size_t next = 0;     ///< first piece that nobody has taken
  std::size_t running = 0;  ///< pieces
  Stop failed = false;
  std::exception_ptr error;
};

ThreadPool::ThreadPool(std::size_t threads) {
  try {
    while (threads_.size() + 1 < threads) threads_.emplace_back([this] { serve(); });
  } catch (const std::system_error&) {
    {
      const std::lock_guard lock(guard_);
      ending_ = true;
    }
    work_.notify_all();
    throw Failure("the system does not let " + std::to_string(threads) +
                  " threads run; ask for fewer: --threads");
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard lock(guard_);
    ending_ = true;
  }
  work_.notify_all();
  threads_.clear();
}

void ThreadPool::for_each(std::size_t n, const Piece& piece, Order order) {
  if (threads_.empty() || n <= 1) {
    const Stop never = false;
    for (std::size_t i = 0; i < n; ++i) piece(i, never);
    return;
  }
  Job job{n, piece};
  std::unique_lock lock(guard_);
  jobs_.insert(order == Order::kAhead ? jobs_.begin() : jobs_.end(), &job);
  work_.notify_all();
  while (take_piece(lock, job)) {
  }
  done_.wait(lock, [&] { return job.running == 0; });
  if (job.error) std::rethrow_exception(job.error);
}

// False where the job has no piece left to take.
bool ThreadPool::take_piece(std::unique_lock<std::mutex>& lock, Job& job) {
  if (job.next == job.n) return false;
  const std::size_t taken = job.next++;
  ++job.running;
  if (job.next == job.n) std::erase(jobs_, &job);
  lock.unlock();
  std::exception_ptr error;
  try {
    job.piece(taken, job.failed);
  } catch (...) {
    error = std::current_exception();
    job.failed = true;
  }
  lock.lock();
  if (error) {
    if (!job.error) job.error = error;
    if (job.next < job.n) std::erase(jobs_, &job);
    job.next = job.n;
  }
  if (--job.running == 0) done_.notify_all();
  return true;
}

std::future<void> ThreadPool::start(std::function<void()> work) {
  if (threads_.empty()) return std::async(std::launch::deferred, std::move(work));
  std::packaged_task<void()> task(std::move(work));
  std::future<void> done = task.get_future();
  {
    const std::lock_guard lock(guard_);
    tasks_.push_back(std::move(task));
  }
  work_.notify_one();
  return done;
}

void ThreadPool::serve() {
  std::unique_lock lock(guard_);
  for (;;) {
    work_.wait(lock, [this] { return ending_ || !jobs_.empty() || !tasks_.empty(); });
    if (!tasks_.empty()) {
      std::packaged_task<void()> task = std::move(tasks_.front());
      tasks_.pop_front();
      lock.unlock();
      task();
      lock.lock();
    } else if (!jobs_.empty()) {
      take_piece(lock, *jobs_.front());
    } else {
      return;  // ending
    }
  }
}

}  // namespace fastid
