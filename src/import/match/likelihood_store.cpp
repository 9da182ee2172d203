#include "import/match/likelihood_store.hpp"

namespace fastid::imports {
namespace {

constexpr GenotypeLikelihoods kSaysNothing{1, 1, 1};

bool is_set(std::span<const Word> mask, std::uint32_t site) {
  return (mask[site / kWordBits] >> site % kWordBits & 1) != 0;
}

void set(std::span<Word> mask, std::uint32_t site, bool to = true) {
  const Word bit = Word{1} << site % kWordBits;
  Word& word = mask[site / kWordBits];
  word = to ? word | bit : word & ~bit;
}

/// A call as likelihoods. By Encoding::kMinor a minor allele alone is known.
GenotypeLikelihoods of_call(const BitBlocks& calls, std::uint64_t sample, std::uint32_t site) {
  if (!calls.called(sample, site)) return kSaysNothing;
  if (!calls.bit(sample, site)) return {1, 0, 0};
  if (calls.shape().encoding == Encoding::kMinor) return {0, 1, 1};
  const bool major = (calls.view().major_word(sample, site / kWordBits) >> site % kWordBits & 1) != 0;
  return major ? GenotypeLikelihoods{0, 1, 0} : GenotypeLikelihoods{0, 0, 1};
}

}  // namespace

LikelihoodStore::LikelihoodStore(std::uint64_t n_samples, const SiteClasses& classes)
    : LikelihoodStore(n_samples, classes, {}) {}

LikelihoodStore::LikelihoodStore(std::uint64_t n_samples, const SiteClasses& classes,
                                 std::span<const std::uint64_t> samples)
    : classes_(classes),
      stated_(n_samples, std::vector<Word>((classes.n_sites() + kWordBits - 1) / kWordBits)),
      kept_(n_samples) {
  for (const std::uint64_t sample : samples)
    kept_[sample] = Kept{std::vector<GenotypeLikelihoods>(classes.n_sites(), kSaysNothing),
                         std::vector<Word>(stated_[sample].size())};
}

void LikelihoodStore::put(std::uint64_t sample, std::uint32_t site, const StatedLikelihoods& now) {
  any_stated_ |= now.stated;
  set(stated_[sample], site, now.stated);
  if (kept_[sample]) kept_[sample]->values[site] = now.values;
}

void LikelihoodStore::put(std::uint32_t site, std::span<const StatedLikelihoods> of_samples) {
  if (!counts(site)) return;
  for (std::uint64_t sample = 0; sample < of_samples.size(); ++sample) put(sample, site, of_samples[sample]);
}

void LikelihoodStore::merge(std::uint32_t site, std::span<const StatedLikelihoods> of_samples) {
  if (!counts(site)) return;
  for (std::uint64_t sample = 0; sample < of_samples.size(); ++sample) {
    const StatedLikelihoods& now = of_samples[sample];
    if (!now.stated) continue;
    if (!is_set(stated_[sample], site) || (kept_[sample] && !informative(kept_[sample]->values[site])))
      put(sample, site, now);
    else if (kept_[sample] && informative(now.values) && now.values != kept_[sample]->values[site])
      forbid(sample, site);
  }
}

void LikelihoodStore::forbid(std::uint64_t sample, std::uint32_t site) {
  if (kept_[sample]) set(kept_[sample]->forbidden, site);
}

std::vector<std::uint64_t> LikelihoodStore::chosen(LikelihoodRule rule, const BitBlocks& calls) const {
  std::vector<std::uint64_t> samples;
  if (rule == LikelihoodRule::kOff || !any_stated_) return samples;
  for (std::uint64_t sample = 0; sample < stated_.size(); ++sample) {
    std::uint64_t stated = 0, called = 0;
    for (std::uint32_t site = 0; site < classes_.n_sites(); ++site) {
      if (!is_set(stated_[sample], site)) continue;
      ++stated;
      called += calls.called(sample, site);
    }
    if (stated > 0 && (rule != LikelihoodRule::kAuto || 2 * called < stated)) samples.push_back(sample);
  }
  return samples;
}

GenotypeLikelihoods LikelihoodStore::likelihoods(std::uint64_t sample, std::uint32_t site,
                                                 const BitBlocks& calls) const {
  if (!counts(site) || is_set(kept_[sample]->forbidden, site)) return kSaysNothing;
  return is_set(stated_[sample], site) ? kept_[sample]->values[site] : of_call(calls, sample, site);
}

std::vector<std::optional<SampleLikelihoods>> LikelihoodStore::take(const BitBlocks& calls) const {
  std::vector<std::optional<SampleLikelihoods>> all(stated_.size());
  for (std::uint64_t sample = 0; sample < all.size(); ++sample) {
    if (!kept_[sample]) continue;
    all[sample].emplace(classes_.n_sites());
    for (std::uint32_t site = 0; site < classes_.n_sites(); ++site)
      all[sample]->add(site, likelihoods(sample, site, calls));
  }
  return all;
}

}  // namespace fastid::imports
