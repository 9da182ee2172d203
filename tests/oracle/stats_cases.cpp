// Every formula of stats on cases from standard input, for stats_test.py: one case a line, tab-separated, its
// kind first; lists are separated by commas, rows are texts of '0', '1' and '-'. Answers with one line of
// numbers each.
#include <fmt/format.h>

#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "stats/evidence.hpp"
#include "stats/panel_power.hpp"

namespace fastid::stats {
namespace {
using Numbers = std::vector<double>;
using Fields = std::vector<std::string_view>;

double number(std::string_view text) {
  const std::optional<double> value = parse_number<double>(text);
  if (!value) throw Failure(fmt::format("'{}' is no number", text));
  return *value;
}

Numbers numbers(std::string_view text) {
  Numbers list;
  if (!text.empty())
    for (const std::string_view piece : split(text, ',')) list.push_back(number(piece));
  return list;
}

std::uint32_t whole(double value) {
  return static_cast<std::uint32_t>(value);
}

double or_minus_one(std::optional<std::uint32_t> value) {
  return value ? *value : -1.;
}

void add(Numbers& out, const Expected& expected) {
  out.insert(out.end(), {expected.mean, expected.sd});
}

/// q theta w n
Numbers site(const Fields& fields) {
  const double q = number(fields[1]), theta = number(fields[2]), w = number(fields[3]);
  const ByGenotype people = genotype_probabilities(q, theta), match = match_probabilities(q, theta);
  const IdentityRatios same = identity_ratios(q, theta, w);
  const MixtureRatios mixed = mixture_ratios(q, theta, whole(number(fields[4])), w);
  return {people.major_hom, people.het,
          people.minor_hom, match.major_hom,
          match.het,        match.minor_hom,
          same.none,        same.one,
          same.both,        mixed.m0r0,
          mixed.m0r1,       mixed.m1r0,
          mixed.m1r1,       carrier_probability(q, theta)};
}

/// probabilities counts limit
Numbers tail(const Fields& fields) {
  std::vector<Event> events;
  for (const double yes : numbers(fields[1])) events.push_back({yes, 1 - yes});
  const PoissonBinomial distribution(events);
  Numbers out{distribution.mean(), distribution.sd(),
              or_minus_one(distribution.largest_within(number(fields[3])))};
  for (const double k : numbers(fields[2])) {
    out.push_back(distribution.log10_cdf(whole(k)));
    out.push_back(distribution.log10_pmf(whole(k)));
  }
  return out;
}

/// Rows as the program has them, and as blocks for the definition of the counts.
struct Pair {
  ProfileRows rows;
  PairCounts counts;
};

Pair pair_of(Comparison comparison, std::string_view query, std::string_view stored) {
  BitBlocks blocks({2, static_cast<std::uint32_t>(query.size())});
  std::uint64_t profile = 0;
  for (const std::string_view text : {query, stored}) {
    for (std::uint32_t s = 0; s < text.size(); ++s)
      if (text[s] != '-') blocks.set(profile, s, text[s] == '1');
    ++profile;
  }
  const std::vector<std::uint64_t> both{0, 1};
  ProfileRows rows = ProfileRows::from_blocks(blocks.view(), both);
  const PairCounts counts = count_pair(comparison, rows.row(0), blocks.view(), 1);
  return {std::move(rows), counts};
}

PopulationModel model_of(const Fields& fields) {
  return PopulationModel("case", numbers(fields[1]), {number(fields[2]), number(fields[3])});
}

/// freq theta w profiles query stored max_expected contributors
Numbers evidence(Comparison comparison, const Fields& fields) {
  const std::vector models{model_of(fields)};
  const Pair pair = pair_of(comparison, fields[5], fields[6]);
  const unsigned contributors = whole(number(fields[8]));
  const QueryEvaluator evaluator(comparison, models, pair.rows.row(0),
                                 static_cast<std::uint64_t>(number(fields[4])),
                                 contributors == 0 ? std::nullopt : std::optional(contributors));
  const HitEvidence hit = evaluator.hit(pair.rows.row(1), pair.counts).worst;
  const QueryEvidence& query = evaluator.query()[0];
  Numbers out{hit.log10_lr,
              hit.log10_chance,
              hit.log10_expected_false,
              or_minus_one(evaluator.limit(number(fields[7]))),
              query.log10_match_probability,
              query.log10_p_rmne_0,
              double(hit.contributors),
              double(query.contributors.best),
              double(query.contributors.low),
              double(query.contributors.high),
              query.expected_saturation,
              evaluator.saturation(),
              double(hit.saturated)};
  for (const Relation relation :
       {Relation::kSame, Relation::kParentChild, Relation::kSiblings, Relation::kUnrelated})
    add(out, evaluator.expected_mismatches(0, relation));
  return out;
}

/// freq theta w profiles
Numbers panel(const Fields& fields) {
  const PanelPower power = panel_power(model_of(fields), static_cast<std::uint64_t>(number(fields[4])));
  Numbers out{or_minus_one(power.mismatch_limit), power.log10_expected_at_0, power.log10_match_probability,
              double(power.max_contributors)};
  for (const Expected& expected : {power.same, power.parent_child, power.siblings, power.unrelated})
    add(out, expected);
  return out;
}

Numbers answer(const Fields& fields) {
  static const std::map<std::string_view, std::function<Numbers(const Fields&)>> kinds{
      {"site", site},
      {"tail", tail},
      {"identity", [](const Fields& f) { return evidence(Comparison::kIdentity, f); }},
      {"mixture", [](const Fields& f) { return evidence(Comparison::kMixture, f); }},
      {"reverse", [](const Fields& f) { return evidence(Comparison::kReverseMixture, f); }},
      {"panel", panel}};
  return kinds.at(fields[0])(fields);
}

}  // namespace
}  // namespace fastid::stats

int main() {
  for (std::string line; std::getline(std::cin, line);)
    fmt::print("{:.17g}\n", fmt::join(fastid::stats::answer(fastid::split(line, '\t')), "\t"));
  return std::cout ? 0 : 1;
}
