// Every formula of stats on cases from standard input, for stats_test.py: one case a line, tab-separated, its
// kind first; lists are separated by commas, rows are texts of '0', '1' and '-', by alleles of '0', '1', '2'
// (minor copies; of a mixture: major only, both, minor only) and '-'. Answers with one line of numbers each.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/median.hpp"
#include "base/text.hpp"
#include "linked/stain_siblings.hpp"
#include "panel/site_class.hpp"
#include "stats/evidence.hpp"
#include "stats/haplotype.hpp"
#include "stats/internal/peak_heights.hpp"
#include "stats/internal/stain_fit.hpp"
#include "stats/kin_power.hpp"
#include "stats/panel_power.hpp"
#include "stats/sex.hpp"
#include "stats/stain.hpp"
#include "stats/x_ratio.hpp"

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

/// q theta w: P(bits), by relation
Numbers site(const Fields& fields) {
  Numbers out;
  for (const auto& [none, one, both] : joint_bits(number(fields[1]), number(fields[2]), number(fields[3])))
    out.insert(out.end(), {none, one, both});
  return out;
}

/// probabilities (of counting once; of counting twice) counts limit
Numbers tail(const Fields& fields) {
  const Numbers once = numbers(fields[1]), twice = numbers(fields[2]);
  std::vector<Event> events;
  for (std::size_t i = 0; i < once.size(); ++i) events.push_back({once[i], 1 - once[i] - twice[i], twice[i]});
  const PoissonBinomial distribution(events);
  Numbers out{distribution.mean(), distribution.sd(),
              or_minus_one(distribution.largest_within(number(fields[4])))};
  for (const double k : numbers(fields[3])) {
    out.push_back(distribution.log10_cdf(whole(k)));
    out.push_back(distribution.log10_pmf(whole(k)));
    out.push_back(log10_tail(events, whole(k)));
  }
  return out;
}

/// Of a letter: what was seen. By bits 1 and 2 are the same.
fastid::Seen seen_of(char letter) {
  return letter == '0' ? kMajorSeen : letter == '1' ? kBothSeen : kMinorSeen;
}

/// Rows as the program has them, and as blocks for the definition of the counts.
struct Pair {
  ProfileRows rows;
  engine::PairCounts counts;
};

Pair pair_of(engine::Comparison comparison, Encoding by, std::string_view query, std::string_view stored) {
  BitBlocks blocks({2, static_cast<std::uint32_t>(query.size()), by});
  std::uint64_t profile = 0;
  for (const std::string_view text : {query, stored}) {
    for (std::uint32_t s = 0; s < text.size(); ++s)
      if (text[s] != '-') blocks.set_seen(profile, s, seen_of(text[s]));
    ++profile;
  }
  const std::vector<std::uint64_t> both{0, 1};
  ProfileRows rows = ProfileRows::from_blocks(blocks.view(), both);
  const engine::PairCounts counts = engine::count_pair(comparison, by, rows.row(0), blocks.view(), 1);
  return {std::move(rows), counts};
}

/// Of a negative number: nothing.
template <class Value>
std::optional<Value> given(double value) {
  return value < 0 ? std::nullopt : std::optional(static_cast<Value>(value));
}

Relation relation_of(std::string_view text) {
  return static_cast<Relation>(whole(number(text)));
}

/// freq sampled theta w
PopulationModel model_of(const Fields& fields) {
  return PopulationModel("case", numbers(fields[1]), {number(fields[3]), number(fields[4])},
                         given<std::uint64_t>(number(fields[2])));
}

/// freq sampled theta w profiles query stored max_expected alternative
Numbers identity(const Fields& fields, Encoding by) {
  const PopulationModel model = model_of(fields);
  const Pair pair = pair_of(engine::Comparison::kIdentity, by, fields[6], fields[7]);
  const Question question =
      make_question(engine::Comparison::kIdentity, by, static_cast<std::uint64_t>(number(fields[5])),
                    relation_of(fields[9]), std::span(&model, 1));
  const QueryEvaluator evaluator(question, pair.rows.row(0));
  const HitReport report = evaluator.hit(pair.rows.row(1), pair.counts);
  const HitEvidence& hit = report.worst;
  Numbers out{hit.log10_lr,
              hit.log10_lr_sibling,
              hit.log10_chance,
              hit.log10_chance_matches,
              or_minus_one(evaluator.limit(number(fields[8]))),
              evaluator.query()[0].log10_match_probability,
              double(report.suggests),
              double(report.relative)};
  out.insert(out.end(), hit.relations.log10.begin(), hit.relations.log10.end());
  for (std::size_t r = 0; r < kRelations; ++r)
    add(out, evaluator.expected_mismatches(0, static_cast<Relation>(r)));
  return out;
}

