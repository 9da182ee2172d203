#include "questions/pairs/page/cohort_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/text.hpp"
#include "match/wording.hpp"
#include "stats/kinship.hpp"

namespace fastid::pairs {
namespace {

constexpr std::array<RelationWords, 9> kRelations{
    {{"same", "one person, or identical twins"},
     {"parent-child", "parent and child"},
     {"sibling", "full siblings"},
     {"half-sibling", "half siblings, or others of the second degree"},
     {"cousin", "cousins, or others of the third degree"},
     {"distant", "relatives of the fourth or fifth degree"},
     {"close", "close, but the counts do not say how"},
     {"undecided", "alike, which chance explains"},
     {"unrelated", "strangers, by the evidence or their kinship"}}};

std::string has_or_have(std::uint64_t n) {
  return with_commas(n) + (n == 1 ? " has" : " have");
}

std::string is_or_are(std::uint64_t n) {
  return with_commas(n) + (n == 1 ? " is" : " are");
}

std::uint64_t n_wrong(const CohortExpectation& of) {
  return of.number(Outcome::kMissing) + of.number(Outcome::kUnexpected) + of.number(Outcome::kOtherRelation);
}

std::uint64_t n_in_groups(const CohortTable& cohort) {
  std::uint64_t n = 0;
  for (const CohortGroup& group : cohort.groups) n += group.members.size();
  return n;
}

std::string in_groups(const CohortTable& cohort) {
  if (cohort.groups.empty())
    return fmt::format("no two of {} are relatives", counted(cohort.facts.n_profiles, "profile"));
  const std::uint64_t n = n_in_groups(cohort);
  return fmt::format("{} of {} {} in {} of relatives", with_commas(n),
                     counted(cohort.facts.n_profiles, "profile"), n == 1 ? "is" : "are",
                     counted(cohort.groups.size(), "group"));
}

/// "A and B"; for more than two "A seems to be B, B to be C, C to be A", at most the first six.
std::string exchanged(const CohortTable& cohort, const std::vector<std::size_t>& profiles) {
  constexpr std::size_t kMost = 6;
  const std::size_t n = profiles.size();
  if (n == 2) return labels_of(cohort, profiles, " and ");
  std::string text;
  for (std::size_t i = 0; i < std::min(n, kMost); ++i)
    text += fmt::format("{}{} {} {}", i == 0 ? "" : ", ", label_of(cohort, profiles[i]),
                        i == 0 ? "seems to be" : "to be", label_of(cohort, profiles[(i + 1) % n]));
  return n > kMost ? text + fmt::format(" and so on with {} more", with_commas(n - kMost)) : text;
}

/// "first", "second", "third"; "" for other degrees.
std::string_view ordinal_of(stats::Degree degree) {
  switch (degree) {
    case stats::Degree::kFirst:
      return "first";
    case stats::Degree::kSecond:
      return "second";
    case stats::Degree::kThird:
      return "third";
    case stats::Degree::kSame:
    case stats::Degree::kUnrelated:
      break;
  }
  return "";
}

/// The most distant degree whose bound is not below this kinship; "" where none is.
std::string_view degree_left_out(double kinship) {
  for (const stats::Degree degree : {stats::Degree::kThird, stats::Degree::kSecond, stats::Degree::kFirst})
    if (stats::least_kinship(degree) >= kinship) return ordinal_of(degree);
  return "";
}

/// A clause on how far the panel's kinship goes.
std::string degree_told(const match::PairsFacts& facts) {
  if (!facts.kinship_spread) return "";
  if (!facts.linked.empty())
    return "; how distant a degree this panel can tell is not known, since its sites are linked";
  const std::string_view degree = ordinal_of(stats::most_distant_degree(*facts.kinship_spread));
  if (degree.empty())
    return fmt::format("; this panel can tell no degree, since the kinship of strangers varies by {:.3f}",
                       *facts.kinship_spread);
  return fmt::format("; the {} degree is the most distant that this panel can tell", degree);
}

}  // namespace

std::span<const RelationWords> relation_words() {
  return kRelations;
}

std::size_t place_of(std::string_view relation) {
  return static_cast<std::size_t>(std::ranges::find(kRelations, relation, &RelationWords::name) -
                                  kRelations.begin());
}

std::string label_of(const CohortTable& cohort, std::size_t profile) {
  const CohortProfile& of = cohort.profiles[profile];
  return of.database == 0 ? of.id : of.id + " [2]";
}

std::string labels_of(const CohortTable& cohort, const std::vector<std::size_t>& profiles,
                      std::string_view between) {
  std::string text;
  for (const std::size_t profile : profiles) {
    if (!text.empty()) text += between;
    text += label_of(cohort, profile);
  }
  return text;
}

std::vector<std::uint64_t> pairs_by_relation(const CohortTable& cohort) {
  std::vector<std::uint64_t> numbers(kRelations.size());
  for (const CohortPair& pair : cohort.pairs) ++numbers[place_of(pair.relation)];
  return numbers;
}

std::string cohort_headline(const CohortTable& cohort) {
  if (!cohort.expectation) return in_groups(cohort);
  const CohortExpectation& of = *cohort.expectation;
  if (of.met() && !of.links_nobody())
    return fmt::format("all is as expected: {} found, and no other pair of relatives",
                       counted(of.number(Outcome::kFound), "expected pair"));
  if (of.links_nobody())
    return "nothing was expected, since the pedigree links no two profiles: " + in_groups(cohort);
  std::string text = fmt::format(
      "not all is as expected: of {} {} missing and {} another relation, and {} unexpected",
      counted(of.n_expected, "expected pair"), is_or_are(of.number(Outcome::kMissing)),
      has_or_have(of.number(Outcome::kOtherRelation)), is_or_are(of.number(Outcome::kUnexpected)));
  if (!of.sexes.empty())
    text += fmt::format("; {} {} of another sex than stated", counted(of.sexes.size(), "profile"),
                        of.sexes.size() == 1 ? "is" : "are");
  return text;
}

std::string groups_sentence(const CohortTable& cohort) {
  std::string text = in_groups(cohort);
  const std::vector<std::uint64_t> numbers = pairs_by_relation(cohort);
  std::string pairs;
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (numbers[i] > 0)
      pairs += fmt::format("{}{} {}", pairs.empty() ? "" : ", ", with_commas(numbers[i]), kRelations[i].name);
  return pairs.empty() ? text : text + "; pairs: " + pairs;
}

std::string expectation_sentence(const CohortTable& cohort) {
  const CohortExpectation& of = *cohort.expectation;
  if (of.links_nobody())
    return fmt::format(
        "nothing was expected: {} makes no two of these profiles relatives (of its people {} in the "
        "database, and {} "
        "not); {} of relatives {} found",
        of.path, is_or_are(of.n_present), is_or_are(of.n_absent),
        counted(of.number(Outcome::kUnexpected), "pair"),
        of.number(Outcome::kUnexpected) == 1 ? "was" : "were");
  std::string text =
      fmt::format("{}: {} found, {} missing, {} of another relation; {} unexpected",
                  counted(of.n_expected, "expected pair"), with_commas(of.number(Outcome::kFound)),
                  with_commas(of.number(Outcome::kMissing)), with_commas(of.number(Outcome::kOtherRelation)),
                  with_commas(of.number(Outcome::kUnexpected)));
  if (const std::uint64_t below = of.number(Outcome::kBelow); below > 0)
    text += fmt::format("; {} not found, and need not be: the search does not go so far", with_commas(below));
  if (const std::uint64_t n = of.number(Outcome::kNotCompared); n > 0)
    text += fmt::format("; {} not compared", with_commas(n));
  return text;
}

std::string exchange_sentence(const CohortTable& cohort, const LabelExchange& exchange) {
  std::string text = exchanged(cohort, exchange.profiles);
  for (const std::vector<std::size_t>& other : exchange.alternatives)
    text += ", or else " + exchanged(cohort, other);
  if (exchange.profiles.size() == 2)
    text += exchange.alternatives.empty() ? " seem to be exchanged" : ", seem to be exchanged";
  if (&exchange == &cohort.expectation->exchanges.front()) text += " (swapped labels)";
  text += fmt::format(": this repairs {} of {} wrong pairs", with_commas(exchange.repairs()),
                      with_commas(n_wrong(*cohort.expectation)));
  if (exchange.made_wrong > 0)
    text += fmt::format(", and makes {} wrong that {} not", with_commas(exchange.made_wrong),
                        exchange.made_wrong == 1 ? "was" : "were");
  return text;
}

std::string sexes_sentence(const CohortTable& cohort) {
  constexpr std::size_t kMost = 10;
  const std::vector<SexContradiction>& sexes = cohort.expectation->sexes;
  if (sexes.empty()) return "";
  std::string text = fmt::format(
      "{} of {} {} not of the sex that the pedigree states, by X and Y: ", with_commas(sexes.size()),
      counted(cohort.expectation->n_sexes, "profile"), sexes.size() == 1 ? "is" : "are");
  for (std::size_t i = 0; i < std::min(kMost, sexes.size()); ++i)
    text += fmt::format("{}{} is {} (stated {})", i == 0 ? "" : ", ", label_of(cohort, sexes[i].profile),
                        name_of(sexes[i].found), name_of(sexes[i].stated));
  return sexes.size() > kMost ? text + fmt::format(" and {} more", with_commas(sexes.size() - kMost)) : text;
}

std::string unrelated_sentence(const CohortTable& cohort) {
  const UnrelatedSet& set = *cohort.unrelated;
  std::string text = fmt::format(
      "{} of {} are kept, of whom no two have {}", with_commas(set.ids.size()),
      counted(set.n_profiles, "profile"),
      set.kinship ? fmt::format("a kinship of {} or more", *set.kinship) : match::limits_text(cohort.facts));
  if (const std::string_view degree = set.kinship ? degree_left_out(*set.kinship) : ""; !degree.empty())
    text += fmt::format(": by KING's bounds none are relatives of the {} degree{}", degree,
                        degree == "first" ? "" : " or nearer");
  if (set.greedy_groups == 0)
    text += "; these are the most that can be kept";
  else
    text += fmt::format("; of {} with {} more might be kept, since these are too large to try all ways",
                        counted(set.greedy_groups, "group"), counted(set.greedy_members, "member"));
  return text + degree_told(cohort.facts);
}

std::string limits_sentence(const CohortTable& cohort) {
  return fmt::format(
      "Only pairs with {} were looked for{}. Relatives who lie beyond that are in no pair and no group of "
      "this report{}.",
      match::limits_text(cohort.facts),
      cohort.facts.min_compared > 1
          ? fmt::format(" that have at least {} sites in common", with_commas(cohort.facts.min_compared))
          : "",
      cohort.unrelated ? ", and two of them may be in the set without relatives" : "");
}

}  // namespace fastid::pairs
