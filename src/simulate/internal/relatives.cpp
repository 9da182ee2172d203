#include "simulate/internal/relatives.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "bits/blocks.hpp"
#include "panel/genetic_map.hpp"

namespace fastid::simulate {
namespace {

/// How one of the two alleles is inherited by both relatives: always, from a common parent, from an uncle's
/// parents, or from a cousin's; and through further generations.
struct Way {
  enum class Start : std::uint8_t { kNever, kAlways, kParent, kUncle, kCousins };
  Start start = Start::kNever;
  unsigned generations = 0;

  /// The number of meioses, each with one bit.
  unsigned bits() const { return kBits[static_cast<std::size_t>(start)] + generations; }
  double probability() const {
    constexpr std::array kStarts{0., 1., .5, .5, .25};
    return std::ldexp(kStarts[static_cast<std::size_t>(start)], -static_cast<int>(generations));
  }
  /// Whether both have the same allele. \param passed  the copies that are passed on, in the lowest bits(): a
  /// parent's to two children; for uncles and cousins a grandfather's two, a grandmother's two, then their
  /// children's; last, each further generation's
  bool holds(std::uint64_t passed) const {
    const auto bit = [&](unsigned i) { return (passed >> i & 1) != 0; };
    const auto same = [&](unsigned i) { return bit(i) == bit(i + 1); };
    const std::uint64_t further = passed >> kBits[static_cast<std::size_t>(start)];
    if ((further & ((std::uint64_t{1} << generations) - 1)) != 0) return false;
    switch (start) {
      case Start::kNever:
        return false;
      case Start::kAlways:
        return true;
      case Start::kParent:
        return same(0);
      case Start::kUncle:
        return same(bit(4) ? 2 : 0);
      case Start::kCousins:
        break;
    }
    return same(4) && same(bit(4) ? 2 : 0);
  }

 private:
  static constexpr std::array<unsigned, 5> kBits{0, 0, 2, 5, 6};
};

using enum Way::Start;

/// A relation's name, what `fastid kin` calls it, and the ways of the first and of the second allele.
struct Kinship {
  std::string_view name, kin_name;
  Way first, second;
};

constexpr std::array<Kinship, kRelations> kKinships = {
    {{"duplicate", "same", {kAlways}, {kAlways}},
     {"twin", "twin", {kAlways}, {kAlways}},
     {"parent-child", "parent-child", {kAlways}, {}},
     {"full-siblings", "sibling", {kParent}, {kParent}},
     {"half-siblings", "half-sibling", {kParent}, {}},
     {"first-cousins", "first-cousin", {kCousins}, {}},
     {"three-quarter-sibling", "three-quarter-sibling", {kCousins}, {kParent}},
     {"grandparent", "grandparent", {kAlways, 1}, {}},
     {"avuncular", "avuncular", {kUncle}, {}},
     {"double-first-cousin", "double-first-cousin", {kCousins}, {kCousins}},
     {"great-grandparent", "great-grandparent", {kAlways, 2}, {}},
     {"half-avuncular", "half-avuncular", {kParent, 1}, {}},
     {"grand-avuncular", "grand-avuncular", {kUncle, 1}, {}},
     {"first-cousin-once-removed", "first-cousin-once-removed", {kCousins, 1}, {}},
     {"half-first-cousin", "half-first-cousin", {kParent, 2}, {}},
     {"great-great-grandparent", "great-great-grandparent", {kAlways, 3}, {}},
     {"great-grand-avuncular", "great-grand-avuncular", {kUncle, 2}, {}},
     {"second-cousin", "second-cousin", {kCousins, 2}, {}},
     {"half-first-cousin-once-removed", "half-first-cousin-once-removed", {kParent, 3}, {}},
     {"great-great-grand-avuncular", "great-great-grand-avuncular", {kUncle, 3}, {}}}};

const Kinship& kinship(Relation relation) {
  return kKinships[static_cast<std::size_t>(relation)];
}

}  // namespace

std::string_view name_of(Relation relation) {
  return kinship(relation).name;
}

std::optional<Relation> planted_relation(std::string_view name) {
  for (const Relation relation : planted_relations())
    if (name == kinship(relation).name || name == kinship(relation).kin_name) return relation;
  return {};
}

std::array<Relation, kRelations> planted_relations() {
  std::array<Relation, kRelations> all{};
  for (std::size_t r = 0; r < kRelations; ++r) all[r] = static_cast<Relation>(r);
  return all;
}

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

Relatives::Relatives(std::vector<Plant> plants) : plants_(std::move(plants)) {
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
    default:
      throw std::logic_error("of such relatives X, Y and M are not known");
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
  const Kinship& of = kinship(plant.relation);
  const Probability first(of.first.probability()), second(of.second.probability());
  std::vector<SharedAlleles> shared(n_sites);
  for (SharedAlleles& site : shared) {
    site.first = (first.draw(stream) & 1) != 0;
    site.second = (second.draw(stream) & 1) != 0;
  }
  return shared;
}

}  // namespace

std::vector<SharedAlleles> descent_of(const Plant& plant, std::uint32_t n_sites, const Crossovers* crossovers,
                                      std::uint64_t seed) {
  Stream stream(seed, Purpose::kDescent, plant.row);
  if (crossovers == nullptr) return unlinked_descent(plant, n_sites, stream);
  const Way &first = kinship(plant.relation).first, &second = kinship(plant.relation).second;
  std::vector<SharedAlleles> shared(n_sites);
  std::uint64_t passed = 0;
  for (const auto& [site, crosses] : crossovers->steps()) {
    passed ^= crosses.draw(stream);
    shared[site] = {first.holds(passed), second.holds(passed >> first.bits())};
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

}  // namespace fastid::simulate