/// Rows of texts, separated by commas.
ProfileRows rows_of(std::string_view texts, std::uint32_t n_sites, Encoding by) {
  const std::vector<std::string_view> pieces =
      texts.empty() ? std::vector<std::string_view>() : split(texts, ',');
  ProfileRows rows(pieces.size(), n_sites, by);
  for (std::size_t i = 0; i < pieces.size(); ++i)
    for (std::uint32_t s = 0; s < n_sites; ++s)
      if (pieces[i][s] != '-') rows.set_seen(i, s, seen_of(pieces[i][s]));
  return rows;
}

/// freq sampled theta w profiles mixture person max_expected alternative contributors drop_out drop_in: the
/// last eight are what the row suggests, its standing, the likeliest relative, the support's contributors,
/// and ratios of contributor, parent-child, sibling, half-sibling
Numbers mixture(const Fields& fields, Encoding by) {
  const PopulationModel model = model_of(fields);
  const Pair pair = pair_of(engine::Comparison::kMixture, by, fields[6], fields[7]);
  StainParameters parameters{.drop_outs = {number(fields[11])}, .drop_in = number(fields[12])};
  if (const auto given_number = given<unsigned>(number(fields[10]))) {
    parameters.least = parameters.most = *given_number;
    parameters.estimated = false;
  }
  const Question question =
      make_question(engine::Comparison::kMixture, by, static_cast<std::uint64_t>(number(fields[5])),
                    relation_of(fields[9]), std::span(&model, 1), {}, parameters);
  const QueryEvaluator evaluator(question, pair.rows.row(0));
  const HitReport report = evaluator.hit(pair.rows.row(1), pair.counts);
  const HitEvidence& hit = report.worst;
  const QueryEvidence& query = evaluator.query()[0];
  return {hit.log10_lr,
          hit.log10_chance,
          hit.log10_chance_matches,
          or_minus_one(evaluator.limit(number(fields[8]))),
          query.log10_p_rmne_0,
          double(query.supports.front().contributors),
          double(query.supports.back().contributors),
          query.expected_saturation.value_or(NAN),
          evaluator.saturation(),
          double(hit.saturated),
          double(report.suggests),
          double(report.standing),
          double(report.likeliest_relative),
          double(query.supports[hit.support].contributors),
          hit.relations[Relation::kSame],
          hit.relations[Relation::kParentChild],
          hit.relations[Relation::kSibling],
          hit.relations[Relation::kHalfSibling]};
}

std::vector<RowView> views_of(const ProfileRows& rows) {
  std::vector<RowView> views;
  for (std::size_t i = 0; i < rows.n_rows(); ++i) views.push_back(rows.row(i));
  return views;
}

Encoding encoding_of(std::string_view text) {
  return text == "bits" ? Encoding::kMinor : Encoding::kAlleles;
}

/// A stain with its known contributors, and people who may have contributed: texts of rows.
struct StainCase {
  StainCase(const Fields& model_fields, Encoding encoding, std::string_view stain_text,
            std::string_view known_texts, std::string_view people_texts)
      : model(model_of(model_fields)),
        by(encoding),
        stain(rows_of(stain_text, model.n_sites(), by)),
        known_rows(rows_of(known_texts, model.n_sites(), by)),
        people_rows(rows_of(people_texts, model.n_sites(), by)),
        known(views_of(known_rows)),
        people(views_of(people_rows)) {}

  PopulationModel model;
  Encoding by;
  ProfileRows stain, known_rows, people_rows;
  std::vector<RowView> known, people;
};

void add(Numbers& out, const StainEvidence& evidence) {
  for (const Relation relation :
       {Relation::kSame, Relation::kParentChild, Relation::kSibling, Relation::kHalfSibling})
    out.push_back(evidence.relations[relation]);
}

