#include "report/page/finding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.hpp"
#include "match/wording.hpp"
#include "page/figures.hpp"
#include "page/page.hpp"
#include "report/page/kin_words.hpp"
#include "report/page/statements.hpp"
#include "stats/evidence.hpp"
#include "stats/log_number.hpp"

namespace fastid::report {
namespace {

constexpr std::size_t kMostNamed = 3;

bool equal_figures(const match::MatchRow& a, const match::MatchRow& b) {
  return a.counts == b.counts && stats::as_printed(*a.log10_lr) == stats::as_printed(*b.log10_lr);
}

FindingKind kind_of(const match::MatchTable& matches, const Finding& finding) {
  if (matches.provenance.populations.empty()) return FindingKind::kNotWeighed;
  if (finding.apart.size() > 1) return FindingKind::kSeveralApart;
  if (!finding.apart.empty()) return FindingKind::kOneApart;
  return finding.relatives.empty() ? FindingKind::kNobody : FindingKind::kRelative;
}

/// One query's sentences, in html.
class Wording {
 public:
  Wording(const match::MatchTable& matches, const match::QueryMatches& query, const Options& options)
      : matches_(matches), query_(query), options_(options), finding_(finding_of(matches, query)) {}

  FindingText text() const {
    const std::string none = fmt::format("No {}", match::stored(matches_));
    if (query_.rows.empty()) return {none + " passes", ""};
    switch (finding_.kind) {
      case FindingKind::kOneApart:
        return {name(first_apart()) + " stands apart: " + differ(first_apart()) + then_next(),
                ratio(first_apart()) + perhaps_relatives()};
      case FindingKind::kSeveralApart:
        return {several() + then_next(), ratio(first_apart()) + more_than_one() + perhaps_relatives()};
      case FindingKind::kRelative:
        return {fmt::format("{} stands apart as {}; {} {}{}: {}", none, sought(),
                            name(row(finding_.relatives[0])),
                            may_be(row(finding_.relatives[0]).suggests == "inconclusive", false),
                            or_of_stranger(), differ(row(finding_.relatives[0]))),
                against_sibling(row(finding_.relatives[0])) + expected(row(finding_.relatives[0]))};
      case FindingKind::kNobody:
        return {fmt::format("{} stands apart: of {}, the first listed, {}", none, name(query_.rows[0]),
                            differ(query_.rows[0])),
                (query_.several ? "The query seems to be of several people." : expected(query_.rows[0])) +
                    others_may_match()};
      case FindingKind::kNotWeighed:
        break;
    }
    return {fmt::format("{} has the fewest: {}{}", name(query_.rows[0]), differ(query_.rows[0]), then_next()),
            "What that is worth is not known, since the panel of the database has no allele frequencies."};
  }

 private:
  engine::Comparison comparison() const { return matches_.comparison; }
  bool identity() const { return comparison() == engine::Comparison::kIdentity; }
  const match::MatchRow& row(std::size_t place) const { return query_.rows[place]; }
  const match::MatchRow& first_apart() const { return row(finding_.apart[0]); }
  static std::string name(const match::MatchRow& row) { return page::name_html(row.profile); }
  /// "query scene", "profile P07": with the kind, since a query and a profile may have the same name.
  std::string asked_name() const {
    return fmt::format("{} {}", match::asked(comparison()), page::name_html(query_.name));
  }
  std::string stored_name(const match::MatchRow& row) const {
    return fmt::format("{} {}", match::stored(matches_), name(row));
  }
  const char* sought() const {
    if (identity()) return "the same person";
    if (match::between_mixtures(matches_)) return "one that has a contributor in common";
    return comparison() == engine::Comparison::kMixture ? "a contributor"
                                                        : "one that the person contributed to";
  }
  /// The words for one row, or for several.
  std::string may_be(bool inconclusive, bool several) const {
    const std::string whose = several ? "relatives" : "a relative";
    if (comparison() == engine::Comparison::kReverseMixture) return "may hold a relative of the person";
    if (match::between_mixtures(matches_)) return "may hold a relative of a contributor";
    if (!identity()) return "may be of " + whose + (several ? " of contributors" : " of a contributor");
    return inconclusive ? "may be of the same person or of " + whose : "may be of " + whose;
  }

