#include "report/page/kin_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "base/text.hpp"
#include "page/figures.hpp"
#include "page/page.hpp"
#include "stats/log_number.hpp"

namespace fastid::report {
namespace {

/// Words for a relation, by MatchRow's name of it.
struct RelationWords {
  const char* name;
  const char* two;  ///< said of two people
};
constexpr const char* kOwnRelation = "same";
constexpr RelationWords kRelationWords[] = {
    {kOwnRelation, "the same person, or of identical twins"},
    {"parent-child", "a parent and a child"},
    {"sibling", "two full siblings"},
    {"half-sibling", "two half siblings, or other relatives of the second degree"},
    {"cousin", "two first cousins, or other relatives of the third degree"}};

std::string two_of(const match::MatchTable& matches, const std::string& relation) {
  if (matches.provenance.evidence.map) return "relatives of the first to the fifth degree";
  const auto* const known = std::ranges::find(kRelationWords, relation, &RelationWords::name);
  return known == std::end(kRelationWords) ? "relatives of the kind that suits them best" : known->two;
}

/// "the map of GRCh37", "the map map.tsv", "1.2 cM a Mb".
std::string map_text(const match::MapFacts& map) {
  if (map.map.empty()) return "1.2 cM a Mb";
  return map.sha256.empty() ? "the map of " + map.map : "the map " + map.map;
}

/// "kinship 0.2461, sibling (10^5.3 times as probable as the next relation)" as html.
std::string described(const match::MatchTable& matches, const match::MatchRow& row, const Options& options) {
  std::string text = std::isnan(row.kin->kinship)
                         ? "by the likelihoods of genotypes"
                         : "kinship " + page::signed_html(page::ratio_text(row.kin->kinship, 4));
  if (matches.family) return text + " with " + page::name_html(row.kin->relative);
  if (row.kin->relation.empty()) return text;
  text += ", relation " + page::escaped(row.kin->relation);
  if (row.kin->linked)
    return text + fmt::format(", degree {} (the likeliest is {} times as probable as the next)",
                              page::escaped(row.kin->linked->degree_range),
                              page::power_html(*row.kin->margin, options.cap));
  return text +
         fmt::format(" ({} times as probable as the next)", page::power_html(*row.kin->margin, options.cap));
}

std::string asked_name(const match::MatchTable& matches, const match::QueryMatches& query) {
  return (matches.family ? "the missing member " : "query ") + page::name_html(query.name);
}

std::string ratio_sentence(const match::MatchTable& matches, const match::QueryMatches& query,
                           const match::MatchRow& row, const Options& options) {
  const auto [first, second] = kin_clauses(matches, row.kin->relation, asked_name(matches, query),
                                           "profile " + page::name_html(row.profile));
  return fmt::format("These results are {} times more probable if {} than if {}.",
                     page::power_html(*row.log10_lr, options.cap), first, second);
}

std::string chance_sentence(const match::MatchTable& matches, const match::MatchRow& row) {
  return fmt::format(" At most {} unrelated people of {} are expected to have such a ratio, or a higher one.",
                     page::chance_html(*row.log10_chance_matches),
                     with_commas(matches.provenance.searched.n_profiles));
}

}  // namespace

std::string kin_chance(const match::MatchTable& matches) {
  return fmt::format(
      "A search of {} brings chance matches. Their number is a bound: at most so many unrelated people, in a "
      "database of this size, are expected to have {} or a higher one. It speaks of unrelated people only: a "
      "relative of another degree, or of a relative, may well have one.",
      counted(matches.provenance.searched.n_profiles, "profile"),
      matches.family || matches.provenance.evidence.map ? "such a likelihood ratio"
                                                        : "such a likelihood ratio for some relation");
}

std::string kin_propositions(const match::MatchTable& matches) {
  if (matches.family)
    return fmt::format(
        "The likelihood ratio (LR) says how many times more probable the genotypes of {} and the profile are "
        "if the profile is of the missing member{} than if it is of somebody unrelated to the family; below "
        "1, they are less probable. It does not say how probable either is. The relationships within the "
        "family are taken for granted.",
        counted(matches.family->relatives.size(), "typed relative"),
        matches.family->missing.size() == 1 ? " " + matches.family->missing[0].name : "");
  if (matches.provenance.evidence.map)
    return fmt::format(
        "The likelihood ratio (LR) says how many times more probable the genotypes of the query and the "
        "profile "
        "are if the two are relatives than if they are unrelated: the mean over the degrees 1 to 5, a degree "
        "being the mean over its relations; below 1, they are less probable. It does not say how probable "
        "either "
        "is. A relation or a degree is named where its margin, the ratio to the next one, is at least "
        "10^{:g} and "
        "fewer than 0.01 chance matches are expected; all degrees within that margin of the likeliest one "
        "are the "
        "range. Within a degree mostly grandparents alone can be told from others. It does not take into "
        "account "
        "how common relatives are.",
        matches.provenance.evidence.margin);
  return fmt::format(
      "The likelihood ratio (LR) of a relation says how many times more probable the genotypes of the query "
      "and the profile are if the two are so related than if they are unrelated; below 1, they are less "
      "probable. It does not say how probable either is. Half siblings stand for all relatives of the second "
      "degree (grandparents, uncles, aunts) and first cousins for those of the third, which sites that are "
      "taken as unlinked cannot tell apart. The relation named is the likeliest of these, the same person "
      "and "
      "unrelated people, where its margin, the ratio to the next one, is at least 10^{:g} and fewer "
      "than 0.01 chance matches are expected; else \"undecided\". It does not take into account how common "
      "relatives are.",
      matches.provenance.evidence.margin);
}

std::string near_along_map(const match::MapFacts& map) {
  return fmt::format(
      "The ratio against a full sibling and the relation that a profile suggests follow the stretches of "
      "chromosomes that relatives inherit, along {}, at {}.",
      map_text(map), counted(map.n_sites, "site"));
}

std::string siblings_along_map(const match::MapFacts& map) {
  return fmt::format(
      "The ratios of full and half siblings of a contributor follow the stretches of chromosomes that "
      "siblings inherit, along {}, at {}.",
      map_text(map), counted(map.n_sites, "site"));
}

std::string kin_along_map(const match::MapFacts& map) {
  return fmt::format(
      "Relatives inherit stretches of chromosomes, which are followed along {}, at {}{}. Alleles of "
      "unrelated people "
      "are taken to be independent from site to site.",
      map_text(map), counted(map.n_sites, "site"),
      map.thin_cm > 0 ? fmt::format(", one of each {:g} cM", map.thin_cm) : "");
}

std::string kin_linkage() {
  return "Loci are taken to be unlinked, and their probabilities are multiplied. " + kin_stretches();
}

std::string kin_stretches() {
  return "Relatives share long stretches "
         "of chromosomes, so that their ratios vary more than this says: the evidence for or against a "
         "relation "
         "is overstated, and a relation may be named too confidently.";
}

Propositions kin_clauses(const match::MatchTable& matches, const std::string& relation,
                         const std::string& asked, const std::string& stored) {
  if (matches.family)
    return {fmt::format("{} is of {}", stored, asked), "it is of somebody unrelated to the family"};
  return {fmt::format("{} and {} are of {}", asked, stored, two_of(matches, relation)),
          "they are of two unrelated people"};
}

namespace {

/// Words where the query's own profile stands apart first, with the nearest relative that stands apart too,
/// if any. No value where the first profile that stands apart is a relative.
std::optional<FindingText> beside_own_profile(const match::MatchTable& matches,
                                              const match::QueryMatches& query, const Finding& finding,
                                              const Options& options) {
  const auto is_own = [&](std::size_t place) { return query.rows[place].kin->relation == kOwnRelation; };
  if (matches.family || !is_own(finding.apart[0])) return std::nullopt;
  const match::MatchRow& own = query.rows[finding.apart[0]];
  const auto n = std::ranges::count_if(finding.apart, is_own);
  const auto next = std::ranges::find_if_not(finding.apart, is_own);
  const std::string whose =
      n == 1 ? page::name_html(own.profile) +
                   " looks like the query&#39;s own profile, or an identical twin&#39;s"
             : fmt::format("{} profiles, {} first, look like the query&#39;s own, or an identical twin&#39;s",
                           with_commas(static_cast<std::uint64_t>(n)), page::name_html(own.profile));
  if (next == finding.apart.end())
    return FindingText{
        fmt::format("{}: {}; no relative stands apart", whose, described(matches, own, options)),
        ratio_sentence(matches, query, own, options) + chance_sentence(matches, own)};
  const match::MatchRow& relative = query.rows[*next];
  return FindingText{fmt::format("{}; {} stands apart as a relative: {}", whose,
                                 page::name_html(relative.profile), described(matches, relative, options)),
                     ratio_sentence(matches, query, relative, options) + chance_sentence(matches, relative)};
}

/// Words for a profile that fits the family better in another place.
FindingText other_role_text(const match::QueryMatches& query, const match::MatchRow& row,
                            const Options& options) {
  return {fmt::format("No profile stands apart as the missing member; {} fits the family better as {}",
                      page::name_html(row.profile), page::name_html(row.kin->other_role)),
          fmt::format("The likelihood ratio of that is {}, against somebody unrelated to the family; as the "
                      "missing member {} it is {}.",
                      page::power_html(row.kin->log10_lr_other_role, options.cap),
                      page::name_html(query.name), page::power_html(*row.log10_lr, options.cap))};
}

}  // namespace

FindingText kin_finding_text(const match::MatchTable& matches, const match::QueryMatches& query,
                             const Finding& finding, const Options& options) {
  if (query.rows.empty()) return {"No profile passes", ""};
  const match::MatchRow& first = query.rows[finding.apart.empty() ? 0 : finding.apart[0]];
  const std::string name = page::name_html(first.profile), about = described(matches, first, options);
  if (!finding.apart.empty())
    if (const auto own = beside_own_profile(matches, query, finding, options)) return *own;
  switch (finding.kind) {
    case FindingKind::kOneApart:
      return {fmt::format("{} stands apart: {}", name, about),
              ratio_sentence(matches, query, first, options) + chance_sentence(matches, first)};
    case FindingKind::kSeveralApart:
      return {fmt::format("{} profiles stand apart; of {}, the first, {}", with_commas(finding.apart.size()),
                          name, about),
              ratio_sentence(matches, query, first, options) + chance_sentence(matches, first)};
    case FindingKind::kRelative:
      if (matches.family) return other_role_text(query, query.rows[finding.relatives[0]], options);
      [[fallthrough]];
    case FindingKind::kNobody:
      return {fmt::format("No profile stands apart: of {}, the first listed, {}", name, about),
              chance_sentence(matches, first).substr(1)};
    case FindingKind::kNotWeighed:
      break;
  }
  return {fmt::format("{} has the highest: {}", name, about),
          "What that is worth is not known, since the panel of the database has no allele frequencies."};
}

}  // namespace fastid::report
