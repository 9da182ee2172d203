#include "engine/bit_vectors.hpp"

#include <vector>

#include "base/error.hpp"
#include "engine/comparison.hpp"

namespace fastid::engine {
namespace {

bool every_call_is_there(const BlocksView& profiles) {
  for (std::uint64_t profile = 0; profile < profiles.shape.n_profiles; ++profile)
    for (std::size_t word = 0; word < profiles.shape.n_words(); ++word)
      if (profiles.called_word(profile, word) != sites_mask(profiles.shape.n_sites, word)) return false;
  return true;
}

/// The planes of a metric; those with several have them one behind the other in a vector.
std::vector<std::vector<Plane>> planes_of(SimilarityMetric metric, bool all_called) {
  using enum Plane;
  std::vector<std::vector<Plane>> planes;
  switch (metric) {
    case SimilarityMetric::kSorensen:
      planes = {{kMinor}, {kCalled}};
      break;
    case SimilarityMetric::kCzekanowski:
      planes = {{kMinor, kNoMajor}, {kCalled, kCalled}};
      break;
    case SimilarityMetric::kCcc:
      planes = {{kMinor}, {kNoMajor}, {kCalled}};
      break;
  }
  if (all_called) planes.pop_back();
  return planes;
}

}  // namespace

BitVectors::BitVectors(const BlocksView& profiles, SimilarityMetric metric) {
  planes_.n = narrow<std::uint32_t>(profiles.shape.n_profiles);
  planes_.stride = narrow<std::uint32_t>(profiles.shape.n_blocks() * kLanes);
  planes_.all_called = every_call_is_there(profiles);
  planes_.units = profiles.shape.n_sites;
  const std::vector<std::vector<Plane>> planes = planes_of(metric, planes_.all_called);
  planes_.n_values = static_cast<std::uint32_t>(planes.size() - (planes_.all_called ? 0 : 1));
  const std::size_t n_words = profiles.shape.n_words(), parts = planes.front().size();
  const std::uint64_t n_vectors = checked_mul<std::uint64_t>(planes_.stride, planes.size());
  shape_ = {narrow<std::uint32_t>(n_vectors),
            parts == 1 ? profiles.shape.n_sites : narrow<std::uint32_t>(parts * n_words * kWordBits)};
  words_ = WordBuffer(checked_mul(static_cast<std::size_t>(shape_.n_blocks()), shape_.block_words()));
  Word* to = words_.data();
  for (const std::vector<Plane>& of : planes)
    for (std::uint64_t block = 0; block < profiles.shape.n_blocks(); ++block)
      for (const Plane plane : of)
        for (std::size_t word = 0; word < n_words; ++word)
          for (std::size_t lane = 0; lane < kLanes; ++lane) {
            const std::uint64_t profile = block * kLanes + lane;
            *to++ = word_of(plane, profiles.bits_word(profile, word), profiles.major_word(profile, word),
                            profiles.called_word(profile, word));
          }
}

}  // namespace fastid::engine
