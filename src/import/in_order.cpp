#include "import/in_order.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

namespace fastid::imports {
namespace {

/// Lets threads pass one at a time, in the order of their numbers.
class Turnstile {
 public:
  /// Waits for the turn of `number`; false where another thread has failed, so that it may never come.
  bool wait(std::size_t number, const ThreadPool::Stop& stop) {
    std::unique_lock lock(guard_);
    constexpr std::chrono::milliseconds kLookUp(50);  // a thread that fails elsewhere does not notify
    while (turn_ != number) {
      if (stop) return false;
      changed_.wait_for(lock, kLookUp);
    }
    return true;
  }
  void pass() {
    const std::lock_guard lock(guard_);
    ++turn_;
    changed_.notify_all();
  }

 private:
  std::mutex guard_;
  std::condition_variable changed_;
  std::size_t turn_ = 0;
};

}  // namespace

void import_in_order(std::span<const std::string> files, const Panel& panel, const ImportOptions& options,
                     ThreadPool& pool, const ImportSteps& steps) {
  const std::size_t readers = std::min(pool.threads(), files.size());
  ImportOptions of_each = options;
  if (pool.threads() > 1 && readers > 0) {
    of_each.threads = pool.threads() / readers - 1;
    of_each.pool = of_each.threads > 0 ? &pool : nullptr;  // else each thread reads a file of its own
  }
  Turnstile turnstile;
  pool.for_each(files.size(), [&](std::size_t i, const ThreadPool::Stop& stop) {
    std::optional<ImportedProfiles> profiles;
    std::exception_ptr problem;
    try {
      profiles = import_profiles(files[i], panel, of_each);
      if (steps.check) steps.check(*profiles);
      profiles->sha256.get();  // before its turn, so that files are hashed in parallel, and may fail
    } catch (...) {
      problem = std::current_exception();  // the failure of an earlier file comes first
    }
    if (!turnstile.wait(i, stop)) return;
    if (problem && !steps.failed) std::rethrow_exception(problem);
    if (problem)
      steps.failed(i, problem);
    else
      steps.take(i, std::move(*profiles));
    turnstile.pass();
  });
}

}  // namespace fastid::imports