  /// A clause about unrelated people, where the check of strangers fails: likeness is then no sign of a
  /// relative alone.
  std::string or_of_stranger() const {
    const bool fails = query_.strangers && query_.strangers->nearer;
    return fails ? ", or of somebody unrelated, whom the frequencies do not fit" : "";
  }

  /// The number that a row's count is a part of: sites or alleles compared; for a mixture, the person's
  /// (minor) alleles.
  std::uint32_t all_of(const match::MatchRow& row) const {
    if (!identity()) return row.counts.denominator;
    return matches_.by == Encoding::kAlleles ? 2 * row.counts.compared : row.counts.compared;
  }
  std::string counted_all(const match::MatchRow& row) const {
    if (identity() && matches_.by == Encoding::kMinor) return counted(all_of(row), "site");
    return match::counted_alleles(matches_.by, all_of(row));
  }

  /// "2 of 244 sites differ"; by likelihoods "244 sites are compared"
  std::string differ(const match::MatchRow& row) const {
    if (row.sample)
      return fmt::format("{} {} compared", counted(row.counts.compared, "site"),
                         row.counts.compared == 1 ? "is" : "are");
    const std::uint32_t count = row.counts.count;
    return fmt::format("{} of {} {}", with_commas(count), counted_all(row),
                       identity()   ? (count == 1 ? "differs" : "differ")
                       : count == 1 ? "is not seen"
                                    : "are not seen");
  }

  /// Text about the first listed row that does not stand apart, whatever it is.
  std::string then_next() const {
    const std::size_t first = finding_.apart.empty() ? 0 : finding_.apart[0];
    std::size_t place = 0;
    while (place == first || std::ranges::find(finding_.apart, place) != finding_.apart.end()) ++place;
    if (place >= query_.rows.size()) return fmt::format("; no other {} is listed", match::stored(matches_));
    const match::MatchRow& next = row(place);
    if (next.sample)
      return fmt::format("; the next has a likelihood ratio of {}",
                         page::power_html(*next.log10_lr, options_.cap));
    const std::uint32_t all = all_of(next), of_first = all_of(query_.rows[0]);
    return fmt::format("; the next{} has {}{}", next.relative ? ", perhaps a relative's," : "",
                       with_commas(next.counts.count), all == of_first ? "" : " of " + with_commas(all));
  }

  /// "P07 and P08", "P07, P08, P09 and 2 more"
  std::string names(const std::vector<std::size_t>& places) const {
    const std::size_t named = std::min(places.size(), kMostNamed), more = places.size() - named;
    std::string text;
    for (std::size_t i = 0; i < named; ++i)
      text += (i == 0 ? "" : i + 1 == named && more == 0 ? " and " : ", ") + name(row(places[i]));
    return more == 0 ? text : text + fmt::format(" and {} more", with_commas(more));
  }

  std::string several() const {
    const std::string all = names(finding_.apart);
    if (finding_.tie && !first_apart().sample)
      return fmt::format("{} tie: {} of {} {} for each", all, with_commas(first_apart().counts.count),
                         counted_all(first_apart()), identity() ? "differ" : "not seen");
    return fmt::format("{} {}s stand apart: {}; of the first, {}", with_commas(finding_.apart.size()),
                       match::stored(matches_), all, differ(first_apart()));
  }

  std::string more_than_one() const {
    std::string text;
    if (query_.ties_cut > 0 && !finding_.next && finding_.relatives.empty())
      text = fmt::format(" {} more, which {} not listed, tie with the last one.",
                         with_commas(query_.ties_cut), query_.ties_cut == 1 ? "is" : "are");
    return identity() ? text + " Two samples of one person, or identical twins, cannot be told apart." : text;
  }

  /// "These results are ... times more probable if ... than if ..."
  std::string ratio(const match::MatchRow& row) const {
    const auto [first, second] = propositions(matches_, asked_name(), stored_name(row));
    return fmt::format("These results are {} times more probable if {} than if {}.",
                       page::power_html(*row.log10_lr, options_.cap), first, second);
  }