/// Supports by texts of their parts, separated by ';', and of several numbers in one by '/'.
std::vector<StainSupport> supports_of(std::string_view weights, std::string_view own,
                                      std::string_view unknown, std::string_view known) {
  const auto of_support = [](std::string_view text, std::size_t support) {
    Numbers list;
    if (const std::string_view part = split(text, ';')[support]; !part.empty())
      for (const std::string_view piece : split(part, '/')) list.push_back(number(piece));
    return list;
  };
  std::vector<StainSupport> supports;
  for (std::size_t i = 0; i < split(weights, ';').size(); ++i) {
    StainSupport support{.own = of_support(own, i)[0],
                         .unknown = of_support(unknown, i),
                         .known = of_support(known, i),
                         .log_weight = std::log(of_support(weights, i)[0])};
    support.contributors = static_cast<unsigned>(1 + support.unknown.size() + support.known.size());
    supports.push_back(std::move(support));
  }
  return supports;
}

/// freq sampled theta w by drop_in weights drop_outs unknown known(of a support: separated by '/'; supports:
/// by
/// ';') stain known people: four ratios of each person
Numbers stain_ratios(const Fields& fields) {
  const StainCase stain(fields, encoding_of(fields[5]), fields[11], fields[12], fields[13]);
  const std::vector<StainSupport> supports = supports_of(fields[7], fields[8], fields[9], fields[10]);
  StainParameters parameters;
  parameters.drop_in = number(fields[6]);
  const StainModel model(stain.model, stain.known, stain.by, parameters);
  Numbers out;
  for (const StainEvidence& of : model.weigh(stain.stain.row(0), supports, stain.people)) add(out, of);
  return out;
}

/// As stain-ratios, then of each site its chromosome and its cM: the ratios of a contributor's full and half
/// siblings along the map, of each person. Chromosome -1: no place
Numbers stain_siblings(const Fields& fields) {
  const StainCase stain(fields, encoding_of(fields[5]), fields[11], fields[12], fields[13]);
  const std::vector<StainSupport> supports = supports_of(fields[7], fields[8], fields[9], fields[10]);
  StainParameters parameters;
  parameters.drop_in = number(fields[6]);
  const StainModel model(stain.model, stain.known, stain.by, parameters);
  const std::vector<std::string_view> chroms = split(fields[14], ',');
  const Numbers cm = numbers(fields[15]);
  std::vector<MappedSite> sites;
  for (std::uint32_t site = 0; site < cm.size(); ++site)
    if (chroms[site] != "-1") sites.push_back({site, chroms[site], site + 1, cm[site]});
  Numbers out;
  for (const linked::SiblingRatios& of :
       linked::siblings_of_contributor(model, sites, stain.stain.row(0), supports, stain.people))
    out.insert(out.end(), {of.sibling, of.half_sibling});
  return out;
}

/// freq sampled theta w by drop_in, weights drop_outs unknown known (as stain-ratios) and the row of a stain,
/// the same of another: four ratios of a contributor in common
Numbers stain_shared(const Fields& fields) {
  const StainCase stain(fields, encoding_of(fields[5]), fields[11], "", fields[16]);
  const std::vector<StainSupport> supports = supports_of(fields[7], fields[8], fields[9], fields[10]),
                                  others = supports_of(fields[12], fields[13], fields[14], fields[15]);
  StainParameters parameters;
  parameters.drop_in = number(fields[6]);
  const StainModel model(stain.model, stain.known, stain.by, parameters);
  const SharedEvidence shared = model.shared(stain.stain.row(0), supports, stain.people[0], others);
  Numbers out;
  add(out, {shared.relations, 0});
  return out;
}

