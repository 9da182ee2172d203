#include "simulate/internal/relatives.hpp"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <unordered_set>

#include "bits/blocks.hpp"
#include "panel/genetic_map.hpp"

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

namespace {

std::string_view kind_name(const Plant& plant, Sex relative, std::uint64_t seed) {
  Stream stream(seed, Purpose::kKinds, plant.row);
  switch (plant.relation) {
    case Relation::kDuplicate:
    case Relation::kTwin:
      break;
    case Relation::kParentChild:
      return relative == Sex::kMale ? "father" : "mother";
    case Relation::kFullSiblings:
      return "full-sibling";
    case Relation::kHalfSiblings:
      return stream.below(2) == 0 ? "maternal-half-sibling" : "paternal-half-sibling";
    case Relation::kFirstCousins: {  // by the sexes of the two siblings who are their parents
      static constexpr std::string_view kCousins[] = {"cousin-mothers-sisters", "cousin-fathers-brothers",
                                                      "cousin-mother-sister-of-father",
                                                      "cousin-mother-sister-of-father"};
      return kCousins[stream.below(std::size(kCousins))];
    }
  }
  return "same";
}

}  // namespace

const stats::XKind& kind_of(const Plant& plant, Sex relative, Sex own, std::uint64_t seed) {
  const std::string_view name = kind_name(plant, relative, seed);
  const auto kinds = stats::x_kinds();
  const auto found = std::ranges::find_if(kinds, [&](const stats::XKind& kind) {
    return kind.name == name && kind.first == relative && kind.second == own;
  });
  if (found == kinds.end()) throw std::logic_error("a kind of relatives that is not known");
  return *found;
}

Crossovers::Crossovers(const Panel& panel, const SiteClasses& classes) {
  const std::vector<std::uint32_t> sites = classes.sites(SiteClass::kAutosomal);
  std::vector<bool> mapped(sites.size());
  const auto place_of = [&](std::uint32_t site) {
    return static_cast<std::uint32_t>(std::ranges::lower_bound(sites, site) - sites.begin());
  };
  const std::vector<MappedSite> order = mapped_sites(
      panel, classes.mask(SiteClass::kAutosomal), GeneticMap::shipped(panel.build()).value_or(GeneticMap()));
  const std::vector<double> before = recombination_before(order);
  for (std::size_t i = 0; i < order.size(); ++i) {
    steps_.push_back({place_of(order[i].site), Probability(before[i])});
    mapped[steps_.back().site] = true;
  }
  for (std::uint32_t i = 0; i < mapped.size(); ++i)
    if (!mapped[i]) steps_.push_back({.site = i});
}

namespace {

std::vector<SharedAlleles> unlinked_descent(const Plant& plant, std::uint32_t n_sites, Stream& stream) {
  const Probability first(kinship(plant.relation).first), second(kinship(plant.relation).second);
  std::vector<SharedAlleles> shared(n_sites);
  for (SharedAlleles& site : shared) {
    site.first = (first.draw(stream) & 1) != 0;
    site.second = (second.draw(stream) & 1) != 0;
  }
  return shared;
}

/// What two people share if these copies are passed on, a bit for each meiosis: of siblings a father's two,
/// then a mother's two; of cousins a grandfather's two, a grandmother's two, then the two of their children.
SharedAlleles shared_by(Relation relation, std::uint64_t passed) {
  const auto same = [&](unsigned bit) { return (passed >> bit & 1) == (passed >> (bit + 1) & 1); };
  switch (relation) {
    case Relation::kDuplicate:
    case Relation::kTwin:
      return {true, true};
    case Relation::kParentChild:
      return {true, false};
    case Relation::kFullSiblings:
      return {same(0), same(2)};
    case Relation::kHalfSiblings:
      return {same(0), false};
    case Relation::kFirstCousins:
      break;
  }
  return {same(4) && same((passed >> 4 & 1) != 0 ? 2 : 0), false};
}

}  // namespace

std::vector<SharedAlleles> descent_of(const Plant& plant, std::uint32_t n_sites, const Crossovers* crossovers,
                                      std::uint64_t seed) {
  Stream stream(seed, Purpose::kDescent, plant.row);
  if (crossovers == nullptr) return unlinked_descent(plant, n_sites, stream);
  std::vector<SharedAlleles> shared(n_sites);
  std::uint64_t passed = 0;
  for (const auto& [site, crosses] : crossovers->steps()) {
    passed ^= crosses.draw(stream);
    shared[site] = shared_by(plant.relation, passed);
  }
  return shared;
}

// The number of states is a power of two: a bit for each meiosis of a mother.
DescentOfX::DescentOfX(const Plant& plant, const stats::XKind& kind, std::uint64_t seed)
    : kind_(kind),
      stream_(seed, Purpose::kDescentOfX, plant.row),
      state_(stream_.below(kind.descent.size())) {}

const stats::XDescent& DescentOfX::next(std::uint32_t pos) {
  const double turns = pos == 0 ? 0.5 : recombination((pos - last_) * kMorgansABase);
  last_ = pos;
  state_ ^= Probability(turns).draw(stream_) & (kind_.descent.size() - 1);
  return kind_.descent[state_];
}

}  // namespace simulate
}  // namespace fastid
