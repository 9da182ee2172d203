/// \file
/// Resources that threads use one at a time: a thread that needs one waits until one is free.
#pragma once

#include <condition_variable>
#include <deque>
#include <mutex>

namespace fastid {

/// Thread-safe. Does not own the things.
template <class T>
class Lender {
 public:
  /// One of the things, until it goes out of scope.
  class Loan {
   public:
    explicit Loan(Lender& from) : from_(from), lent_(from.take()) {}
    ~Loan() { from_.put(lent_); }
    Loan(const Loan&) = delete;
    Loan& operator=(const Loan&) = delete;

    T& operator*() const { return *lent_; }
    T* operator->() const { return lent_; }

   private:
    Lender& from_;
    T* lent_;
  };

  void put(T* thing) {
    {
      const std::lock_guard lock(guard_);
      free_.push_back(thing);
    }
    returned_.notify_one();
  }

  /// Lends the thing that has been free for longest; waits where none is free.
  Loan lend() { return Loan(*this); }

 private:
  T* take() {
    std::unique_lock lock(guard_);
    returned_.wait(lock, [&] { return !free_.empty(); });
    T* const thing = free_.front();
    free_.pop_front();
    return thing;
  }

  std::mutex guard_;
  std::condition_variable returned_;
  std::deque<T*> free_;
};

}  // namespace fastid