/// freq sampled theta w by drop_in least most estimated drop_outs stain known people: how many supports, of
/// each contributors, drop-out, log weight, how many unknown and their drop-outs, those of known people; four
/// ratios of each person and the support that adds most to the first
Numbers stain_supports(const Fields& fields) {
  const StainCase stain(fields, encoding_of(fields[5]), fields[11], fields[12], fields[13]);
  const StainModel model(stain.model, stain.known, stain.by,
                         {.least = whole(number(fields[7])),
                          .most = whole(number(fields[8])),
                          .estimated = number(fields[9]) != 0,
                          .drop_outs = numbers(fields[10]),
                          .drop_in = number(fields[6])});
  const std::vector<StainSupport> supports = model.supports(stain.stain.row(0));
  Numbers out{double(supports.size())};
  for (const StainSupport& support : supports) {
    out.insert(out.end(), {double(support.contributors), support.own, support.log_weight,
                           double(support.unknown.size())});
    out.insert(out.end(), support.unknown.begin(), support.unknown.end());
    out.insert(out.end(), support.known.begin(), support.known.end());
  }
  for (const StainEvidence& of : model.weigh(stain.stain.row(0), supports, stain.people)) {
    add(out, of);
    out.push_back(double(of.support));
  }
  return out;
}

/// A stain's reads of each site, minor and major ones, as "12/30"; of single reads the odds, as "|0.01|35".
MeasuredStain measured_of(std::string_view texts, std::uint32_t threshold) {
  MeasuredStain measured{.reads = {}, .threshold = threshold};
  std::vector<double> depths;
  for (const std::string_view text : split(texts, ',')) {
    if (text.starts_with('|')) {
      AlleleReads& counts = measured.reads.emplace_back();
      for (const std::string_view odds : split(text.substr(1), '|')) {
        const SiteRead read{static_cast<std::uint32_t>(measured.reads.size() - 1), float(number(odds))};
        measured.few.push_back(read);
        ++(read.odds > 1 ? counts.minor : counts.major);
      }
    } else {
      const std::vector<std::string_view> numbers = split(text, '/');
      measured.reads.push_back({whole(number(numbers[0])), whole(number(numbers[1]))});
    }
    if (measured.reads.back().total() > 0) depths.push_back(double(measured.reads.back().total()));
  }
  measured.median = median(depths);
  return measured;
}

/// The row of what reads show: each allele that has any.
std::string row_of(const MeasuredStain& measured) {
  std::string row;
  for (const auto& [minor, major] : measured.reads)
    row += minor > 0 ? (major > 0 ? '1' : '2') : major > 0 ? '0' : '-';
  return row;
}

/// freq sampled theta w weights own unknown known (as stain-ratios, by shares) concentration error kin
/// threshold reads known people: four ratios of each person
Numbers read_ratios(const Fields& fields) {
  const MeasuredStain measured = measured_of(fields[13], whole(number(fields[12])));
  const StainCase stain(fields, Encoding::kAlleles, row_of(measured), fields[14], fields[15]);
  std::vector<StainSupport> supports = supports_of(fields[5], fields[6], fields[7], fields[8]);
  for (std::size_t i = 0; i < supports.size(); ++i) {
    StainMeasured& by = supports[i].measured.emplace();
    by.parameters = {number(fields[9]), number(fields[10])};
    for (const Relation kin : {Relation::kParentChild, Relation::kSibling})
      if (name_of(kin) == split(fields[11], ';')[i]) by.kin = kin;
  }
  const StainModel model(stain.model, stain.known, stain.by, {});
  Numbers out;
  for (const StainEvidence& of : model.weigh({stain.stain.row(0), &measured}, supports, stain.people))
    add(out, of);
  return out;
}

/// The same as far as they are needed: P(0, 1, 2 minor copies) at each site, of a support's contributor in
/// question
Numbers read_genotypes(const Fields& fields) {
  const MeasuredStain measured = measured_of(fields[13], whole(number(fields[12])));
  const StainCase stain(fields, Encoding::kAlleles, row_of(measured), fields[14], "");
  std::vector<StainSupport> supports = supports_of(fields[5], fields[6], fields[7], fields[8]);
  for (StainSupport& support : supports)
    support.measured = StainMeasured{{number(fields[9]), number(fields[10])}};
  const StainModel model(stain.model, stain.known, stain.by, {});
  Numbers out;
  for (const auto& site : model.genotypes({stain.stain.row(0), &measured}, supports))
    out.insert(out.end(), site.posterior.begin(), site.posterior.end());
  return out;
}

