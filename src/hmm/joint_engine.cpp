// Several engines as one: reads are cut into pieces with equal numbers of pairs, and each engine takes the
// next piece when it has finished one.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "base/thread_pool.hpp"
#include "hmm/pair_hmm.hpp"

namespace fastid::hmm {
namespace {

constexpr std::size_t kPieces = 8;  // for each engine, so that none waits long for the last one

/// Pieces with about equal numbers of pairs, found without looking at every read.
std::vector<IndexRange> pieces_of(const Groups& groups, IndexRange reads, std::size_t n) {
  const auto starts = groups.pair_starts();
  const auto first = starts.begin() + reads.first, last = starts.begin() + reads.end;
  std::vector<IndexRange> pieces;
  for (std::uint32_t at = reads.first; at < reads.end; at = pieces.back().end) {
    const std::uint64_t wanted = *first + std::uint64_t{*last - *first} * (pieces.size() + 1) / n;
    const auto found = std::lower_bound(starts.begin() + at + 1, last, wanted);
    pieces.push_back({at, static_cast<std::uint32_t>(found - starts.begin())});
  }
  return pieces;
}

class JointLikelihoods final : public LikelihoodEngine {
 public:
  explicit JointLikelihoods(std::vector<std::unique_ptr<LikelihoodEngine>> engines)
      : engines_(std::move(engines)), pool_(engines_.size()) {}

  std::string description() const override {
    std::string text;
    for (const auto& engine : engines_) text += (text.empty() ? "" : " + ") + engine->description();
    return text;
  }

  void compute(const Groups& groups, IndexRange reads, std::span<double> log10) override {
    const std::vector<IndexRange> pieces = pieces_of(groups, reads, kPieces * engines_.size());
    std::atomic<std::size_t> next = 0;
    std::atomic<std::uint64_t> rescued = 0;
    pool_.for_each(engines_.size(), [&](std::size_t e, const ThreadPool::Stop& stop) {
      for (std::size_t i = next++; i < pieces.size() && !stop; i = next++) {
        engines_[e]->compute(groups, pieces[i], groups.part_of(log10, reads, pieces[i]));
        rescued += engines_[e]->rescued();
      }
    });
    rescued_ = rescued;
  }

  std::uint64_t rescued() const override { return rescued_; }

 private:
  std::vector<std::unique_ptr<LikelihoodEngine>> engines_;
  ThreadPool pool_;  ///< a thread for each engine
  std::uint64_t rescued_ = 0;
};

}  // namespace

std::unique_ptr<LikelihoodEngine> make_joint_engine(std::vector<std::unique_ptr<LikelihoodEngine>> engines) {
  if (engines.size() == 1) return std::move(engines.front());
  return std::make_unique<JointLikelihoods>(std::move(engines));
}

}  // namespace fastid::hmm
