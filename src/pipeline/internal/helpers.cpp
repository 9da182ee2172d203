#include "pipeline/internal/helpers.hpp"

#include <string>
#include <system_error>

#include "base/error.hpp"

namespace fastid {

// All under the guard.
struct Helpers::Job {
  std::size_t n;
  const std::function<void(std::size_t)>& piece;
  std::size_t next = 0;     ///< first piece that nobody has taken
  std::size_t running = 0;  ///< pieces
  std::exception_ptr error;
};

void Helpers::start() {
  try {
    while (threads_.size() < n_threads_) threads_.emplace_back([this] { help(); });
  } catch (const std::system_error&) {
    throw Failure("the system does not let " + std::to_string(n_threads_) +
                  " threads help; ask for fewer: --threads");
  }
}

Helpers::~Helpers() {
  {
    const std::lock_guard lock(guard_);
    ending_ = true;
  }
  work_.notify_all();
  threads_.clear();
}

void Helpers::share(std::size_t n, const std::function<void(std::size_t)>& piece, Order order) {
  if (n_threads_ == 0 || n <= 1) {
    for (std::size_t i = 0; i < n; ++i) piece(i);
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
bool Helpers::take_piece(std::unique_lock<std::mutex>& lock, Job& job) {
  if (job.next == job.n) return false;
  const std::size_t taken = job.next++;
  ++job.running;
  if (job.next == job.n) std::erase(jobs_, &job);
  lock.unlock();
  std::exception_ptr error;
  try {
    job.piece(taken);
  } catch (...) {
    error = std::current_exception();
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

void Helpers::help() {
  std::unique_lock lock(guard_);
  for (;;) {
    work_.wait(lock, [this] { return ending_ || !jobs_.empty(); });
    if (ending_) return;
    take_piece(lock, *jobs_.front());
  }
}

}  // namespace fastid
