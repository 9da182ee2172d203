#include "report/statements.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "match/wording.hpp"
#include "report/columns.hpp"
#include "stats/mixture.hpp"

namespace fastid::report {
namespace {

std::string chance_statement(const MatchTable& matches) {
  const std::string searched = counted(matches.provenance.n_profiles, stored(matches.comparison));
  std::string text = fmt::format("A search of {} brings chance matches. ", searched);
  if (matches.provenance.populations.empty())
    return text +
           "How many is not known here, since the panel of the database has no allele frequencies: build it "
           "with a panel that has them.";
  switch (matches.comparison) {
    case Comparison::kIdentity:
      text +=
          "The expected number of false matches is how many unrelated people, in a database of this size, "
          "would have as few mismatches with the query or fewer.";
      break;
    case Comparison::kMixture:
      text +=
          "The expected number of false matches is how many people who are no contributors, in a database "
          "of this size, would have as few excluded alleles or fewer.";
      break;
    case Comparison::kReverseMixture:
      text +=
          "The expected number of false matches is how many mixtures, of as many as are searched and as "
          "inclusive as this one, would exclude so few alleles of an unrelated person or fewer.";
      break;
  }
  return text;
}

std::string alternative_statement(Comparison comparison) {
  if (comparison == Comparison::kIdentity)
    return "The likelihood ratio (LR) weighs \"query and profile are of the same person\" against \"they are "
           "of "
           "two unrelated people of the population\". It says nothing of relatives: a parent, child or "
           "sibling "
           "of the person has far fewer mismatches than an unrelated person.";
  return "The likelihood ratio (LR) weighs \"the person is one of the mixture's contributors\" against \"as "
         "many "
         "people, all unrelated to this person, made the mixture\". It says nothing of relatives of a "
         "contributor, who share many of the contributor's alleles.";
}

std::string model_statement(const Provenance& from) {
  std::string names;
  for (const PopulationFacts& population : from.populations)
    names += (names.empty() ? "" : ", ") + population.name;
  const bool several = from.populations.size() > 1;
  return fmt::format("{} {}{}; theta {:g}, error rate {:g}.", several ? "Populations" : "Population", names,
                     several ? " (each figure is from the one that speaks least for the match)" : "",
                     from.evidence.theta, from.evidence.error_rate);
}

std::string contributors_fact(const MixtureEvidence& mixture) {
  const auto people = [](unsigned n) {
    return n >= stats::kMostContributors ? fmt::format("{} or more", n) : fmt::format("{}", n);
  };
  std::string text =
      fmt::format("{} contributor{} {}", people(mixture.contributors_used),
                  mixture.contributors_used == 1 ? "" : "s", mixture.given ? "(as given)" : "estimated");
  if (!mixture.given && !mixture.informative) return "number of contributors not known: nothing is called";
  if (!mixture.given && mixture.low != mixture.high)
    text += fmt::format(" ({} to {})", mixture.low, people(mixture.high));
  return text;
}

std::string population_fact(const PopulationEvidence& population, bool mixture) {
  const auto& chance = mixture ? population.log10_p_rmne_0 : population.log10_match_probability;
  return fmt::format("{} {} ({})", mixture ? "P(RMNE given 0)" : "match probability",
                     chance ? chance_text(*chance, 3) : "NA", population.name);
}

std::string limit_fact(const MatchTable& matches, const ChosenLimit& limit) {
  const double most = *matches.provenance.evidence.max_expected_false;
  if (!limit.max_count)
    return fmt::format(
        "listed: nothing, since not even a profile without {} is rare enough for at most {:.4g} expected "
        "false matches",
        differences(matches.comparison), most);
  return fmt::format(
      "listed: at most {}, so that at most {:.4g} false matches are expected",
      counted_differences(matches.comparison, std::min(*limit.max_count, matches.provenance.rule.max_count)),
      most);
}

}  // namespace

std::vector<Statement> statements(const MatchTable& matches) {
  std::vector<Statement> all = {{"chance", "Chance matches", chance_statement(matches)}};
  if (matches.provenance.populations.empty()) return all;
  all.push_back({"alternative", "Alternative hypothesis", alternative_statement(matches.comparison)});
  all.push_back(
      {"linkage", "Linkage",
       "Loci are taken to be unlinked, and their probabilities are multiplied. Where loci are linked, "
       "the evidence is overstated."});
  all.push_back({"model", "Model", model_statement(matches.provenance)});
  return all;
}

std::vector<std::string> query_facts(const MatchTable& matches, const QueryMatches& query) {
  std::vector<std::string> facts;
  const QueryEvidence& evidence = query.evidence;
  const bool mixture = matches.comparison == Comparison::kMixture;
  if (evidence.mixture) {
    facts.push_back(
        fmt::format("{:.1f} % of its sites show the minor allele", 100 * evidence.mixture->saturation));
    facts.push_back(contributors_fact(*evidence.mixture));
  }
  if (!evidence.populations.empty())
    facts.push_back(population_fact(evidence.populations[evidence.worst], mixture));
  if (evidence.limit) facts.push_back(limit_fact(matches, *evidence.limit));
  return facts;
}

std::string saturation_warning(const QueryMatches& query) {
  if (!query.evidence.mixture || !query.evidence.mixture->saturated) return "";
  return "Saturated: chance alone brings profiles of which this mixture lacks no allele. Its ranking cannot "
         "tell "
         "contributors from others.";
}

}  // namespace fastid::report
