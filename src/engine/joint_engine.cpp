// Several engines as one. Each worker takes the next tile when it has finished one, so each engine gets its
// share of the work without any measurement or prediction.
#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/thread_pool.hpp"
#include "engine/engine.hpp"

namespace fastid::engine {
namespace {

class JointQueries final : public PreparedQueries {
 public:
  /// \param owners  for each worker, in the order of opening, the place of its engine in `parts`
  JointQueries(std::vector<std::unique_ptr<PreparedQueries>> parts, std::vector<std::size_t> owners)
      : parts_(std::move(parts)), owners_(std::move(owners)) {}

  // The place of a worker that cannot be opened is given back, and the next call tries it again.
  std::unique_ptr<Worker> open_worker(std::size_t tile_blocks) override {
    const std::size_t place = take_place();
    try {
      return parts_[owners_[place % owners_.size()]]->open_worker(tile_blocks);
    } catch (...) {
      const std::lock_guard lock(guard_);
      given_back_.push_back(place);
      throw;
    }
  }

 private:
  std::size_t take_place() {
    const std::lock_guard lock(guard_);
    if (given_back_.empty()) return opened_++;
    const std::size_t place = given_back_.back();
    given_back_.pop_back();
    return place;
  }

  std::vector<std::unique_ptr<PreparedQueries>> parts_;
  std::vector<std::size_t> owners_;
  std::mutex guard_;
  std::size_t opened_ = 0;
  std::vector<std::size_t> given_back_;
};

class JointEngine final : public Engine {
 public:
  explicit JointEngine(std::vector<std::unique_ptr<Engine>> engines) : engines_(std::move(engines)) {}

  std::string name() const override {
    return joined("+", [](const Engine& engine) { return engine.name(); });
  }
  std::string description() const override {
    return joined("; ", [](const Engine& engine) { return engine.description(); });
  }

  // All engines get the same size of tile, whoever takes it: the smallest that any of them plans. Devices to
  // which tiles are copied share it, so that tiles on their way to all of them stay in the host's cache as
  // those to one do.
  WorkPlan plan(const Problem& problem) const override {
    WorkPlan joint = engines_.front()->plan(problem);
    std::size_t copied_to = joint.readers > 0 ? 1 : 0;
    for (std::size_t i = 1; i < engines_.size(); ++i) {
      const WorkPlan own = engines_[i]->plan(problem);
      joint.workers += own.workers;
      copied_to += own.readers > 0 ? 1 : 0;
      joint.tile_blocks = std::min(joint.tile_blocks, own.tile_blocks);
      joint.readers = std::max(joint.readers, own.readers);
      joint.queries = std::min(joint.queries, own.queries);
      joint.small_first = joint.small_first && own.small_first;
      joint.small_last = true;
    }
    if (!joint.equal_tiles && copied_to > 1)
      joint.tile_blocks = std::max<std::size_t>(1, joint.tile_blocks / copied_to);
    return joint;
  }

  bool supports(const Problem& problem) const override {
    return std::ranges::all_of(engines_, [&](const auto& engine) { return engine->supports(problem); });
  }

  DevicePeaks peaks() const override {
    DevicePeaks sum;
    for (const auto& engine : engines_) {
      const DevicePeaks own = engine->peaks();
      if (own.comparisons == 0 || own.upload == 0) return {};  // the sum of only some peaks would mislead
      sum.comparisons += own.comparisons;
      sum.upload += own.upload;
    }
    return sum;
  }

  std::unique_ptr<PreparedQueries> prepare(const Problem& problem, const WorkPlan& plan) override {
    std::vector<std::size_t> owners;
    std::vector<WorkPlan> plans(engines_.size(), plan);
    for (std::size_t i = 0; i < engines_.size(); ++i) {
      const std::size_t workers = engines_[i]->plan(problem).workers;
      owners.insert(owners.end(), workers, i);
      plans[i].workers = std::min(workers, plan.workers);
    }
    std::vector<std::unique_ptr<PreparedQueries>> parts(engines_.size());
    in_parallel(parts.size(), parts.size(),
                [&](std::size_t i) { parts[i] = engines_[i]->prepare(problem, plans[i]); });
    return std::make_unique<JointQueries>(std::move(parts), std::move(owners));
  }

 private:
  template <class Text>
  std::string joined(const char* between, const Text& text) const {
    std::string made;
    for (const auto& engine : engines_) made.append(made.empty() ? "" : between).append(text(*engine));
    return made;
  }

  std::vector<std::unique_ptr<Engine>> engines_;
};

}  // namespace

std::unique_ptr<Engine> make_joint_engine(std::vector<std::unique_ptr<Engine>> engines) {
  if (engines.size() == 1) return std::move(engines.front());
  return std::make_unique<JointEngine>(std::move(engines));
}

}  // namespace fastid::engine
