#include "report/page/statements.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.hpp"
#include "match/wording.hpp"
#include "page/figures.hpp"
#include "page/page.hpp"
#include "report/page/explanations.hpp"
#include "report/page/kin_words.hpp"
#include "report/parameters.hpp"

namespace fastid::report {
namespace {

/// Words for the alternative hypothesis of a likelihood ratio, by EvidenceParameters::alternative.
struct Alternative {
  const char* name;
  const char* two;  ///< said of two people
  const char* one;  ///< said of the person
};
constexpr Alternative kAlternatives[] = {{"unrelated", "two unrelated people", "an unrelated person"},
                                         {"sibling", "two full siblings", "a full sibling"},
                                         {"parent-child", "a parent and a child", "a parent or child"},
                                         {"half-sibling", "two half siblings", "a half sibling"},
                                         {"cousin", "two first cousins", "a first cousin"}};

const Alternative& alternative_of(const match::MatchTable& matches) {
  const auto* const known =
      std::ranges::find(kAlternatives, matches.provenance.evidence.alternative, &Alternative::name);
  return known == std::end(kAlternatives) ? kAlternatives[0] : *known;
}

bool against_relatives(const match::MatchTable& matches) {
  return &alternative_of(matches) != &kAlternatives[0];
}

std::string chance_statement(const match::MatchTable& matches) {
  std::string text = fmt::format("A search of {} brings chance matches. ",
                                 counted(matches.provenance.searched.n_profiles, match::stored(matches)));
  if (matches.provenance.populations.empty())
    return text +
           "How many is not known here, since the panel of the database has no allele frequencies: build it "
           "with a panel that has them.";
  const bool by_alleles = matches.by == Encoding::kAlleles;
  const char *const differing = by_alleles ? "differing alleles" : "mismatches", *const alleles =
                                                                                     by_alleles
                                                                                         ? "alleles"
                                                                                         : "minor alleles";
  switch (matches.comparison) {
    case engine::Comparison::kIdentity:
      text += fmt::format(
          "Their number is a bound: at most so many unrelated people, in a database of this size, are "
          "expected to match as well, be it by {} alone or by their likelihood ratio for any relation. It "
          "speaks of unrelated people only: a parent, child or "
          "sibling of the person has far fewer {} than they have.",
          differing, differing);
      break;
    case engine::Comparison::kMixture:
      if (match::between_mixtures(matches))
        return text +
               "Their number is a bound: of stored mixtures whose contributors are unrelated to all of a "
               "mixture's, at most so many are expected to have so high a likelihood ratio.";
      text += fmt::format(
          "Their number is how many people who are unrelated to all contributors, in a database of this "
          "size, are expected to have as few {} that the mixture does not show, or fewer, or how many can "
          "have so "
          "high a likelihood ratio, whichever is less. It "
          "speaks of unrelated people only: a relative of a contributor shares many of the contributor's "
          "alleles.",
          alleles);
      break;
    case engine::Comparison::kReverseMixture:
      text += fmt::format(
          "Their number is how many mixtures, of as many as are searched and as inclusive as this one, are "
          "expected to lack so few {} of an unrelated person, or fewer, or how many can have so high a "
          "likelihood "
          "ratio, whichever is less. It speaks of unrelated "
          "people only: a relative of a contributor shares many of the contributor's alleles.",
          alleles);
      break;
    default:
      return kin_chance(matches);
  }
  return text;
}

/// A statement on X, Y and M; "" where all sites are autosomal.
std::string beside_statement(const match::Provenance& from) {
  const match::SitesByClass& sites = from.sites;
  std::vector<std::string> classes;
  if (sites.x > 0) classes.emplace_back("X");
  if (sites.y > 0) classes.emplace_back("Y");
  if (sites.m > 0) classes.emplace_back("M");
  if (classes.empty()) return "";
  std::string names = classes.front();
  for (std::size_t i = 1; i < classes.size(); ++i)
    names += (i + 1 == classes.size() ? " and " : ", ") + classes[i];
  std::string text = names + " sites are not in log10_lr.";
  if (sites.y > 0) text += " Whoever agrees at Y may be any relative of the paternal line.";
  if (sites.m > 0) text += " Whoever agrees at M may be any relative of the maternal line.";
  return text;
}

std::string propositions_statement(const match::MatchTable& matches) {
  if (matches.comparison == engine::Comparison::kKinship) return kin_propositions(matches);
  const bool identity = matches.comparison == engine::Comparison::kIdentity;
  const auto [first, second] = propositions(matches, std::string("the ") + match::asked(matches.comparison),
                                            std::string("the ") + match::stored(matches));
  std::string text = fmt::format(
      "The likelihood ratio (LR) says how many times more probable the results are if {} than if {}; below "
      "1, they are less probable. It does not say how probable either is.",
      first, second);
  if (identity)
    text +=
        " The second ratio holds \"the same person\" against \"a full sibling\". What the ratios suggest is "
        "the relation that makes the results at least ten times more probable than any other one does; "
        "\"inconclusive\" where there is none, where 0.01 or more chance matches are expected and it is "
        "not \"unrelated\", where even profiles without a difference would be so many, or where either seems "
        "to be of several people.";
  static const std::string contributor_words =
      " The second ratio is of a parent, child, full sibling or half sibling of a contributor, whichever is "
      "likeliest, against somebody unrelated. What the ratios suggest makes the results at least a thousand "
      "times more probable than any other relation to a contributor does. A ratio is the mean over numbers "
      "of "
      "contributors and over what each of them has lost, by what the mixture alone says of these.";
  if (matches.comparison == engine::Comparison::kReverseMixture)
    return text +
           " \"relative?\" marks a mixture that chance does not explain, and to which a relative of the "
           "person may have contributed as well." +
           contributor_words;
  if (match::between_mixtures(matches))
    return text +
           " \"relative?\" marks a stored mixture that chance does not explain, but to which a relative of a "
           "contributor may have contributed." +
           contributor_words;
  if (identity) return text + " \"relative?\" marks a profile that suggests a relative.";
  return text +
         " \"relative?\" marks a profile that chance does not explain, but that may be a relative's of a "
         "contributor." +
         contributor_words;
}

/// Whether any mixture is weighed by its reads (`by_reads`), or any is not.
bool any_by_reads(const match::MatchTable& matches, bool by_reads) {
  return std::ranges::any_of(matches.queries, [&](const match::QueryMatches& query) {
    return (query.evidence.mixture && query.evidence.mixture->depths) == by_reads;
  });
}

std::string drop_text(const match::MatchTable& matches) {
  const match::EvidenceParameters& evidence = matches.provenance.evidence;
  std::string text = fmt::format("error rate {:g}", evidence.error_rate);
  if (any_by_reads(matches, false))
    text += fmt::format(", drop-out {}, drop-in {:g}", drop_out_text(evidence), evidence.drop_in);
  if (any_by_reads(matches, true)) text += ", shares " + shares_text(evidence);
  if (!evidence.known.empty())
    text += fmt::format(
        "; {} taken to have contributed in any case",
        evidence.known.size() == 1 ? "1 person is" : fmt::format("{} people are", evidence.known.size()));
  return text;
}

/// " ..." on queries that go by their likelihoods; "" where none does.
std::string likelihoods_text(const match::MatchTable& matches) {
  if (std::ranges::none_of(matches.queries, &match::QueryMatches::by_likelihoods)) return "";
  const bool one = matches.queries.size() == 1;
  return fmt::format(
      " The genotypes of {} not called: a ratio is of all that they may be, each by how probable it makes "
      "what was read.",
      one ? "the query are" : "queries without mismatches are");
}

std::string model_statement(const match::MatchTable& matches) {
  const match::Provenance& from = matches.provenance;
  const bool several = from.populations.size() > 1;
  return fmt::format(
      "Compared by {}. {} {}{}; theta {:g}, {}.{}", match::name_of_compared(matches.by),
      several ? "Populations" : "Population", population_names(from),
      several ? " (each ratio is the lowest, each chance the highest of all)" : "", from.evidence.theta,
      match::asks_for_mixtures(matches.comparison) ? drop_text(matches)
                                                   : fmt::format("error rate {:g}", from.evidence.error_rate),
      likelihoods_text(matches));
}

/// "contributors: 1 (P .83), 2 (P .16)": the numbers with 1 % or more.
/// \param population  whose frequencies the numbers are reckoned with; "": the only one
std::string contributors_fact(const match::MixtureEvidence& mixture, const std::string& population) {
  constexpr double kLeast = .01;
  std::string text;
  for (std::size_t i = 0; i < mixture.numbers.size(); ++i)
    if (mixture.numbers[i] >= kLeast)
      text += fmt::format("{}{} (P {:.2f})", text.empty() ? "" : ", ", i + 1, mixture.numbers[i]);
  return fmt::format("contributors{}: {}", population.empty() ? "" : " with the frequencies of " + population,
                     text);
}

/// "by reads (median 60 of a site): shares .84 and .16, concentration 55, error .002": what explains a
/// mixture best.
std::string shares_fact(const match::QueryMatches& query) {
  const match::MixtureEvidence& mixture = *query.evidence.mixture;
  const match::MixtureSupport& best = likeliest_explanation(mixture);
  const std::vector<double> shares = unknown_parts(best);
  const bool peaks = mixture.depths->of_peaks;
  std::string text =
      fmt::format("by {} (median {:.0f} of a site): {} {:.3f}", peaks ? "heights" : "reads",
                  mixture.depths->median, shares.size() == 1 ? "share" : "shares", fmt::join(shares, ", "));
  if (!best.known.empty()) text += fmt::format("; of known people {:.3f}", fmt::join(best.known, ", "));
  if (!best.reads->kin.empty()) text += ", of relatives (" + best.reads->kin + ")";
  text += fmt::format("; {} {:.3g}", peaks ? "height of a copy" : "concentration", best.reads->concentration);
  if (peaks || fits_error(query))
    text += fmt::format(", {} {:.2g}", peaks ? "its variation" : "error", best.reads->error);
  if (peaks)
    text += fmt::format("; peaks below {} are not seen", mixture.depths->threshold);
  else if (mixture.depths->threshold > 1)
    text += fmt::format("; fewer than {} reads of an allele are not counted", mixture.depths->threshold);
  return text;
}

/// How names and figures are formatted in plain text or html.
struct Markup {
  std::string (*name)(std::string_view);
  std::string (*chance)(double log10_value);
};
constexpr Markup kPlain = {[](std::string_view name) { return std::string(name); },
                           [](double log10_value) { return page::chance_text(log10_value, 3); }};
constexpr Markup kHtml = {page::escaped, page::chance_html};

std::string population_fact(const match::MatchTable& matches, const match::PopulationEvidence& population,
                            const Markup& markup) {
  const bool mixture = matches.comparison == engine::Comparison::kMixture;
  const auto& chance = mixture ? population.log10_p_rmne_0 : population.log10_match_probability;
  const char* const what = matches.by == Encoding::kAlleles ? "genotypes" : "bits";
  return fmt::format(
      "{} {} ({})",
      mixture ? "P(RMNE given 0)" : fmt::format("probability of these {} in an unrelated person", what),
      chance ? markup.chance(*chance) : "NA", markup.name(population.name));
}

std::string limit_fact(const match::MatchTable& matches, const match::ChosenLimit& limit) {
  const double most = *matches.provenance.evidence.max_chance_matches;
  if (!limit.max_count)
    return fmt::format(
        "listed: nothing, since not even {} are rare enough for at most {:.4g} chance "
        "matches",
        match::counted_differences(matches.comparison, matches.by, 0), most);
  return fmt::format(
      "listed: at most {}, so that at most {:.4g} chance matches are expected",
      match::counted_differences(matches.comparison, matches.by,
                                 std::min(*limit.max_count, matches.provenance.rule.max_count)),
      most);
}

/// The missing member that a query's rows are candidates for.
const match::MissingFacts& missing_of(const match::FamilyFacts& family, const match::QueryMatches& query) {
  return *std::ranges::find(family.missing, query.name, &match::MissingFacts::name);
}

bool is_too_large(const match::MissingFacts& missing) {
  return missing.bits && !missing.along_map;
}

/// A statement on members that are weighed without the map; "" where there are none.
std::string unlinked_statement(const match::FamilyFacts& family) {
  std::string text;
  for (const match::MissingFacts& missing : family.missing)
    if (is_too_large(missing))
      text += fmt::format(
          " With {} the family has {} of inheritance, and is too large to be followed: there loci are taken "
          "to "
          "be unlinked, and their probabilities are multiplied.",
          missing.name, counted(*missing.bits, "bit"));
  return text;
}

std::string family_fact(const match::FamilyFacts& family, const match::MissingFacts& missing,
                        const Markup& markup) {
  std::string text = counted(family.members, "member") + ", typed: ";
  for (std::size_t i = 0; i < family.relatives.size(); ++i)
    text += (i == 0 ? "" : ", ") + markup.name(family.relatives[i].name);
  if (is_too_large(missing))
    text += fmt::format("; {}: sites taken as unlinked", counted(*missing.bits, "bit"));
  if (missing.places_not_weighed > 0)
    text += fmt::format("; {} in the family not weighed", counted(missing.places_not_weighed, "other place"));
  return text;
}

std::vector<std::string> facts_of(const match::MatchTable& matches, const match::QueryMatches& query,
                                  const Markup& markup) {
  std::vector<std::string> facts;
  const match::QueryEvidence& evidence = query.evidence;
  if (matches.family)
    facts.push_back(family_fact(*matches.family, missing_of(*matches.family, query), markup));
  if (evidence.mixture) {
    facts.push_back(fmt::format("{:.1f} % of its sites show {}", 100 * evidence.mixture->saturation,
                                matches.by == Encoding::kAlleles ? "both alleles" : "the minor allele"));
    facts.push_back(contributors_fact(
        *evidence.mixture,
        evidence.populations.size() > 1 ? markup.name(evidence.populations[evidence.worst].name) : ""));
    if (evidence.mixture->depths) facts.push_back(shares_fact(query));
  }
  if (!evidence.populations.empty() && !query.by_likelihoods)
    facts.push_back(population_fact(matches, evidence.populations[evidence.worst], markup));
  if (evidence.limit) facts.push_back(limit_fact(matches, *evidence.limit));
  return facts;
}

/// Whether any sites weigh less than others.
bool weighs_blocks(const match::Provenance& from) {
  return from.evidence.blocks && from.evidence.blocks->n_blocks > 0;
}

std::string sites_statement(const match::MatchTable& matches) {
  const bool kin = matches.comparison == engine::Comparison::kKinship;
  const std::optional<match::LinkageBlockFacts>& blocks = matches.provenance.evidence.blocks;
  const std::optional<match::MapFacts>& map = matches.provenance.evidence.map;
  if (kin && map)
    return kin_along_map(*map) + (matches.family ? unlinked_statement(*matches.family) : "") +
           (weighs_blocks(matches.provenance)
                ? fmt::format(" {} lie in {}, each of which has the weight of one site.",
                              counted(blocks->n_sites, "site"), counted(blocks->n_blocks, "block"))
                : "");
  if (const std::string linked = linkage_warning(matches.provenance); !linked.empty())
    return linked + (kin ? " " + kin_linkage() : " Their probabilities are multiplied all the same.");
  if (!weighs_blocks(matches.provenance))
    return kin ? kin_linkage()
               : "Loci are taken to be unlinked, and their probabilities are multiplied. Where loci are "
                 "linked, the evidence is overstated.";
  return fmt::format(
      "{} of the panel are linked to others and lie in {}. A block has the weight of one site: the mean of "
      "its sites' logarithms is added, and chance matches are a bound that holds however the sites of a "
      "block "
      "depend on each other. Blocks and all other loci are taken to be unlinked.{}",
      counted(blocks->n_sites, "site"), counted(blocks->n_blocks, "block"), kin ? " " + kin_stretches() : "");
}

std::string linkage_statement(const match::MatchTable& matches) {
  const std::optional<match::MapFacts>& map = matches.provenance.evidence.map;
  if (!map || matches.comparison == engine::Comparison::kKinship) return sites_statement(matches);
  const bool person = matches.comparison == engine::Comparison::kIdentity;
  return sites_statement(matches) + " " + (person ? near_along_map(*map) : siblings_along_map(*map));
}

/// A statement on the frequencies; "" where there is nothing to state.
std::string frequencies_statement(const match::Provenance& from) {
  std::string text;
  for (const std::string& said : match::frequencies_texts(from.populations))
    text += (text.empty() ? "" : " ") + page::capitalized(said) + ".";
  return text;
}

}  // namespace

std::vector<Statement> statements(const match::MatchTable& matches) {
  std::vector<Statement> all = {{"chance", "Chance matches", chance_statement(matches)}};
  if (const std::string beside = beside_statement(matches.provenance); !beside.empty())
    all.push_back({"beside", "X, Y and M", beside});
  if (matches.provenance.populations.empty()) return all;
  if (const std::string strangers = match::strangers_text(matches); !strangers.empty())
    all.push_back({"strangers", "Strangers", page::capitalized(strangers) + "."});
  if (const std::string counted_in = frequencies_statement(matches.provenance); !counted_in.empty())
    all.push_back({"frequencies", "Frequencies", counted_in});
  all.push_back({"propositions", "Propositions", propositions_statement(matches)});
  all.push_back({"linkage", "Linkage", linkage_statement(matches)});
  all.push_back({"model", "Model", model_statement(matches)});
  return all;
}

std::string caveats(const match::MatchTable& matches) {
  constexpr std::size_t kColumns = 80;
  const match::Provenance& from = matches.provenance;
  if (from.populations.empty())
    return "No allele frequencies in the panel: what a match is worth is not known (NA).\n";
  const Alternative& against = alternative_of(matches);
  const bool person = matches.comparison == engine::Comparison::kIdentity,
             followed = !matches.family ||
                        std::ranges::any_of(matches.family->missing, &match::MissingFacts::along_map),
             along_map = from.evidence.map && matches.comparison == engine::Comparison::kKinship && followed;
  const std::string first =
      matches.family ? std::string("LR: the missing member v somebody unrelated")
      : along_map    ? std::string("LR: relatives to the fifth degree v unrelated people")
      : matches.comparison == engine::Comparison::kKinship
          ? std::string("LR: of the relation v two unrelated people")
      : person                           ? fmt::format("LR: of one person v {}", against.two)
      : match::between_mixtures(matches) ? std::string("LR: a contributor in common v all unrelated")
      : against_relatives(matches)       ? fmt::format("LR: a contributor v {} of one", against.one)
                                         : std::string("LR: a contributor v unrelated to all");
  const auto second = [&](const std::string& populations) {
    const std::string linked = weighs_blocks(from) ? "blocks of sites" : "sites";
    const std::string sites =
        along_map ? std::string("Along the genetic map")
        : matches.comparison == engine::Comparison::kKinship
            ? page::capitalized(linked) + " taken as unlinked"
            : fmt::format("By {}, {} unlinked{}", match::name_of_compared(matches.by), linked,
                          !from.evidence.map ? ""
                          : person           ? ", v. sib along the map"
                                             : ", siblings along the map");
    return fmt::format("{}; {}{}; theta {:g}.", sites,
                       from.populations.size() > 1 ? "lowest LR, highest chance: " : "", populations,
                       from.evidence.theta);
  };
  std::string model = second(population_names(from));
  if (model.size() > kColumns) model = second(counted(from.populations.size(), "population"));
  const std::string linked = from.linked.empty() ? "" : "Sites are linked, and the evidence is overstated.\n";
  const std::string strangers =
      match::strangers_text(matches).empty()
          ? ""
          : "The frequencies do not fit the people of this database: see the message.\n";
  return first + "; chance: unrelated people only.\n" + model + '\n' + linked + strangers;
}

Propositions propositions(const match::MatchTable& matches, const std::string& asked,
                          const std::string& stored) {
  if (matches.comparison == engine::Comparison::kKinship) return kin_clauses(matches, "", asked, stored);
  const Alternative& against = alternative_of(matches);
  if (matches.comparison == engine::Comparison::kIdentity)
    return {fmt::format("{} and {} are of the same person", asked, stored),
            fmt::format("they are of {}", against.two)};
  if (match::between_mixtures(matches))
    return {fmt::format("a contributor to {} contributed to {} too", asked, stored),
            fmt::format("all contributors to {} are unrelated to those to {}", stored, asked)};
  const bool reverse = matches.comparison == engine::Comparison::kReverseMixture;
  const std::string &person = reverse ? asked : stored, &mixture = reverse ? stored : asked;
  return {fmt::format("{} is of a contributor to {}", person, mixture),
          against_relatives(matches) ? fmt::format("{} of that person contributed instead", against.one)
                                     : std::string("all contributors are unrelated to that person")};
}

std::string population_names(const match::Provenance& from) {
  std::string names;
  for (const match::PopulationFacts& population : from.populations)
    names += (names.empty() ? "" : ", ") + population.name;
  return names;
}

std::vector<std::string> query_facts(const match::MatchTable& matches, const match::QueryMatches& query) {
  return facts_of(matches, query, kPlain);
}

std::vector<std::string> query_facts_html(const match::MatchTable& matches,
                                          const match::QueryMatches& query) {
  return facts_of(matches, query, kHtml);
}

std::string linkage_warning(const match::Provenance& from) {
  return from.linked.empty() || from.populations.empty() ? "" : page::capitalized(from.linked) + ".";
}

std::string saturation_warning(const match::QueryMatches& query) {
  if (!query.evidence.mixture || !query.evidence.mixture->saturated) return "";
  return "Saturated: chance alone brings profiles of which this mixture lacks no allele. Its ranking cannot "
         "tell contributors from others.";
}

}  // namespace fastid::report
