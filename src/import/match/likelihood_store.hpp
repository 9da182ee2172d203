/// \file
/// The genotype likelihoods of a file's samples: which samples are read by them, and what they say.
///
/// A file is read once to see what it states, and where a sample goes by its likelihoods, once more for these
/// samples alone: of a file of many people, nearly all of whom are called, nothing but a bit for each site
/// is held.
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
  /// Only notes what is stated. \param classes  must outlive this; likelihoods are of autosomal sites
  LikelihoodStore(std::uint64_t n_samples, const SiteClasses& classes);
  /// Keeps the likelihoods of `samples`, ascending places.
  LikelihoodStore(std::uint64_t n_samples, const SiteClasses& classes,
                  std::span<const std::uint64_t> samples);

  /// Whether any record had likelihoods so far.
  bool any_stated() const { return any_stated_; }

  /// A record's likelihoods of a site, in place of any that were there.
  void put(std::uint32_t site, std::span<const StatedLikelihoods> of_samples);
  /// Those of another record of the same site: where two differ, none counts.
  void merge(std::uint32_t site, std::span<const StatedLikelihoods> of_samples);
  /// A sample has another allele than the panel's two at a site, or its records disagree.
  void forbid(std::uint64_t sample, std::uint32_t site);

  /// The samples that are read by their likelihoods: kAuto: those who are called at less than half of the
  /// sites with likelihoods; else all that have any.
  std::vector<std::uint64_t> chosen(LikelihoodRule rule, const BitBlocks& calls) const;

  /// Of each of the samples that are kept; a site without stated likelihoods is what it is called.
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
