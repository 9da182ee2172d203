/// \file
/// When to look whether the rest of a count still matters.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace fastid {

/// How many words to count before a look at whether the rest matters. Counts only grow, so where all have
/// reached their queries' limits the pairs are done. Strangers differ at a quarter of a word's sites and
/// more, so a limit is passed within a word for each six of it. Where looking rarely pays (mixtures, related
/// people), it looks later, then not at all. The answer is the same wherever it looks.
class FirstLook {
 public:
  explicit FirstLook(std::size_t n_words) : n_words_(n_words) {}

  /// Words to count first where the largest limit is `limit`; 0: all at once.
  std::size_t words(std::uint32_t limit) const {
    const std::uint64_t words = std::max<std::uint64_t>(2, std::uint64_t{limit} / kSitesAWord) * factor_;
    return words <= n_words_ / 2 ? static_cast<std::size_t>(words) : 0;
  }

  /// What looks found: how often the pairs were done.
  void note(std::size_t looks, std::size_t done) {
    paid_ += done;
    looks_ += looks;
    if (looks_ < kTrial) return;
    if (paid_ * 2 < looks_) factor_ *= 2;
    looks_ = paid_ = 0;
  }

 private:
  static constexpr std::uint64_t kSitesAWord = 8;  ///< counted in a word, at the least, between strangers
  static constexpr std::size_t kTrial = 1024;      ///< looks between two judgements

  std::size_t n_words_;
  std::uint64_t factor_ = 1;  ///< doubles at most until words() exceeds n_words_ / 2
  std::size_t looks_ = 0, paid_ = 0;
};

}  // namespace fastid
