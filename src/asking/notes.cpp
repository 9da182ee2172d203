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

namespace fastid::asking {
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

void say_ties(engine::Comparison comparison, const std::vector<match::QueryMatches>& queries) {
  std::vector<std::string> lines;
  for (const match::QueryMatches& query : queries)
    if (query.ties_cut > 0)
      lines.push_back(
          fmt::format("{} {}: {} more {}{} tie{} with the last one listed; --top {} would list all",
                      match::asked(comparison), query.name, with_commas(query.ties_cut),
                      match::stored(comparison), query.ties_cut == 1 ? "" : "s",
                      query.ties_cut == 1 ? "s" : "", query.rows.size() + query.ties_cut));
  say_few(log::warn_text, lines, match::counted_asked(comparison, queries.size()),
          "have such ties; --format json counts them all");
}

/// The line that says, before the search, what is listed for one query.
std::string limit_line(engine::Comparison comparison, Encoding by, const match::ChosenLimit& limit,
                       double most, std::uint32_t most_count) {
  const char* const option =
      comparison == engine::Comparison::kIdentity ? "--max-mismatches" : "--max-not-seen";
  if (!limit.max_count)
    return fmt::format("not even {} are rare enough for --max-chance-matches {:.4g}: none can be listed",
                       match::counted_differences(comparison, by, 0), most);
  if (most_count < *limit.max_count)
    return fmt::format("lists profiles with at most {}, as {} says; --max-chance-matches {:.4g} allows {}",
                       match::counted_differences(comparison, by, most_count), option, most,
                       with_commas(*limit.max_count));
  return fmt::format(
      "lists profiles with at most {}: so few are expected by chance in at most {:.4g} profiles of this "
      "database",
      match::counted_differences(comparison, by, *limit.max_count), most);
}

void say_saturation(engine::Comparison comparison, Encoding by,
                    const std::vector<match::QueryMatches>& queries) {
  const char* const shows = by == Encoding::kAlleles ? "both alleles" : "the minor allele";
  std::vector<std::string> lines;
  std::set<std::uint64_t> stored_mixtures;  // a set, since several queries may list the same one
  for (const match::QueryMatches& query : queries) {
    if (query.evidence.mixture && query.evidence.mixture->saturated)
      lines.push_back(fmt::format(
          "{} {}: saturated: it shows {} at {:.1f} % of its sites, and chance alone brings profiles of which "
          "it lacks none; its ranking cannot tell contributors from others",
          match::asked(comparison), query.name, shows, 100 * query.evidence.mixture->saturation));
    for (const match::MatchRow& row : query.rows)
      if (row.saturated) stored_mixtures.insert(row.row);
  }
  say_few(log::warn_text, lines, match::counted_asked(comparison, queries.size()),
          "are saturated; --format json says which");
  if (comparison == engine::Comparison::kReverseMixture && !stored_mixtures.empty())
    log::warn("{} listed {} saturated: so inclusive that chance alone brings such a match",
              with_commas(stored_mixtures.size()),
              stored_mixtures.size() == 1 ? "mixture is" : "mixtures are");
}

/// Says what was made of each mixture, before any profile was looked at.
void say_contributors(const std::vector<match::QueryMatches>& queries) {
  for (const match::QueryMatches& query : queries) {
    if (!query.evidence.mixture) continue;
    for (const match::MixtureSupport& support : query.evidence.mixture->supports)
      log::detail(
          "{}: {} contributors{}, {} {:.3g}{}{}: weight {:.3g}", printable(query.name), support.contributors,
          support.reads && !support.reads->kin.empty() ? ", " + support.reads->kin : "", support.what(),
          support.own,
          support.unknown.empty() ? "" : fmt::format(", others {:.3g}", fmt::join(support.unknown, ", ")),
          support.known.empty() ? "" : fmt::format(", known {:.3g}", fmt::join(support.known, ", ")),
          support.weight);
  }
}

void say_more_may_match(engine::Comparison comparison, const std::vector<match::QueryMatches>& queries) {
  std::vector<std::string> lines;
  for (const match::QueryMatches& query : queries)
    // Else say_ties() has already said it, or more rows of a saturated mixture would say no more.
    if (query.more_may_match && query.ties_cut == 0 &&
        !(query.evidence.mixture && query.evidence.mixture->saturated))
      lines.push_back(fmt::format(
          "{} {}: the whole shortlist speaks for a match, and others that were not weighed may too; ask "
          "for more (--top), or leave out {}",
          match::asked(comparison), query.name,
          comparison == engine::Comparison::kKinship ? "distant relatives (--min-kinship)"
                                                     : "what chance explains (--max-chance-matches)"));
  say_few(log::warn_text, lines, match::counted_asked(comparison, queries.size()),
          "have such shortlists; --format json says which");
}

void say_better_populations(const std::vector<match::QueryMatches>& queries) {
  std::vector<std::string> lines;
  for (const match::QueryMatches& query : queries)
    if (query.evidence.mixture && !query.evidence.mixture->better_population.empty())
      lines.push_back(fmt::format(
          "mixture {}: its alleles are 10^{:.0f} times more probable in {} than in any population of "
          "--population, by which strangers may look like contributors; leave --population out",
          query.name, query.evidence.mixture->log10_better, query.evidence.mixture->better_population));
  say_few(log::warn_text, lines, match::counted_asked(engine::Comparison::kMixture, queries.size()),
          "are of another population too");
}

void say_known(const std::vector<match::QueryMatches>& queries) {
  for (const match::QueryMatches& query : queries)
    for (const match::MatchRow& row : query.rows)
      if (!row.known.empty())
        log::warn(
            "mixture {}: {} has the profile of {}, who is known to have contributed; its figures are those "
            "of "
            "one more person with this profile",
            query.name, row.profile, row.known);
}

/// What speaks against a conclusion from a query, or from a profile that is listed.
void say_warnings(const match::MatchTable& table) {
  std::vector<std::string> lines;
  std::map<std::uint64_t, std::string> profiles;  // by row, since several queries may list the same one
  for (const match::QueryMatches& query : table.queries) {
    for (const std::string& warning : match::query_warnings(table, query))
      lines.push_back(fmt::format("{} {}: {}", match::asked(table.comparison), query.name, warning));
    for (const match::MatchRow& row : query.rows)
      if (const std::string warning = match::profile_warning(row); !warning.empty())
        profiles.emplace(row.row, fmt::format("profile {}: {}", row.profile, warning));
  }
  for (auto& [row, line] : profiles) lines.push_back(std::move(line));
  say_few(log::warn_text, lines, counted(lines.size(), "such warning"),
          "are not shown; --format json has them all");
  if (const std::string strangers = match::strangers_text(table); !strangers.empty())
    log::warn_text(strangers);
}

void say_lines(const std::vector<match::MissingFacts>& all) {
  for (const match::MissingFacts& missing : all) {
    const std::string of = all.size() > 1 ? " of " + printable(missing.name) : "";
    if (!missing.paternal.empty())
      log::note("Y is held against that of {}, the nearest of the paternal line{}",
                printable(missing.paternal), of);
    if (!missing.maternal.empty())
      log::note("M is held against that of {}, the nearest of the maternal line{}",
                printable(missing.maternal), of);
  }
}

void say_typed_members(const std::vector<match::QueryMatches>& queries) {
  std::vector<std::string> lines;
  if (queries.empty()) return;
  for (const match::MatchRow& row : queries[0].typed_members)  // are the same of each missing member
    lines.push_back(match::member_line(row));
  say_few(log::note_text, lines, "the typed members' own profiles", "are not ranked either");
}

void say_other_roles(const std::vector<match::QueryMatches>& queries) {
  std::vector<std::string> lines;
  for (const match::QueryMatches& query : queries)
    for (const match::MatchRow& row : query.rows)
      if (match::fits_other_role(row))
        lines.push_back((queries.size() > 1 ? fmt::format("missing {}: ", printable(query.name)) : "") +
                        match::other_role_line(row));
  say_few(log::warn_text, lines, "the profiles listed", "fit the family better in another place");
}

void say_fathers_and_sons(const std::vector<match::QueryMatches>& queries) {
  FathersAndSons men;
  for (const match::QueryMatches& query : queries)
    for (const match::MatchRow& row : query.rows)
      if (row.kin) men.take(row.kin->relation, row.beside, query.name, row.profile);
  men.say();
}

}  // namespace

void say_limits(const SearchOptions& options, Encoding by, const match::Queries& queries,
                const std::vector<std::optional<match::ChosenLimit>>& limits) {
  std::vector<std::string> lines;
  for (std::size_t q = 0; q < limits.size(); ++q)
    if (limits[q])
      lines.push_back(fmt::format("{} {}: {}", match::asked(options.comparison), queries.sources[q].name,
                                  limit_line(options.comparison, by, *limits[q],
                                             *options.evidence.max_chance_matches, options.rule.max_count)));
  say_few(log::note_text, lines, match::counted_asked(options.comparison, limits.size()),
          "have limits of their own; --format json has them all");
}

void say_findings(const match::MatchTable& table) {
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

}  // namespace fastid::asking
