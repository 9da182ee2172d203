/// \file
/// When to check whether the rest of a count can still matter.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace fastid::engine {

/// How many words to count before checking whether the rest can matter. Counts only grow, so once all have
/// reached their queries' limits the pairs are done. Unrelated people differ at a quarter or more of a word's
/// sites, so a count passes its limit within a word for each 8 of the limit. Where checking rarely helps
/// (mixtures, related people), it is done later, and in the end not at all. The result does not depend on it.
class EarlyExit {
 public:
  explicit EarlyExit(std::size_t n_words) : n_words_(n_words) {}

  /// Words to count first where the largest limit is `limit`; 0: all at once.
  std::size_t words(std::uint32_t limit) const {
    const std::uint64_t words = std::max<std::uint64_t>(2, std::uint64_t{limit} / kSitesAWord) * factor_;
    return words <= n_words_ / 2 ? static_cast<std::size_t>(words) : 0;
  }

  /// Notes how many checks there were, and how many found all pairs done.
  void note(std::size_t checks, std::size_t done) {
    paid_ += done;
    checks_ += checks;
    if (checks_ < kTrial) return;
    if (paid_ * 2 < checks_) factor_ *= 2;
    checks_ = paid_ = 0;
  }

 private:
  static constexpr std::uint64_t kSitesAWord = 8;  ///< at least so many differ between unrelated people
  static constexpr std::size_t kTrial = 1024;      ///< checks between two decisions on factor_

  std::size_t n_words_;
  std::uint64_t factor_ = 1;  ///< doubles until words() exceeds n_words_ / 2, no further
  std::size_t checks_ = 0, paid_ = 0;
};

}  // namespace fastid::engine
