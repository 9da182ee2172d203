/// \file
/// The genotype likelihoods of a file's samples: which samples go by likelihoods in place of calls, and the
/// values.
///
/// A file is read once to see what it states. Where samples go by their likelihoods, it is read once more for
/// these samples alone. So for a file of many people, nearly all called, one bit for each site and sample is
/// held.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bits/blocks.hpp"
#include "bits/likelihoods.hpp"
#include "import/import.hpp"
#include "import/match/call_row.hpp"
#include "panel/site_class.hpp"

namespace fastid::imports {

/// What a record says of a sample's genotypes at a site.
struct StatedLikelihoods {
  bool stated = false;                  ///< the record has the sample's likelihoods, whatever they say
  GenotypeLikelihoods values{1, 1, 1};  ///< by copies of the panel's minor allele; all equal: nothing is said
};

class LikelihoodStore {
 public:
  /// A store that only notes which samples have stated likelihoods, and where. \param classes  must outlive
  /// this; likelihoods are of autosomal sites
  LikelihoodStore(std::uint64_t n_samples, const SiteClasses& classes);
  /// A store that keeps the likelihoods of `samples` (ascending places).
  LikelihoodStore(std::uint64_t n_samples, const SiteClasses& classes,
                  std::span<const std::uint64_t> samples);

  /// Whether any record had likelihoods so far.
  bool any_stated() const { return any_stated_; }

  /// A record's likelihoods of a site, in place of any that were there.
  void put(std::uint32_t site, std::span<const StatedLikelihoods> of_samples);
  /// The likelihoods of another record of the same site: where two records differ, neither counts.
  void merge(std::uint32_t site, std::span<const StatedLikelihoods> of_samples);
  /// Notes that a sample has another allele than the panel's two at a site, or that its records disagree.
  void forbid(std::uint64_t sample, std::uint32_t site);

  /// The samples that go by their likelihoods. kAuto: each sample that is called at less than half of its
  /// sites with likelihoods; other rules: each that has any.
  std::vector<std::uint64_t> chosen(LikelihoodRule rule, const BitBlocks& calls) const;

  /// The likelihoods of each kept sample, from its call at sites without stated likelihoods.
  std::vector<std::optional<SampleLikelihoods>> take(const BitBlocks& calls) const;

 private:
  struct Kept {
    std::vector<GenotypeLikelihoods> values;  ///< of each site that is stated
    std::vector<Word> forbidden;
  };

  bool counts(std::uint32_t site) const { return classes_.of(site) == SiteClass::kAutosomal; }
  void put(std::uint64_t sample, std::uint32_t site, const StatedLikelihoods& now);
  GenotypeLikelihoods likelihoods(std::uint64_t sample, std::uint32_t site, const BitBlocks& calls) const;

  const SiteClasses& classes_;
  bool any_stated_ = false;
  std::vector<std::vector<Word>> stated_;  ///< of each sample; bits of sites
  std::vector<std::optional<Kept>> kept_;  ///< of each sample
};

}  // namespace fastid::imports