  std::string against_sibling(const match::MatchRow& row) const {
    if (!row.log10_lr_sibling || stats::as_printed(*row.log10_lr_sibling) >= 0) return "";
    return fmt::format(
        "These results are {} times more probable if {} and {} are of full siblings than if they "
        "are of the same person. ",
        page::power_html(-*row.log10_lr_sibling, options_.cap), asked_name(), stored_name(row));
  }

  std::string expected(const match::MatchRow& row) const {
    const std::string most = page::chance_html(*row.log10_chance_matches),
                      all = with_commas(matches_.provenance.searched.n_profiles);
    if (match::between_mixtures(matches_))
      return fmt::format(
          "At most {} mixtures of {} that nobody related contributed to are expected to fit as well.", most,
          all);
    if (comparison() == engine::Comparison::kReverseMixture)
      return fmt::format("At most {} mixtures of {} are expected to fit somebody unrelated as well.", most,
                         all);
    return fmt::format("At most {} unrelated people of {} are expected to match as well.", most, all);
  }

  std::string others_may_match() const {
    return query_.more_may_match ? fmt::format(
                                       " The whole shortlist speaks for a match, so that {}s which were not "
                                       "weighed may do so too.",
                                       match::stored(matches_))
                                 : "";
  }

  std::string perhaps_relatives() const {
    if (finding_.relatives.empty()) return "";
    const bool several = finding_.relatives.size() > 1;
    return fmt::format(" {} {}{}: chance does not explain {}.", names(finding_.relatives),
                       may_be(false, several), or_of_stranger(), several ? "them" : "it");
  }

  const match::MatchTable& matches_;
  const match::QueryMatches& query_;
  const Options& options_;
  Finding finding_;
};

}  // namespace

Standing standing_of(const match::MatchRow& row) {
  if (!row.log10_lr || !row.log10_chance_matches) return Standing::kNotWeighed;
  if (!row.known.empty()) return Standing::kStranger;
  if (row.relative || match::fits_other_role(row)) return Standing::kRelative;
  if (row.contributor) return row.contributor->apart ? Standing::kApart : Standing::kStranger;
  const bool apart =
      stats::as_printed(*row.log10_lr) > 0 && !stats::explained_by_chance(*row.log10_chance_matches);
  return apart ? Standing::kApart : Standing::kStranger;
}

std::string_view word_of(Standing standing) {
  return standing == Standing::kApart ? "apart" : standing == Standing::kRelative ? "relative?" : "";
}

Finding finding_of(const match::MatchTable& matches, const match::QueryMatches& query) {
  Finding finding;
  for (std::size_t place = 0; place < query.rows.size(); ++place) {
    switch (standing_of(query.rows[place])) {
      case Standing::kApart:
        finding.apart.push_back(place);
        break;
      case Standing::kRelative:
        finding.relatives.push_back(place);
        break;
      case Standing::kStranger:
        if (!finding.next) finding.next = place;
        break;
      case Standing::kNotWeighed:
        if (!finding.next && place > 0) finding.next = place;
        break;
    }
  }
  finding.kind = kind_of(matches, finding);
  finding.tie = finding.kind == FindingKind::kSeveralApart &&
                std::ranges::all_of(finding.apart, [&](std::size_t place) {
                  return equal_figures(query.rows[place], query.rows[finding.apart[0]]);
                });
  return finding;
}

std::string heading(const match::MatchTable& matches, FindingKind kind) {
  const char* const what = match::stored(matches);
  switch (kind) {
    case FindingKind::kOneApart:
      return fmt::format("One {} stands apart", what);
    case FindingKind::kSeveralApart:
      return fmt::format("Several {}s stand apart", what);
    case FindingKind::kRelative:
      return fmt::format("No {} stands apart, but there may be a relative's", what);
    case FindingKind::kNobody:
      return fmt::format("No {} stands apart", what);
    case FindingKind::kNotWeighed:
      break;
  }
  return "Not weighed: no allele frequencies";
}

FindingText finding_text(const match::MatchTable& matches, const match::QueryMatches& query,
                         const Options& options) {
  if (matches.comparison == engine::Comparison::kKinship)
    return kin_finding_text(matches, query, finding_of(matches, query), options);
  return Wording(matches, query, options).text();
}

}  // namespace fastid::report
