#include "stats/x_ratio.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "bits/popcount.hpp"
#include "panel/genetic_map.hpp"
#include "stats/internal/genotype_ratios.hpp"
#include "stats/log_number.hpp"
#include "stats/shown.hpp"

namespace fastid::stats {
namespace {

constexpr std::size_t kMostBits = 4;  ///< of a kind's pedigree

// ---- Kinds, from their pedigrees
// --------------------------------------------------------------------------------------

/// A member of a kind's pedigree; the first two are the pair. Parents are places in the pedigree.
struct Member {
  Sex sex;
  int father = -1, mother = -1;  ///< -1: somebody else
};
using Pedigree = std::vector<Member>;

/// The alleles of X that a member has, in a state of the mothers' bits. An allele is named by its founder and
/// by which of the founder's copies it is.
std::vector<int> alleles_of(const Pedigree& pedigree, int member, const std::vector<int>& passed) {
  const auto& [sex, father, mother] = pedigree[static_cast<std::size_t>(member)];
  std::vector<int> alleles;
  if (sex == Sex::kFemale)
    alleles.push_back(father >= 0 ? alleles_of(pedigree, father, passed).front() : 2 * member);
  alleles.push_back(
      mother >= 0 ? alleles_of(pedigree, mother,
                               passed)[static_cast<std::size_t>(passed[static_cast<std::size_t>(member)])]
                  : 2 * member + 1);
  return alleles;
}

/// For each state of the mothers' bits, which alleles of the first the second one has.
std::vector<XDescent> descents_of(const Pedigree& pedigree) {
  std::vector<std::size_t> children;  // of a mother in the pedigree: a bit each
  for (std::size_t i = 0; i < pedigree.size(); ++i)
    if (pedigree[i].mother >= 0) children.push_back(i);
  std::vector<XDescent> descents;
  for (std::size_t state = 0; state < std::size_t{1} << children.size(); ++state) {
    std::vector<int> passed(pedigree.size());
    for (std::size_t bit = 0; bit < children.size(); ++bit)
      passed[children[bit]] = static_cast<int>(state >> bit & 1);
    const std::vector<int> first = alleles_of(pedigree, 0, passed), second = alleles_of(pedigree, 1, passed);
    XDescent& descent = descents.emplace_back(XDescent{kNotShared, kNotShared});
    for (std::size_t copy = 0; copy < second.size(); ++copy)
      if (const auto at = std::ranges::find(first, second[copy]); at != first.end())
        descent[copy] = static_cast<std::uint8_t>(at - first.begin());
  }
  return descents;
}

/// The eldest of a member's paternal line (`parent` is Member::father) or maternal one.
int eldest(const Pedigree& pedigree, int member, int Member::*parent) {
  for (int elder = member; elder >= 0; elder = pedigree[static_cast<std::size_t>(member)].*parent)
    member = elder;
  return member;
}

enum class Shape { kSame, kParent, kSiblings, kHalfSiblings, kGrandparent, kUncleOrAunt, kCousins };

/// A kind: its name and shape, the sex of the parent through whom the pair (or the younger one) is related,
/// and the sexes that it allows.
struct Definition {
  std::string_view name;
  Relation relation;
  Shape shape;
  std::string_view firsts;       ///< sexes that the first may have: "M", "F", "MF"
  Sex first_line = Sex::kMale;   ///< cousins: the first one's parent of the pair of siblings
  Sex second_line = Sex::kMale;  ///< the parent through whom the second is related
};

constexpr Sex kPaternal = Sex::kMale, kMaternal = Sex::kFemale;
constexpr Definition kDefinitions[] = {
    {"same", Relation::kSame, Shape::kSame, "MF"},
    {"father", Relation::kParentChild, Shape::kParent, "M"},
    {"mother", Relation::kParentChild, Shape::kParent, "F"},
    {"full-sibling", Relation::kSibling, Shape::kSiblings, "MF"},
    {"maternal-half-sibling", Relation::kHalfSibling, Shape::kHalfSiblings, "MF", kPaternal, kMaternal},
    {"paternal-half-sibling", Relation::kHalfSibling, Shape::kHalfSiblings, "MF", kPaternal, kPaternal},
    {"maternal-grandmother", Relation::kHalfSibling, Shape::kGrandparent, "F", kPaternal, kMaternal},
    {"maternal-grandfather", Relation::kHalfSibling, Shape::kGrandparent, "M", kPaternal, kMaternal},
    {"paternal-grandmother", Relation::kHalfSibling, Shape::kGrandparent, "F", kPaternal, kPaternal},
    {"paternal-grandfather", Relation::kHalfSibling, Shape::kGrandparent, "M", kPaternal, kPaternal},
    {"maternal-uncle", Relation::kHalfSibling, Shape::kUncleOrAunt, "M", kPaternal, kMaternal},
    {"maternal-aunt", Relation::kHalfSibling, Shape::kUncleOrAunt, "F", kPaternal, kMaternal},
    {"paternal-uncle", Relation::kHalfSibling, Shape::kUncleOrAunt, "M", kPaternal, kPaternal},
    {"paternal-aunt", Relation::kHalfSibling, Shape::kUncleOrAunt, "F", kPaternal, kPaternal},
    {"cousin-mothers-sisters", Relation::kCousin, Shape::kCousins, "MF", kMaternal, kMaternal},
    {"cousin-fathers-brothers", Relation::kCousin, Shape::kCousins, "MF", kPaternal, kPaternal},
    {"cousin-mother-sister-of-father", Relation::kCousin, Shape::kCousins, "MF", kMaternal, kPaternal},
};

bool symmetric(const Definition& kind) {
  return kind.shape == Shape::kSame || kind.shape == Shape::kSiblings || kind.shape == Shape::kHalfSiblings ||
         (kind.shape == Shape::kCousins && kind.first_line == kind.second_line);
}

/// A child of a member (or of nobody known) of this sex.
Member child_of(Sex sex, int parent, Sex parent_sex) {
  return parent_sex == Sex::kMale ? Member{sex, parent, -1} : Member{sex, -1, parent};
}

Pedigree pedigree_of(const Definition& kind, Sex first, Sex second) {
  switch (kind.shape) {
    case Shape::kSame:
      break;  // has no pedigree
    case Shape::kParent:
      return {{first}, child_of(second, 0, first)};
    case Shape::kSiblings:
      return {{first, 2, 3}, {second, 2, 3}, {Sex::kMale}, {Sex::kFemale}};
    case Shape::kHalfSiblings:
      return {
          child_of(first, 2, kind.second_line), child_of(second, 2, kind.second_line), {kind.second_line}};
    case Shape::kGrandparent:
      return {{first}, child_of(second, 2, kind.second_line), child_of(kind.second_line, 0, first)};
    case Shape::kUncleOrAunt:
      return {{first, 3, 4},
              child_of(second, 2, kind.second_line),
              {kind.second_line, 3, 4},
              {Sex::kMale},
              {Sex::kFemale}};
    case Shape::kCousins:
      return {child_of(first, 2, kind.first_line),
              child_of(second, 3, kind.second_line),
              {kind.first_line, 4, 5},
              {kind.second_line, 4, 5},
              {Sex::kMale},
              {Sex::kFemale}};
  }
  return {};
}

Sex sex_of(char letter) {
  return letter == 'M' ? Sex::kMale : Sex::kFemale;
}

XKind make_kind(const Definition& kind, Sex first, Sex second) {
  XKind made{.name = kind.name, .first = first, .second = second, .shared = {}, .descent = {}};
  if (kind.shape == Shape::kSame) {
    made.descent = {{0, copies_of(SiteClass::kX, first) == 2 ? std::uint8_t{1} : kNotShared}};
    made.paternal_line = made.maternal_line = true;
  } else {
    const Pedigree pedigree = pedigree_of(kind, first, second);
    made.descent = descents_of(pedigree);
    made.paternal_line = eldest(pedigree, 0, &Member::father) == eldest(pedigree, 1, &Member::father);
    made.maternal_line = eldest(pedigree, 0, &Member::mother) == eldest(pedigree, 1, &Member::mother);
  }
  made.paternal_line &= first == Sex::kMale && second == Sex::kMale;
  for (const auto& [of_first, of_second] : made.descent)
    made.shared.push_back(static_cast<std::uint8_t>((of_first != kNotShared) + (of_second != kNotShared)));
  return made;
}

/// Whether a kind of the second degree belongs to the relation of this name.
bool is_among(Shape shape, std::string_view name) {
  if (name.empty()) return true;
  return (shape == Shape::kHalfSiblings && name == "half-sibling") ||
         (shape == Shape::kGrandparent && name == "grandparent") ||
         (shape == Shape::kUncleOrAunt && name == "avuncular");
}

/// All kinds; the kinds of one definition lie beside each other.
struct Kinds {
  std::vector<XKind> kinds;
  std::vector<const Definition*> definitions;  ///< of each