/// freq sampled theta w, own unknown reads of a stain, the same of another, concentration error: four ratios
/// of a contributor in common
Numbers read_shared(const Fields& fields) {
  const MeasuredStain one = measured_of(fields[7], 1), other = measured_of(fields[10], 1);
  const StainCase stain(fields, Encoding::kAlleles, row_of(one), "", row_of(other));
  const auto support_with = [&](std::size_t first) {
    std::vector<StainSupport> supports = supports_of("1", fields[first], fields[first + 1], "");
    supports[0].measured = StainMeasured{{number(fields[11]), number(fields[12])}};
    return supports;
  };
  const StainModel model(stain.model, {}, stain.by, {});
  const SharedEvidence shared =
      model.shared({stain.stain.row(0), &one}, support_with(5), {stain.people[0], &other}, support_with(8));
  Numbers out;
  add(out, {shared.relations, 0});
  return out;
}

/// freq sampled theta w own unknown known(shares) height variation threshold drop_in heights(of a site
/// minor/major, replicates separated by '|') known: of each site P(the stain and a person with 0, 1, 2 minor
/// copies) if the person is unrelated to all, and if the person is the contributor in question
Numbers peak_joints(const Fields& fields) {
  std::vector<SampleSignal> replicates;
  for (const std::string_view site : split(fields[12], ',')) {
    const std::vector<std::string_view> pairs = split(site, '|');
    replicates.resize(pairs.size());
    for (std::size_t r = 0; r < pairs.size(); ++r) {
      const std::vector<std::string_view> heights = split(pairs[r], '/');
      replicates[r].push_back({.major = number(heights[1]), .minor = number(heights[0])});
    }
  }
  const MeasuredStain measured =
      measured_peaks(std::move(replicates), whole(number(fields[10])), number(fields[11]));
  const std::size_t n_sites = numbers(fields[1]).size();
  const StainCase stain(fields, Encoding::kAlleles, std::string(n_sites, '1'), fields[13], "");
  StainSupport support{.own = number(fields[5]),
                       .unknown = numbers(fields[6]),
                       .known = numbers(fields[7]),
                       .measured = StainMeasured{{number(fields[8]), number(fields[9])}}};
  support.contributors = static_cast<unsigned>(1 + support.unknown.size() + support.known.size());
  const StainModel model(stain.model, stain.known, stain.by, {});
  Numbers out;
  for (std::size_t site = 0; site < n_sites; ++site) {
    const StainModel::Joint joint = model.joint_at(site, {stain.stain.row(0), &measured}, support);
    for (const std::size_t alike : {0, 2}) out.insert(out.end(), joint[alike].begin(), joint[alike].end());
  }
  return out;
}

/// a x: the share of a gamma distribution below x
Numbers gamma_share(const Fields& fields) {
  return {gamma_below(number(fields[1]), number(fields[2]))};
}

/// freq sampled theta w least most estimated shares threshold reads known people: how many supports, of each
/// contributors, share, log weight, concentration, error, kin (0: none, 1: parent-child, 2: sibling), how
/// many unknown and their shares, those of known people; four ratios of each person
Numbers read_supports(const Fields& fields) {
  const MeasuredStain measured = measured_of(fields[10], whole(number(fields[9])));
  const StainCase stain(fields, Encoding::kAlleles, row_of(measured), fields[11], fields[12]);
  const StainModel model(stain.model, stain.known, stain.by,
                         {.least = whole(number(fields[5])),
                          .most = whole(number(fields[6])),
                          .estimated = number(fields[7]) != 0,
                          .shares = numbers(fields[8])});
  const Stain asked(stain.stain.row(0), &measured);
  const std::vector<StainSupport> supports = model.supports(asked);
  Numbers out{double(supports.size())};
  for (const StainSupport& support : supports) {
    const auto& [parameters, kin] = *support.measured;
    out.insert(out.end(),
               {double(support.contributors), support.own, support.log_weight, parameters[0], parameters[1],
                kin == Relation::kParentChild ? 1.
                : kin == Relation::kSibling   ? 2.
                                              : 0.,
                double(support.unknown.size())});
    out.insert(out.end(), support.unknown.begin(), support.unknown.end());
    out.insert(out.end(), support.known.begin(), support.known.end());
  }
  for (const StainEvidence& of : model.weigh(asked, supports, stain.people)) add(out, of);
  return out;
}

