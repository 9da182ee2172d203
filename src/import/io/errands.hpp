/// \file
/// Short pieces of work for a thread that is busy with a long one, which nobody waits for yet. Where there
/// are two CPUs for three threads, the one that all wait for so keeps a CPU to itself.
#pragma once

#include <atomic>
#include <functional>
#include <future>
#include <mutex>
#include <utility>
#include <vector>

namespace fastid {

class Errands {
 public:
  /// What makes a thread run errands. At its end those that are left are run.
  class Runner {
   public:
    explicit Runner(Errands& errands) : errands_(errands) { errands_.set_open(true); }
    ~Runner() {
      errands_.set_open(false);
      run();
    }
    Runner(const Runner&) = delete;
    Runner& operator=(const Runner&) = delete;

    /// Does what was asked for since the last call. Costs next to nothing where that is nothing.
    void run() {
      if (!errands_.asked_) return;
      for (auto& errand : errands_.take()) errand();
    }

   private:
    Errands& errands_;
  };

  /// Has `work` done by the thread that runs errands, or where there is none as std::async(policy) has it.
  /// The future may not wait when it is destroyed: who dies before `work` is done waits.
  std::future<void> ask(std::launch policy, std::function<void()> work) {
    {
      const std::lock_guard lock(guard_);
      if (open_) {
        asked_ = true;
        return errands_.emplace_back(std::move(work)).get_future();
      }
    }
    return std::async(policy, std::move(work));
  }

 private:
  using List = std::vector<std::packaged_task<void()>>;

  void set_open(bool open) {
    const std::lock_guard lock(guard_);
    open_ = open;
  }
  List take() {
    const std::lock_guard lock(guard_);
    asked_ = false;
    return std::exchange(errands_, {});
  }

  std::mutex guard_;
  bool open_ = false;
  List errands_;
  std::atomic<bool> asked_{false};
};

}  // namespace fastid
