// Several engines as one: pairs are cut into pieces of like work, and each engine takes the next piece when
// it has done one.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <utility>
#include <vector>

#include "base/thread_pool.hpp"
#include "hmm/pair_hmm.hpp"

namespace fastid::hmm {
namespace {

constexpr std::size_t kPieces = 8;  // for each engine, so that none waits long for the last one

/// Neighbouring pairs, [first, end).
struct Piece {
  std::size_t first = 0, end = 0;
};

/// Pieces of about as many cells each.
std::vector<Piece> pieces_of(const Pairs& pairs, std::size_t n) {
  const std::uint64_t each = pairs.cells() / n + 1;
  std::vector<Piece> pieces;
  std::uint64_t cells = 0;
  std::size_t first = 0;
  for (std::size_t i = 0; i < pairs.pairs().size(); ++i) {
    cells += pairs.cells_of(pairs.pairs()[i]);
    if (cells < each && i + 1 < pairs.pairs().size()) continue;
    pieces.push_back({first, i + 1});
    first = i + 1;
    cells = 0;
  }
  return pieces;
}

/// The pairs of a piece, with the sequences that they are of, each once.
Pairs part_of(const Pairs& all, const Piece& piece) {
  Pairs part;
  std::map<std::uint32_t, std::uint32_t> reads, haplotypes;  // old places, new places
  for (const Pair pair : all.pairs().subspan(piece.first, piece.end - piece.first)) {
    const auto [read, new_read] = reads.try_emplace(pair.read);
    if (new_read) read->second = part.add_read(all.read(pair.read));
    const auto [haplotype, new_haplotype] = haplotypes.try_emplace(pair.haplotype);
    if (new_haplotype) haplotype->second = part.add_haplotype(all.haplotype(pair.haplotype));
    part.add_pair({read->second, haplotype->second});
  }
  return part;
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

  std::vector<double> log10_likelihoods(const Pairs& pairs) override {
    std::vector<double> log10(pairs.pairs().size());
    const std::vector<Piece> pieces = pieces_of(pairs, kPieces * engines_.size());
    std::atomic<std::size_t> next = 0;
    std::atomic<std::uint64_t> rescued = 0;
    pool_.for_each(engines_.size(), [&](std::size_t e, const ThreadPool::Stop& stop) {
      for (std::size_t i = next++; i < pieces.size() && !stop; i = next++) {
        const std::vector<double> found = engines_[e]->log10_likelihoods(part_of(pairs, pieces[i]));
        std::ranges::copy(found, log10.begin() + static_cast<std::ptrdiff_t>(pieces[i].first));
        rescued += engines_[e]->rescued();
      }
    });
    rescued_ = rescued;
    return log10;
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
