/// \file
/// Engines of one problem as one, for engines that are called with a piece of work at a time. Each call goes
/// to the engine that has been free for longest, so each engine gets its share without any measurement or
/// prediction.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/lender.hpp"

namespace fastid::engine {

/// What the joint engine of a question derives from. An Engine has calls_at_once(): so many calls go to it at
/// a time.
template <class Engine>
class Joint : public Engine {
 public:
  /// \param engines  at least one
  explicit Joint(std::vector<std::unique_ptr<Engine>> engines) : engines_(std::move(engines)) {
    std::size_t most = 0;
    for (const auto& engine : engines_) most = std::max(most, engine->calls_at_once());
    for (std::size_t i = 0; i < most; ++i)
      for (const auto& engine : engines_)
        if (i < engine->calls_at_once()) free_.put(engine.get());
  }

  std::size_t calls_at_once() const final {
    std::size_t n = 0;
    for (const auto& engine : engines_) n += engine->calls_at_once();
    return n;
  }

 protected:
  std::span<const std::unique_ptr<Engine>> engines() const { return engines_; }
  const Engine& first() const { return *engines_.front(); }
  /// The engine of one call; waits until there is one.
  typename Lender<const Engine>::Loan lend() const { return free_.lend(); }

 private:
  std::vector<std::unique_ptr<Engine>> engines_;
  mutable Lender<const Engine> free_;
};

/// The only engine, or a JointOf of them all. \param engines  at least one \param more  what a JointOf takes
/// besides them
template <class JointOf, class Engine, class... More>
std::unique_ptr<Engine> as_one(std::vector<std::unique_ptr<Engine>> engines, const More&... more) {
  if (engines.size() == 1) return std::move(engines.front());
  return std::make_unique<JointOf>(std::move(engines), more...);
}

}  // namespace fastid::engine
