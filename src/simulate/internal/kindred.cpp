#include "simulate/internal/kindred.hpp"

#include <array>
#include <utility>

#include "bits/blocks.hpp"

namespace fastid::simulate {
namespace {

enum class Part { kBystander, kTyped, kMissing, kMissingAndTyped };

constexpr int kNobody = -1;

/// A member of a kind of family. `sex` is M, F, or ? where it is drawn.
struct Line {
  const char* role;
  int father, mother;
  char sex;
  Part part;
};

using enum Part;

constexpr Line kParents[] = {{"father", kNobody, kNobody, 'M', kTyped},
                             {"mother", kNobody, kNobody, 'F', kTyped},
                             {"child", 0, 1, '?', kMissing}};
constexpr Line kMother[] = {{"father", kNobody, kNobody, 'M', kBystander},
                            {"mother", kNobody, kNobody, 'F', kTyped},
                            {"child", 0, 1, '?', kMissing}};
constexpr Line kSiblings[] = {{"father", kNobody, kNobody, 'M', kBystander},
                              {"mother", kNobody, kNobody, 'F', kBystander},
                              {"child", 0, 1, '?', kMissing},
                              {"sister", 0, 1, 'F', kTyped},
                              {"brother", 0, 1, 'M', kTyped}};
constexpr Line kChildren[] = {{"father", kNobody, kNobody, 'M', kMissing},
                              {"mother", kNobody, kNobody, 'F', kTyped},
                              {"child1", 0, 1, '?', kTyped},
                              {"child2", 0, 1, '?', kTyped}};
constexpr Line kBrothers[] = {{"father", kNobody, kNobody, 'M', kBystander},
                              {"mother", kNobody, kNobody, 'F', kTyped},
                              {"son1", 0, 1, 'M', kMissing},
                              {"son2", 0, 1, 'M', kMissing},
                              {"sister", 0, 1, 'F', kTyped}};
constexpr Line kGenerations[] = {{"grandfather", kNobody, kNobody, 'M', kBystander},
                                 {"grandmother", kNobody, kNobody, 'F', kTyped},
                                 {"mother", kNobody, kNobody, 'F', kTyped},
                                 {"father", 0, 1, 'M', kMissing},
                                 {"child", 3, 2, '?', kMissing}};
constexpr Line kAunt[] = {{"grandfather", kNobody, kNobody, 'M', kBystander},
                          {"grandmother", kNobody, kNobody, 'F', kTyped},
                          {"mother", kNobody, kNobody, 'F', kBystander},
                          {"father", 0, 1, 'M', kBystander},
                          {"aunt", 0, 1, 'F', kTyped},
                          {"child", 3, 2, '?', kMissing}};
constexpr Line kHalfSiblings[] = {{"father", kNobody, kNobody, 'M', kBystander},
                                  {"mother", kNobody, kNobody, 'F', kBystander},
                                  {"stepfather", kNobody, kNobody, 'M', kBystander},
                                  {"child", 0, 1, '?', kMissing},
                                  {"half1", 2, 1, '?', kTyped},
                                  {"half2", 2, 1, '?', kTyped}};
constexpr Line kCousin[] = {{"grandfather", kNobody, kNobody, 'M', kBystander},
                            {"grandmother", kNobody, kNobody, 'F', kBystander},
                            {"uncle", kNobody, kNobody, 'M', kBystander},
                            {"mother", kNobody, kNobody, 'F', kBystander},
                            {"father", 0, 1, 'M', kBystander},
                            {"aunt", 0, 1, 'F', kBystander},
                            {"cousin", 2, 5, '?', kTyped},
                            {"child", 4, 3, '?', kMissing}};
constexpr Line kToothbrush[] = {{"father", kNobody, kNobody, 'M', kBystander},
                                {"mother", kNobody, kNobody, 'F', kTyped},
                                {"child", 0, 1, '?', kMissingAndTyped}};

/// Kinds of families; common kinds are listed several times.
constexpr std::array<std::span<const Line>, 16> kKinds{
    kParents,  kParents,  kParents,  kMother, kMother,       kSiblings, kSiblings,   kChildren,
    kChildren, kBrothers, kBrothers, kAunt,   kHalfSiblings, kCousin,   kToothbrush, kGenerations};

Kindred kindred_of(std::span<const Line> lines, Stream& stream) {
  const auto place = [](int of) {
    return of == kNobody ? std::nullopt : std::optional(static_cast<std::size_t>(of));
  };
  Kindred kindred;
  for (const Line& line : lines) {
    const bool is_man = line.sex == '?' ? stream.below(2) == 0 : line.sex == 'M';
    kindred.members.push_back({.role = line.role,
                               .father = place(line.father),
                               .mother = place(line.mother),
                               .sex = is_man ? Sex::kMale : Sex::kFemale,
                               .typed = line.part == kTyped || line.part == kMissingAndTyped,
                               .missing = line.part == kMissing || line.part == kMissingAndTyped});
  }
  return kindred;
}

/// Passes one of a parent's copies on to a member. \param turns  which copy, one bit for each member
void pass_on(const SiteAlleles& site, std::size_t parent, std::uint32_t turns, std::size_t member,
             std::uint32_t& to) {
  const std::uint32_t from = (turns >> member & 1) != 0 ? site.second : site.first;
  to = (to & ~(std::uint32_t{1} << member)) | (from >> parent & 1) << member;
}

void pass_on(const Kindred& kindred, std::uint64_t meioses, SiteAlleles& site) {
  for (std::size_t i = 0; i < kindred.members.size(); ++i) {
    const Kin& member = kindred.members[i];
    if (member.father) pass_on(site, *member.father, static_cast<std::uint32_t>(meioses), i, site.first);
    if (member.mother)
      pass_on(site, *member.mother, static_cast<std::uint32_t>(meioses >> kLanes), i, site.second);
  }
}

}  // namespace

std::size_t Kindred::add_unlisted(Kin member) {
  member.listed = false;
  members.push_back(std::move(member));
  return members.size() - 1;
}

Kindred drawn_kindred(Stream& stream) {
  return kindred_of(kKinds[stream.below(kKinds.size())], stream);
}

Kindred kindred_with_parents(Stream& stream) {
  return kindred_of(kParents, stream);
}

Genomes::Genomes(const SiteClasses& classes, std::span<const double> minor_freq, const Crossovers* crossovers,
                 std::uint64_t seed)
    : classes_(classes),
      crossovers_(crossovers),
      seed_(seed),
      autosomal_(classes.sites(SiteClass::kAutosomal)) {
  for (const std::uint32_t site : autosomal_) minor_.emplace_back(minor_freq[site]);
}

std::vector<SiteAlleles> Genomes::of(const Kindred& kindred, std::uint64_t index) const {
  std::vector<SiteAlleles> alleles(classes_.n_sites());
  Stream founders(seed_, Purpose::kKindredAlleles, index), descent(seed_, Purpose::kKindredDescent, index);
  for (std::size_t i = 0; i < autosomal_.size(); ++i) {
    const std::uint64_t drawn = minor_[i].draw(founders);
    alleles[autosomal_[i]] = {static_cast<std::uint32_t>(drawn), static_cast<std::uint32_t>(drawn >> kLanes)};
  }
  if (crossovers_ == nullptr) {
    for (const std::uint32_t site : autosomal_) pass_on(kindred, descent.next(), alleles[site]);
    return alleles;
  }
  std::uint64_t meioses = 0;
  for (const auto& [place, crosses] : crossovers_->steps()) {
    meioses ^= crosses.draw(descent);
    pass_on(kindred, meioses, alleles[autosomal_[place]]);
  }
  return alleles;
}

}  // namespace fastid::simulate
