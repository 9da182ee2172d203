/// \file
/// One site's genotypes of all samples of a file, one bit per sample: how importers pass them on.
///
///   bit i % 64 of word i / 64 is sample i; bits past the last sample are 0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "panel/allele_code.hpp"

namespace fastid::imports {

/// One bit per sample.
class SampleBits {
 public:
  explicit SampleBits(std::size_t n_samples = 0) : words_((n_samples + 63) / 64) {}

  std::span<std::uint64_t> words() { return words_; }
  std::span<const std::uint64_t> words() const { return words_; }
  void clear();
  void set(std::size_t sample) { words_[sample / 64] |= std::uint64_t{1} << sample % 64; }
  bool get(std::size_t sample) const { return (words_[sample / 64] >> sample % 64 & 1) != 0; }
  /// Also sets the samples that are set in `others`.
  void add(const SampleBits& others);
  /// Clears the samples that are set in `others`.
  void clear(const SampleBits& others);
  std::uint64_t count() const;
  /// Samples that are set in both.
  std::uint64_t count_common(const SampleBits& other) const;
  bool any() const;

 private:
  std::vector<std::uint64_t> words_;
};

/// Who carries which of the two alleles that a record lists. Both bits 0: not called. A genotype is called
/// only where each of its alleles is.
struct AlleleRow {
  explicit AlleleRow(std::size_t n_samples = 0) : first(n_samples), second(n_samples) {}
  SampleBits first, second;

  /// Makes the samples that are set in `who` not called.
  void clear(const SampleBits& who) {
    first.clear(who);
    second.clear(who);
  }
};

/// Calls on a site of the panel: who shows a major and who a minor allele. Both bits 0: not called.
struct CallRow {
  explicit CallRow(std::size_t n_samples = 0) : major(n_samples), minor(n_samples) {}
  SampleBits major, minor;

  void clear();
  /// Sets a sample that is not called yet.
  void set(std::size_t sample, Seen seen);
  Seen get(std::size_t sample) const;
  std::uint64_t count_called() const;
  /// Takes the calls from `alleles`, whose two alleles are `first` and `second` of the site. Carriers of an
  /// unknown allele are not called.
  void assign(const AlleleRow& alleles, AlleleCode first, AlleleCode second);
};

/// Who has another number of alleles than two at a site.
struct Ploidy {
  explicit Ploidy(std::size_t n_samples = 0) : one(n_samples), many(n_samples) {}
  SampleBits one, many;       ///< one allele; three or more
  std::size_t n_alleles = 2;  ///< the highest number of alleles of any sample

  void clear();
  void note(std::size_t sample, std::size_t alleles);
};

}  // namespace fastid::imports