/// freq sampled theta w by drop_in contributors stain: log likelihood of the best drop-outs of unknown people
Numbers stain_fit(const Fields& fields) {
  const StainCase stain(fields, encoding_of(fields[5]), fields[8], "", "");
  const StainFit fit(stain.model, stain.stain.row(0), {}, stain.by, number(fields[6]));
  double best = -INFINITY;
  for (const double span : {4., 2., 7.}) {
    std::vector<DropOutGroup> groups;
    for (double i = 0; i < number(fields[7]); ++i)
      groups.push_back({0, 1, fitted_drop_out(-4 + span * i / number(fields[7]))});
    best = std::max(best, fit.fit(groups, 0));
  }
  return {best};
}

/// freq sampled theta w profiles
Numbers panel(const Fields& fields) {
  const PanelPower power = panel_power(model_of(fields), static_cast<std::uint64_t>(number(fields[5])));
  Numbers out{or_minus_one(power.mismatch_limit), power.log10_expected_at_0, power.log10_match_probability,
              double(power.max_contributors)};
  for (const Expected& expected : {power.same, power.parent_child, power.siblings, power.unrelated})
    add(out, expected);
  return out;
}

/// freq sampled theta w
Numbers kin(const Fields& fields) {
  const KinPower power = kin_power(model_of(fields));
  Numbers out;
  for (const KinPower::Kin& kin : power.kin) {
    add(out, kin.log10_lr);
    out.insert(out.end(), {kin.right, kin.wrong});
  }
  return out;
}

Sex sex_named(std::string_view letter) {
  return letter == "M" ? Sex::kMale : Sex::kFemale;
}

/// kind sexes(two letters) by(bits|alleles) seen1 seen2 q theta w: log10 ratio of one site of X
Numbers x_site(const Fields& fields) {
  const Sex first = sex_named(fields[2].substr(0, 1)), second = sex_named(fields[2].substr(1));
  const auto kind = std::ranges::find_if(x_kinds(), [&](const XKind& of) {
    return of.name == fields[1] && of.first == first && of.second == second;
  });
  const auto emissions = x_emissions(number(fields[6]), {number(fields[7]), number(fields[8])},
                                     copies_of(SiteClass::kX, first), copies_of(SiteClass::kX, second),
                                     fields[3] == "bits" ? Encoding::kMinor : Encoding::kAlleles);
  const XEmission& seen = emissions[whole(number(fields[4]))][whole(number(fields[5]))];
  const std::array<double, 3> share = x_sharing(*kind);
  return {std::log10(share[0] * seen[0] + share[1] * seen[1] + share[2] * seen[2])};
}

/// A panel whose site i is on the chromosome of letter i: A 1, else X, Y, M.
Panel panel_of(std::string_view classes, const Numbers& positions) {
  std::vector<Site> sites;
  for (std::size_t s = 0; s < classes.size(); ++s)
    sites.push_back({fmt::format("s{}", s), classes[s] == 'A' ? "1" : std::string(1, classes[s]),
                     positions.empty() ? 50'000'000 : whole(positions[s]), 'A', 'C'});
  return Panel(std::move(sites), {}, GenomeBuild::kGRCh37, "case");
}

/// freq sampled theta w classes positions relation copies1 copies2 row1 row2: compared, log10 ratio, those of
/// the kinds
Numbers x_pair(const Fields& fields) {
  const PopulationModel model = model_of(fields);
  const Panel panel = panel_of(fields[5], numbers(fields[6]));
  const SiteClasses classes(panel);
  const ProfileRows first = rows_of(fields[10], model.n_sites(), Encoding::kAlleles),
                    second = rows_of(fields[11], model.n_sites(), Encoding::kAlleles);
  const XRatio ratio = XModel(model, panel, classes)
                           .ratio(relation_of(fields[7]), first.row(0), whole(number(fields[8])),
                                  second.row(0), whole(number(fields[9])));
  Numbers out{double(ratio.compared), ratio.log10_lr.value_or(NAN)};
  for (const XKindRatio& of : ratio.kinds) out.push_back(of.log10_lr);
  return out;
}

