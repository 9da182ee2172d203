#include "base/thread_pool.hpp"

#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/process.hpp"

namespace fastid {

// All members are used under the guard, except that `failed` is read without it.
struct ThreadPool::Job {
  std::size_t n;
  const Piece& piece;
  std::size_t next = 0;     ///< first piece that nobody has taken
  std::size_t running = 0;  ///< pieces
  Stop failed = false;
  std::exception_ptr error;
};

/// A thread that makes a step holds this guard.
struct ThreadPool::Task::State {
  std::function<bool()> step;
  std::atomic<bool> claimed = false;  ///< by its owner, to whom the pool leaves all further steps
  bool done = false;
  std::exception_ptr error;
  std::mutex guard;

  void make_step() {
    try {
      done = !step();
    } catch (...) {
      error = std::current_exception();
      done = true;
    }
  }
};

ThreadPool::Task& ThreadPool::Task::operator=(Task&& other) noexcept {
  call_off();
  state_ = std::move(other.state_);
  return *this;
}

ThreadPool::Task::~Task() {
  call_off();
}

void ThreadPool::Task::call_off() noexcept {
  if (!state_) return;
  state_->claimed = true;
  const std::lock_guard lock(state_->guard);
  state_->done = true;
}

void ThreadPool::Task::get() {
  const std::shared_ptr<State> state = std::move(state_);
  state->claimed = true;
  const std::lock_guard lock(state->guard);
  while (!state->done) state->make_step();
  if (state->error) std::rethrow_exception(state->error);
}

ThreadPool::ThreadPool(std::size_t threads) {
  try {
    while (threads_.size() + 1 < threads) threads_.emplace_back([this] { serve(); });
  } catch (const std::exception&) {  // no thread, or no memory for one
    end();
    throw Failure("the system does not let " + std::to_string(threads) +
                  " threads run; ask for fewer: --threads");
  }
}

ThreadPool::~ThreadPool() {
  end();
}

void ThreadPool::end() noexcept {
  {
    const std::lock_guard lock(guard_);
    ending_ = true;
  }
  work_.notify_all();
  for (std::jthread& thread : threads_) thread.join();
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
  }
  lock.lock();
  if (error) {
    if (!job.error) job.error = error;
    job.failed = true;
    if (job.next < job.n) std::erase(jobs_, &job);
    job.next = job.n;
  }
  if (--job.running == 0) done_.notify_all();
  return true;
}

ThreadPool::Task ThreadPool::start(std::function<void()> work) {
  return start_steps([work = std::move(work)] {
    work();
    return false;
  });
}

ThreadPool::Task ThreadPool::start_steps(std::function<bool()> step) {
  auto state = std::make_shared<Task::State>();
  state->step = std::move(step);
  if (!threads_.empty()) {
    {
      const std::lock_guard lock(guard_);
      tasks_.push_back(state);
    }
    work_.notify_one();
  }
  return Task(std::move(state));
}

// Takes the next task and makes one step of it, unless its owner is working on it.
void ThreadPool::take_task(std::unique_lock<std::mutex>& lock) {
  const std::shared_ptr<Task::State> task = std::move(tasks_.front());
  tasks_.pop_front();
  lock.unlock();
  bool again = false;
  if (const std::unique_lock step(task->guard, std::try_to_lock); step && !task->claimed && !task->done) {
    task->make_step();
    again = !task->done;
  }
  lock.lock();
  if (again && !task->claimed) tasks_.push_back(task);
}

void ThreadPool::serve() {
  std::unique_lock lock(guard_);
  for (;;) {
    work_.wait(lock, [this] { return ending_ || !jobs_.empty() || !tasks_.empty(); });
    if (ending_) return;
    if (!tasks_.empty())
      take_task(lock);
    else
      take_piece(lock, *jobs_.front());
  }
}

void in_parallel(std::size_t n, std::size_t threads, const std::function<void(std::size_t i)>& work) {
  ThreadPool(std::min(threads_or_all(threads), n)).for_each(n, [&](std::size_t i, const ThreadPool::Stop&) {
    check_interrupt();
    work(i);
  });
}

}  // namespace fastid