  Kinds() {
    for (const Definition& definition : kDefinitions)
      for (const char first : definition.firsts)
        for (const char second : std::string_view("MF")) {
          if (definition.shape == Shape::kSame && first != second) continue;
          kinds.push_back(make_kind(definition, sex_of(first), sex_of(second)));
          definitions.push_back(&definition);
        }
  }
};

const Kinds& all_kinds() {
  static const Kinds kinds;
  return kinds;
}

// ---- Alleles of two people
// --------------------------------------------------------------------------------------------

/// [minor copies of the first][minor copies of the second]: their probability, given the number of alleles
/// identical by descent.
std::array<std::array<double, 3>, 3> joint_copies(double q, double theta, unsigned first, unsigned second,
                                                  unsigned shared) {
  std::array<std::array<double, 3>, 3> table{};
  const unsigned alleles = first + second - shared;
  for (unsigned drawn = 0; drawn < 1u << alleles; ++drawn) {
    // The first person's alleles are drawn first, and the shared alleles last among them.
    const auto minor = static_cast<unsigned>(bits_set(drawn));
    const auto of_first = static_cast<unsigned>(bits_set(drawn & ((1u << first) - 1)));
    const auto of_second = static_cast<unsigned>(bits_set(drawn >> (first - shared)));
    table[of_first][of_second] += sequence_probability(q, theta, {}, {minor, alleles - minor});
  }
  return table;
}

/// [copies that are minor][what is seen]
Readings readings_of(double w, unsigned copies, Encoding by) {
  if (copies == 1) return {{{1 - w, w, 0}, {w, 1 - w, 0}, {0, 0, 0}}};
  Readings read = readings(w);
  if (by == Encoding::kMinor)
    for (auto& of : read) of = {of[0], of[1] + of[2], 0};
  return read;
}

/// A place in XEmission tables, where the site is compared: called, and not heterozygous where there is one
/// copy.
std::optional<std::size_t> seen_copies(Shown shown, unsigned copies) {
  if (shown == kNeither || (copies == 1 && shown == kBothAlleles)) return std::nullopt;
  return copies == 1 ? static_cast<std::size_t>(shown == kMinorOnly) : static_cast<std::size_t>(shown);
}

}  // namespace

std::span<const XKind> x_kinds() {
  return all_kinds().kinds;
}

std::vector<const XKind*> x_kinds_of(Relation relation, Sex first, Sex second, std::string_view among) {
  std::vector<const XKind*> found;
  const Kinds& all = all_kinds();
  for (std::size_t i = 0; i < all.kinds.size(); ++i) {
    const XKind& kind = all.kinds[i];
    if (all.definitions[i]->relation != relation || !is_among(all.definitions[i]->shape, among)) continue;
    const bool as_given = kind.first == first && kind.second == second,
               turned = kind.first == second && kind.second == first && !symmetric(*all.definitions[i]);
    if (as_given || turned) found.push_back(&kind);
  }
  return found;
}

std::array<double, 3> x_sharing(const XKind& kind) {
  std::array<double, 3> share{};
  for (const std::uint8_t alleles : kind.shared)
    share[alleles] += 1 / static_cast<double>(kind.shared.size());
  return share;
}

std::array<std::array<XEmission, 3>, 3> x_emissions(double q, const Parameters& parameters,
                                                    unsigned first_copies, unsigned second_copies,
                                                    Encoding by) {
  const Readings first = readings_of(parameters.error_rate, first_copies, by),
                 second = readings_of(parameters.error_rate, second_copies, by);
  std::array<std::array<XEmission, 3>, 3> seen{};
  for (unsigned shared = 0; shared <= std::min(first_copies, second_copies); ++shared) {
    const auto joint = joint_copies(q, parameters.theta, first_copies, second_copies, shared);
    for (std::size_t x = 0; x < 3; ++x)
      for (std::size_t y = 0; y < 3; ++y)
        for (std::size_t g = 0; g <= first_copies; ++g)
          for (std::size_t h = 0; h <= second_copies; ++h)
            seen[x][y][shared] += joint[g][h] * first[g][x] * second[h][y];
  }
  for (auto& row : seen)
    for (XEmission& of : row) {
      const double unrelated = of[0];
      if (unrelated > 0)
        for (double& probability : of) probability /= unrelated;
    }
  return seen;
}

std::uint32_t compared_x(const RowView& first, unsigned first_copies, const RowView& second,
                         unsigned second_copies, std::span<const Word> sites) {
  const auto readable = [](const RowView& row, unsigned copies, std::size_t word) {
    const Word both = row.bits[word] & row.major_word(word);
    return row.called[word] & (copies == 1 ? ~both : ~Word{0});
  };
  std::uint32_t n = 0;
  for (std::size_t word = 0; word < sites.size(); ++word)
    n += static_cast<std::uint32_t>(
        bits_set(sites[word] & readable(first, first_copies, word) & readable(second, second_copies, word)));
  return n;
}

XModel::XModel(const PopulationModel& model, const Panel& panel, const SiteClasses& classes) {
  for (const std::uint32_t s : classes.sites(SiteClass::kX)) {
    const Site& site = panel.sites()[s];
    if (site.pos == 0) continue;
    SiteOfX& of = sites_.emplace_back(SiteOfX{s, site.pos * kMorgansABase, {}});
    for (unsigned a = 1; a <= 2; ++a)
      for (unsigned b = 1; b <= 2; ++b)
        of.emissions[a - 1][b - 1] = x_emissions(model.minor_freq()[s], model.parameters(), a, b);
  }
  std::ranges::stable_sort(sites_, {}, &SiteOfX::morgans);
}

std::vector<XModel::Observed> XModel::observe(const RowView& first, unsigned first_copies,
                                              const RowView& second, unsigned second_copies) const {
  std::vector<Observed> observed;
  for (const SiteOfX& of : sites_) {
    const auto x = seen_copies(shown_at(first, of.site), first_copies),
               y = seen_copies(shown_at(second, of.site), second_copies);
    if (x && y) observed.push_back({of.morgans, of.emissions[first_copies - 1][second_copies - 1][*x][*y]});
  }
  return observed;
}

double XModel::log10_lr(const XKind& kind, std::span<const Observed> sites) {
  const std::size_t states = kind.shared.size();
  std::array<double, std::size_t{1} << kMostBits> state{}, moved{};
  std::fill_n(state.begin(), states, 1 / static_cast<double>(states));
  double log10 = 0, before = 0;
  for (const auto& [morgans, emission] : sites) {
    const double turns = recombination(morgans - before);
    before = morgans;
    for (std::size_t bit = 1; bit < states; bit <<= 1) {
      for (std::size_t s = 0; s < states; ++s) moved[s] = (1 - turns) * state[s] + turns * state[s ^ bit];
      std::swap(state, moved);
    }
    double sum = 0;
    for (std::size_t s = 0; s < states; ++s) sum += state[s] *= emission[kind.shared[s]];
    if (sum == 0) return -std::numeric_limits<double>::infinity();
    log10 += std::log10(sum);
    for (std::size_t s = 0; s < states; ++s) state[s] /= sum;
  }
  return log10;
}

XRatio XModel::ratio(Relation relation, const RowView& first, unsigned first_copies, const RowView& second,
                     unsigned second_copies, std::string_view among) const {
  const std::vector<Observed> sites = observe(first, first_copies, second, second_copies);
  XRatio ratio{.compared = static_cast<std::uint32_t>(sites.size()), .log10_lr = {}, .kinds = {}};
  const auto sex = [](unsigned copies) { return copies == 1 ? Sex::kMale : Sex::kFemale; };
  for (const XKind* const kind : x_kinds_of(relation, sex(first_copies), sex(second_copies), among))
    ratio.kinds.push_back({kind, log10_lr(*kind, sites)});
  if (ratio.kinds.empty() || sites.empty()) return ratio;
  const double top = std::ranges::max(ratio.kinds, {}, &XKindRatio::log10_lr).log10_lr;
  if (std::isinf(top)) {
    ratio.log10_lr = top;
    return ratio;
  }
  double sum = 0;
  for (const XKindRatio& kind : ratio.kinds) sum += std::pow(10, kind.log10_lr - top);
  ratio.log10_lr = top + std::log10(sum / static_cast<double>(ratio.kinds.size()));
  return ratio;
}

}  // namespace fastid::stats
