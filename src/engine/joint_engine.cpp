// Several engines as one. Lanes take tiles as they get done with their last, so nothing has to be measured or
// foretold to give each engine its share.
#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "engine/engine.hpp"

namespace fastid {
namespace {

class JointEngine final : public Engine {
 public:
  explicit JointEngine(std::vector<std::unique_ptr<Engine>> engines) : engines_(std::move(engines)) {}

  std::string name() const override {
    return joined("+", [](const Engine& engine) { return engine.name(); });
  }
  std::string description() const override {
    return joined("; ", [](const Engine& engine) { return engine.description(); });
  }

  void meet(const Problem& problem) override {
    for (const auto& engine : engines_) engine->meet(problem);
  }

  // One size of tile for all, which the smallest of them can hold.
  LanePlan plan(const Problem& problem) const override {
    LanePlan joint = engines_.front()->plan(problem);
    for (std::size_t i = 1; i < engines_.size(); ++i) {
      const LanePlan own = engines_[i]->plan(problem);
      joint.lanes += own.lanes;
      joint.tile_blocks = std::min(joint.tile_blocks, own.tile_blocks);
      joint.first_tile_blocks = std::min(joint.first_tile_blocks, own.first_tile_blocks);
      joint.closes = std::min(joint.closes, own.closes);
      joint.readers = std::max(joint.readers, own.readers);
      joint.queries = std::min(joint.queries, own.queries);
      joint.keeps &= own.keeps;
      joint.small_last = true;
    }
    return joint;
  }

  DevicePeaks peaks() const override {
    DevicePeaks sum;
    for (const auto& engine : engines_) {
      const DevicePeaks own = engine->peaks();
      if (own.comparisons == 0 || own.upload == 0) return {};  // a sum of what is known would mislead
      sum.comparisons += own.comparisons;
      sum.upload += own.upload;
    }
    return sum;
  }

  // The i-th lane that is opened belongs to the engine whose lane it is when the engines' lanes are counted
  // through, again and again: as many to each as its plan says, however often lanes are opened anew. Where
  // one could not be, another will be tried in its place.
  std::unique_ptr<Lane> open_lane(const Problem& problem, std::size_t tile_blocks) override {
    std::vector<std::size_t> owners;
    for (std::size_t i = 0; i < engines_.size(); ++i)
      owners.insert(owners.end(), engines_[i]->plan(problem).lanes, i);
    const std::size_t place = take_place();
    try {
      return engines_[owners[place % owners.size()]]->open_lane(problem, tile_blocks);
    } catch (...) {
      const std::lock_guard lock(guard_);
      given_back_.push_back(place);
      throw;
    }
  }

 private:
  template <class Text>
  std::string joined(const char* between, const Text& text) const {
    std::string made;
    for (const auto& engine : engines_) made += (made.empty() ? "" : between) + text(*engine);
    return made;
  }

  std::size_t take_place() {
    const std::lock_guard lock(guard_);
    if (given_back_.empty()) return opened_++;
    const std::size_t place = given_back_.back();
    given_back_.pop_back();
    return place;
  }

  std::vector<std::unique_ptr<Engine>> engines_;
  std::mutex guard_;
  std::size_t opened_ = 0;
  std::vector<std::size_t> given_back_;
};

}  // namespace

std::unique_ptr<Engine> make_joint_engine(std::vector<std::unique_ptr<Engine>> engines) {
  if (engines.size() == 1) return std::move(engines.front());
  return std::make_unique<JointEngine>(std::move(engines));
}

}  // namespace fastid
