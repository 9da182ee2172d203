#include "asking/notes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>

#include "asking/father_and_son.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "match/wording.hpp"

namespace fastid {
namespace {

/// Prints the first few of these lines, each about a query, then the number of the others, so that a run of
/// thousands of queries does not bury other messages. \param rest  what is said of the others: "have such
/// ties"
void say_few(void (*say)(std::string_view), const std::vector<std::string>& lines,
             const std::string& all_queries, std::string_view rest) {
  constexpr std::size_t kMostLines = 10;
  for (const std::string& line : std::span(lines).first(std::min(lines.size(), kMostLines))) say(line);
  if (lines.size() > kMostLines)
    say(fmt::format("{} more of {} {}", with_commas(lines.size() - kMostLines), all_queries, rest));
}

void say_ties(Comparison comparison, const std::vector<QueryMatches>& queries) {
  std::vector<std::string> lines;
  for (const QueryMatches& query : queries)
    if (query.ties_cut > 0)
      lines.push_back(fmt::format(
          "{} {}: {} more {}{} tie{} with the last one listed; --top {} would list all", asked(comparison),
          query.name, with_commas(query.ties_cut), stored(comparison), query.ties_cut == 1 ? "" : "s",
          query.ties_cut == 1 ? "s" : "", query.rows.size() + query.ties_cut));
  say_few(log::warn_text, lines, counted_asked(comparison, queries.size()),
          "have such ties; --format json counts them all");
}

/// The line that says, before the search, what is listed for one query.
std::string limit_line(Comparison comparison, Encoding by, const ChosenLimit& limit, double most,
                       std::uint32_t most_count) {
  const char* const option = comparison == Comparison::kIdentity ? "--max-mismatches" : "--max-not-seen";
  if (!limit.max_count)
    return fmt::format("not even {} are rare enough for --max-chance-matches {:.4g}: none can be listed",
                       counted_differences(comparison, by, 0), most);
  if (most_count < *limit.max_count)
    return fmt::format("lists profiles with at most {}, as {} says; --max-chance-matches {:.4g} allows {}",
                       counted_differences(comparison, by, most_count), option, most,
                       with_commas(*limit.max_count));
  return fmt::format(
      "lists profiles with at most {}: so few are expected by chance in at most {:.4g} profiles of this "
      "database",
      counted_differences(comparison, by, *limit.max_count), most);
}

void say_saturation(Comparison comparison, Encoding by, const std::vector<QueryMatches>& queries) {
  const char* const shows = by == Encoding::kAlleles ? "both alleles" : "the minor allele";
  std::vector<std::string> lines;
  std::set<std::uint64_t> stored_mixtures;  // a set, since several queries may list the same one
  for (const QueryMatches& query : queries) {
    if (query.evidence.mixture && query.evidence.mixture->saturated)
      lines.push_back(fmt::format(
          "{} {}: saturated: it shows {} at {:.1f} % of its sites, and chance alone brings profiles of which "
          "it lacks none; its ranking cannot tell contributors from others",
          asked(comparison), query.name, shows, 100 * query.evidence.mixture->saturation));
    for (const MatchRow& row : query.rows)
      if (row.saturated) stored_mixtures.insert(row.row);
  }
  say_few(log::warn_text, lines, counted_asked(comparison, queries.size()),
          "are saturated; --format json says which");
  if (comparison == Comparison::kReverseMixture && !stored_mixtures.empty())
    log::warn("{} listed {} saturated: so inclusive that chance alone brings such a match",
              with_commas(stored_mixtures.size()),
              stored_mixtures.size() == 1 ? "mixture is" : "mixtures are");
}

/// Says what was made of each mixture, before any profile was looked at.
void say_contributors(const std::vector<QueryMatches>& queries) {
  for (const QueryMatches& query : queries) {
    if (!query.evidence.mixture) continue;
    for (const MixtureSupport& support : query.evidence.mixture->supports)
      log::detail(
          "{}: {} contributors{}, {} {:.3g}{}{}: weight {:.3g}", printable(query.name), support.contributors,
          support.reads && !support.reads->kin.empty() ? ", " + support.reads->kin : "", support.what(),
          support.own,
          support.unknown.empty() ? "" : fmt::format(", others {:.3g}", fmt::join(support.unknown, ", ")),
          support.known.empty() ? "" : fmt::format(", known {:.3g}", fmt::join(support.known, ", ")),
          support.weight);
  }
}

void say_more_may_match(Comparison comparison, const std::vector<QueryMatches>& queries) {
  std::vector<std::string> lines;
  for (const QueryMatches& query : queries)
    // Else say_ties() has already said it, or more rows of a saturated mixture would say no more.
    if (query.more_may_match && query.ties_cut == 0 &&
        !(query.evidence.mixture && query.evidence.mixture->saturated))
      lines.push_back(fmt::format(
          "{} {}: the whole shortlist speaks for a match, and others that were not weighed may too; ask "
          "for more (--top), or leave out {}",
          asked(comparison), query.name,
          comparison == Comparison::kKinship ? "distant relatives (--min-kinship)"
                                             : "what chance explains (--max-chance-matches)"));
  say_few(log::warn_text, lines, counted_asked(comparison, queries.size()),
          "have such shortlists; --format json says which");
}

void say_better_populations(const std::vector<QueryMatches>& queries) {
  std::vector<std::string> lines;
  for (const QueryMatches& query : queries)
    if (query.evidence.mixture && !query.evidence.mixture->better_population.empty())
      lines.push_back(fmt::format(
          "mixture {}: its alleles are 10^{:.0f} times more probable in {} than in any population of "
          "--population, by which strangers may look like contributors; leave --population out",
          query.name, query.evidence.mixture->log10_better, query.evidence.mixture->better_population));
  say_few(log::warn_text, lines, counted_asked(Comparison::kMixture, queries.size()),
          "are of another population too");
}

void say_known(const std::vector<QueryMatches>& queries) {
  for (const QueryMatches& query : queries)
    for (const MatchRow& row : query.rows)
      if (!row.known.empty())
        log::warn(
            "mixture {}: {} has the profile of {}, who is known to have contributed; its figures are those "
            "of "
            "one more person with this profile",
            query.name, row.profile, row.known);
}

/// What speaks against a conclusion from a query, or from a profile that is listed.
void say_warnings(const MatchTable& table) {
  std::vector<std::string> lines;
  std::map<std::uint64_t, std::string> profiles;  // by row, since several queries may list the same one
  for (const QueryMatches& query : table.queries) {
    for (const std::string& warning : query_warnings(table, query))
      lines.push_back(fmt::format("{} {}: {}", asked(table.comparison), query.name, warning));
    for (const MatchRow& row : query.rows)
      if (const std::string warning = profile_warning(row); !warning.empty())
        profiles.emplace(row.row, fmt::format("profile {}: {}", row.profile, warning));
  }
  for (auto& [row, line] : profiles) lines.push_back(std::move(line));
  say_few(log::warn_text, lines, counted(lines.size(), "such warning"),
          "are not shown; --format json has them all");
  if (const std::string strangers = strangers_text(table); !strangers.empty()) log::warn_text(strangers);
}

void say_lines(const std::vector<MissingFacts>& all) {
  for (const MissingFacts& missing : all) {
    const std::string of = all.size() > 1 ? " of " + printable(missing.name) : "";
    if (!missing.paternal.empty())
      log::note("Y is held against that of {}, the nearest of the paternal line{}",
                printable(missing.paternal), of);
    if (!missing.maternal.empty())
      log::note("M is held against that of {}, the nearest of the maternal line{}",
                printable(missing.maternal), of);
  }
}

void say_typed_members(const std::vector<QueryMatches>& queries) {
  std::vector<std::string> lines;
  if (queries.empty()) return;
  for (const MatchRow& row : queries[0].typed_members)  // are the same of each missing member
    lines.push_back(member_line(row));
  say_few(log::note_text, lines, "the typed members' own profiles", "are not ranked either");
}

void say_other_roles(const std::vector<QueryMatches>& queries) {
  std::vector<std::string> lines;
  for (const QueryMatches& query : queries)
    for (const MatchRow& row : query.rows)
      if (fits_other_role(row))
        lines.push_back((queries.size() > 1 ? fmt::format("missing {}: ", printable(query.name)) : "") +
                        other_role_line(row));
  say_few(log::warn_text, lines, "the profiles listed", "fit the family better in another place");
}

void say_fathers_and_sons(const std::vector<QueryMatches>& queries) {
  FathersAndSons men;
  for (const QueryMatches& query : queries)
    for (const MatchRow& row : query.rows)
      if (row.kin) men.take(row.kin->relation, row.beside, query.name, row.profile);
  men.say();
}

}  // namespace

void say_limits(const SearchOptions& options, Encoding by, const Queries& queries,
                const std::vector<std::optional<ChosenLimit>>& limits) {
  std::vector<std::string> lines;
  for (std::size_t q = 0; q < limits.size(); ++q)
    if (limits[q])
      lines.push_back(fmt::format("{} {}: {}", asked(options.comparison), queries.sources[q].name,
                                  limit_line(options.comparison, by, *limits[q],
                                             *options.evidence.max_chance_matches, options.rule.max_count)));
  say_few(log::note_text, lines, counted_asked(options.comparison, limits.size()),
          "have limits of their own; --format json has them all");
}

void say_findings(const MatchTable& table) {
  const auto& [comparison, by, queries] = std::tie(table.comparison, table.by, table.queries);
  say_ties(comparison, queries);
  say_contributors(queries);
  say_known(queries);
  say_warnings(table);
  say_better_populations(queries);
  say_more_may_match(comparison, queries);
  say_saturation(comparison, by, queries);
  if (table.family) say_lines(table.family->missing);
  say_typed_members(queries);
  say_other_roles(queries);
  say_fathers_and_sons(queries);
}

}  // namespace fastid
