/// \file
/// Relations to the fifth degree, and what their likelihood ratios say of two people: the relation, its
/// degree, or a range of degrees.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fastid::linked {

/// Relations that differ in how stretches are inherited. Relations with the same chain cannot be told apart
/// and have one name: a second cousin stands for a first cousin twice removed, a half first cousin for a half
/// grand-avuncular pair. Either of the two people may be the elder.
enum class Relation : std::uint8_t {
  kSame,
  kParentChild,
  kSibling,
  kThreeQuarterSibling,  ///< one parent in common, the others are siblings
  kHalfSibling,
  kGrandparent,
  kAvuncular,          ///< uncle or aunt
  kDoubleFirstCousin,  ///< parents are two pairs of siblings
  kFirstCousin,
  kGreatGrandparent,
  kHalfAvuncular,
  kGrandAvuncular,
  kFirstCousinOnceRemoved,
  kHalfFirstCousin,
  kGreatGreatGrandparent,
  kGreatGrandAvuncular,
  kSecondCousin,
  kHalfFirstCousinOnceRemoved,
  kGreatGreatGrandAvuncular
};
inline constexpr std::size_t kRelations = 19;

/// "same", "parent-child", "first-cousin-once-removed", ...
std::string_view name_of(Relation relation);
/// The relation of this name; "cousin" is first-cousin.
std::optional<Relation> relation_named(std::string_view name);
std::array<Relation, kRelations> all_relations();

/// Degrees in their order. Parent and child, siblings and three-quarter siblings are degrees of their own.
enum class Degree : std::uint8_t {
  kSame,
  kParentChild,
  kSibling,
  kThreeQuarterSibling,
  kSecond,
  kThird,
  kFourth,
  kFifth,
  kUnrelated
};
inline constexpr std::size_t kDegrees = 9;

/// "0", "1" (parent and child, siblings), "1.5", "2" to "5", "unrelated".
std::string_view name_of(Degree degree);
Degree degree_of(Relation relation);

/// For each Relation the log10 of how much more probable what is seen of two people is under it than if they
/// are unrelated; -infinity where a relation is impossible. No value: the relation is not considered.
struct Ratios {
  std::array<std::optional<double>, kRelations> log10{};

  const std::optional<double>& operator[](Relation relation) const {
    return log10[static_cast<std::size_t>(relation)];
  }
  std::optional<double>& operator[](Relation relation) { return log10[static_cast<std::size_t>(relation)]; }
};

/// What the ratios of two people say. The likelihood of a degree is the mean likelihood of its relations.
struct Findings {
  /// The mean over the degrees 1 to 5 (parent and child, siblings and three-quarter siblings are degree 1
  /// here), log10; -infinity where none is considered. Its mean among strangers is 1 at most, so that at most
  /// one in r of them has a ratio of r or more, whatever relation they look like.
  double log10_any = 0;
  Degree likeliest = Degree::kUnrelated;
  double margin = 0;  ///< log10 ratio of the likeliest degree to the next; infinity: the next is impossible
  bool decided = false;  ///< the margin is at least the one asked for
  /// The nearest and the farthest degree whose ratio lies within the margin of the likeliest one's.
  Degree nearest = Degree::kUnrelated, farthest = Degree::kUnrelated;
  /// The relation whose ratio is above each other one by the margin, where the degree is decided.
  std::optional<Relation> relation;

  /// "3", "3-5", "4-unrelated".
  std::string range() const;
};

/// \param margin  log10, at least 0
Findings findings_of(const Ratios& ratios, double margin);

/// The posterior of each relation, where all considered relations and "unrelated" are equally probable
/// before. With "unrelated", which is left out, they add up to 1. A weight below a millionth is 0.
using Weights = std::array<double, kRelations>;
Weights weights_of(const Ratios& ratios);

}  // namespace fastid::linked
