#include "simulate/internal/relatives.hpp"

#include <algorithm>
#include <unordered_set>

#include "bits/blocks.hpp"

namespace fastid {
namespace {

/// The probabilities that the first and the second allele are identical by descent with the relative's.
struct Kinship {
  std::string_view name;
  double first, second;
};

constexpr std::array<Kinship, kRelations> kKinships = {{{"duplicate", 1, 1},
                                                        {"twin", 1, 1},
                                                        {"parent-child", 1, 0},
                                                        {"full-siblings", 0.5, 0.5},
                                                        {"half-siblings", 0.5, 0},
                                                        {"first-cousins", 0.25, 0}}};

const Kinship& kinship(Relation relation) {
  return kKinships[static_cast<std::size_t>(relation)];
}

}  // namespace

std::string_view name_of(Relation relation) {
  return kinship(relation).name;
}

namespace simulate {

Relatives::Relatives(const std::array<std::uint32_t, kRelations>& pairs, std::uint64_t n_profiles,
                     std::uint64_t seed) {
  Stream stream(seed, Purpose::kPlaces, 0);
  std::unordered_set<std::uint64_t> taken;
  const auto free_row = [&] {
    for (;;)
      if (const std::uint64_t row = stream.below(n_profiles); taken.insert(row).second) return row;
  };
  for (std::size_t relation = 0; relation < kRelations; ++relation)
    for (std::uint32_t i = 0; i < pairs[relation]; ++i) {
      const std::uint64_t row = free_row(), of = free_row();
      plants_.push_back({row, of, static_cast<Relation>(relation)});
    }
  std::ranges::sort(plants_, {}, &Plant::row);
}

std::span<const Plant> Relatives::in_block(std::uint64_t block) const {
  const auto first = std::ranges::lower_bound(plants_, block * kLanes, {}, &Plant::row);
  const auto end = std::ranges::lower_bound(first, plants_.end(), (block + 1) * kLanes, {}, &Plant::row);
  return {first, end};
}

Descent::Descent(const Plant& plant, std::uint64_t seed)
    : stream_(seed, Purpose::kDescent, plant.row),
      first_(kinship(plant.relation).first),
      second_(kinship(plant.relation).second) {}

Descent::Shared Descent::next() {
  const bool first = (first_.draw(stream_) & 1) != 0;
  return {first, (second_.draw(stream_) & 1) != 0};
}

}  // namespace simulate
}  // namespace fastid