/// freq (of none: no frequencies) sampled theta w classes row: sex copies woman man x_called x_het y_called
Numbers sex(const Fields& fields) {
  const Panel panel = panel_of(fields[5], {});
  const SiteClasses classes(panel);
  const std::optional<PopulationModel> model =
      fields[1].empty() ? std::nullopt : std::optional(model_of(fields));
  const ProfileRows rows = rows_of(fields[6], classes.n_sites(), Encoding::kAlleles);
  const SexFindings found = SexModel(classes, model ? &*model : nullptr).of(rows.row(0));
  return {found.sex ? double(*found.sex) : -1,
          double(found.x_copies.value_or(0)),
          found.log10_woman,
          found.log10_man,
          double(found.x_called),
          double(found.x_het),
          double(found.y_called)};
}

/// x n: the upper bound of the share
Numbers bound(const Fields& fields) {
  return {upper_bound(static_cast<std::uint64_t>(number(fields[1])),
                      static_cast<std::uint64_t>(number(fields[2])))};
}

/// n w
Numbers allowed(const Fields& fields) {
  return {double(allowance(whole(number(fields[1])), number(fields[2])))};
}

/// mismatches compared w: 0 agree, 1 undecided, 2 differ, -1 nothing to compare
Numbers word(const Fields& fields) {
  const auto said = haplotype_word({whole(number(fields[1])), whole(number(fields[2]))}, number(fields[3]));
  return {said ? double(*said) : -1};
}

/// x n theta
Numbers probability(const Fields& fields) {
  return {haplotype_probability(static_cast<std::uint64_t>(number(fields[1])),
                                static_cast<std::uint64_t>(number(fields[2])), number(fields[3]))};
}

/// classes class(letter) w query row: mismatches, compared, whether it covers the query's sites, the word as
/// above, the least paternal lines of the query, alleles that the query as a mixture lacks, sites of these
Numbers haplotype(const Fields& fields) {
  const SiteClasses classes(panel_of(fields[1], {}));
  const auto sites = classes.mask(fields[2] == "Y" ? SiteClass::kY : SiteClass::kM);
  const ProfileRows query = rows_of(fields[4], classes.n_sites(), Encoding::kAlleles),
                    other = rows_of(fields[5], classes.n_sites(), Encoding::kAlleles);
  const HaplotypeCounts counts = count_haplotype(query.row(0), other.row(0), sites),
                        not_seen = not_seen_in_mixture(query.row(0), other.row(0), sites);
  const double w = number(fields[3]);
  const auto said = haplotype_word(counts, w);
  return {double(counts.mismatches),
          double(counts.compared),
          double(covers(counts.compared, sites_of_haplotype(query.row(0), sites))),
          said ? double(*said) : -1,
          double(least_paternal_lines(query.row(0), sites, w)),
          double(not_seen.mismatches),
          double(not_seen.compared)};
}

Numbers answer(const Fields& fields) {
  using enum Encoding;
  static const std::map<std::string_view, std::function<Numbers(const Fields&)>> kinds{
      {"site", site},
      {"tail", tail},
      {"identity", [](const Fields& of) { return identity(of, kMinor); }},
      {"identity-alleles", [](const Fields& of) { return identity(of, kAlleles); }},
      {"mixture", [](const Fields& of) { return mixture(of, kMinor); }},
      {"mixture-alleles", [](const Fields& of) { return mixture(of, kAlleles); }},
      {"stain-ratios", stain_ratios},
      {"stain-siblings", stain_siblings},
      {"stain-shared", stain_shared},
      {"stain-supports", stain_supports},
      {"stain-fit", stain_fit},
      {"read-ratios", read_ratios},
      {"read-genotypes", read_genotypes},
      {"read-shared", read_shared},
      {"read-supports", read_supports},
      {"peak-joints", peak_joints},
      {"gamma-below", gamma_share},
      {"panel", panel},
      {"kin", kin},
      {"x-site", x_site},
      {"x-pair", x_pair},
      {"sex", sex},
      {"bound", bound},
      {"allowance", allowed},
      {"word", word},
      {"probability", probability},
      {"haplotype", haplotype}};
  return kinds.at(fields[0])(fields);
}

}  // namespace
}  // namespace fastid::stats

int main() {
  for (std::string line; std::getline(std::cin, line);)
    fmt::print("{:.17g}\n", fmt::join(fastid::stats::answer(fastid::split(line, '\t')), "\t"));
  return std::cout ? 0 : 1;
}
