// Json, for scripts and records: the same columns as tsv, with ties, evidence and provenance.
// docs/fastid-matches.schema.json describes it; for fastid kin, docs/fastid-kin.schema.json does.
#include <fmt/format.h>

#include <cmath>
#include <tuple>

#include "base/build_info.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "match/wording.hpp"
#include "report/columns.hpp"
#include "report/json_values.hpp"
#include "report/page/explanations.hpp"
#include "report/page/statements.hpp"
#include "report/parameters.hpp"
#include "report/report.hpp"

namespace fastid::report {
namespace {

Json json_of(const match::MatchTable& matches, const match::DifferingLocus& locus) {
  const auto has_minor = [](Seen seen) { return (seen & kMinorSeen) != 0; };
  Json object = {{"id", locus.id},
                 {"chrom", locus.chrom},
                 {"pos", locus.pos},
                 {"major", std::string(1, locus.major)},
                 {"minor", std::string(1, locus.minor)},
                 {"query_has_minor", has_minor(locus.query)},
                 {"profile_has_minor", has_minor(locus.profile)}};
  if (matches.by == Encoding::kAlleles) {
    object["query_alleles"] =
        match::alleles_text(locus, locus.query, matches.comparison == engine::Comparison::kMixture);
    object["profile_alleles"] =
        match::alleles_text(locus, locus.profile, matches.comparison == engine::Comparison::kReverseMixture);
  }
  object["minor_frequency"] = number(locus.minor_frequency);
  object["log10_lr"] = number(locus.log10_lr);
  return object;
}

Json rounded_all(const std::vector<double>& values) {
  Json all = Json::array();
  for (const double value : values) all.push_back(page::rounded(value));
  return all;
}

/// \param with_error  whether an error of reads was fitted
Json json_of(const match::MixtureSupport& support, bool with_error) {
  const std::string what = support.reads ? "share" : "drop_out";
  Json object = {{"contributors", support.contributors},
                 {what, page::rounded(support.own)},
                 {what + "s_unknown", rounded_all(support.unknown)},
                 {what + "s_known", rounded_all(support.known)},
                 {"weight", page::rounded(support.weight)}};
  if (!support.reads) return object;
  object[support.reads->of_peaks ? "height" : "concentration"] = page::rounded(support.reads->concentration);
  object[support.reads->of_peaks ? "variation" : "error"] =
      support.reads->of_peaks || with_error ? page::rounded(support.reads->error) : Json(nullptr);
  object["contributors_are"] = support.reads->kin.empty() ? "unrelated" : support.reads->kin;
  return object;
}

/// Adds a fastid kin row's members besides its columns.
void add_kin(const match::MatchTable& matches, const match::MatchRow& row, Json& line) {
  line["log10_lr_population"] =
      row.log10_lr ? Json(matches.provenance.populations.at(row.lr_population).name) : Json(nullptr);
  line["log10_chance_matches"] = number(row.log10_chance_matches);
}

Json json_of(const std::optional<match::HaplotypeFigures>& haplotype,
             std::uint64_t match::HaplotypeFigures::*count) {
  return haplotype && haplotype->probability ? Json((*haplotype).*count) : Json(nullptr);
}

Json copies(unsigned of_x) {
  return of_x > 0 ? Json(of_x) : Json(nullptr);
}

/// Adds a row's members on X, Y and M besides its columns.
void add_beside(const match::MatchTable& matches, const match::MatchRow& row, Json& line) {
  for (const std::string& name : columns_without_sites(matches)) line[name] = nullptr;
  const match::BesideFigures none, &of = row.beside ? *row.beside : none;
  const bool people = matches.comparison == engine::Comparison::kIdentity ||
                      matches.comparison == engine::Comparison::kKinship;
  if (people) {
    line["query_x_copies"] = copies(of.first_copies);
    line["x_copies"] = copies(of.second_copies);
    Json kinds = Json::array();
    if (of.x)
      for (const auto& [kind, log10_lr] : of.x->kinds)
        kinds.push_back({{"kind", kind}, {"log10_lr", number(log10_lr)}});
    line["x_kinds"] = std::move(kinds);
  }
  line["y_others"] = json_of(of.y, &match::HaplotypeFigures::others);
  line["y_agreeing"] = json_of(of.y, &match::HaplotypeFigures::agreeing);
  line["m_others"] = json_of(of.m, &match::HaplotypeFigures::others);
  line["m_agreeing"] = json_of(of.m, &match::HaplotypeFigures::agreeing);
}

/// Null where the profile seems to be one person's.
Json json_of(const std::optional<match::SeveralPeople>& several) {
  if (!several) return nullptr;
  return {{"heterozygous", page::rounded(several->seen)}, {"expected", page::rounded(several->expected)}};
}

Json json_of(const match::MatchTable& matches, const match::QueryMatches& query, const match::MatchRow& row) {
  Json line;
  for (const Column& column : columns(matches)) line[column.name] = json_of(column.of(query, row));
  add_beside(matches, row, line);
  if (!match::asks_for_mixtures(matches.comparison)) line["shows_several"] = json_of(row.several);
  if (row.kin) {
    add_kin(matches, row, line);
    return line;
  }
  const bool weighed = row.log10_lr.has_value();
  if (matches.comparison != engine::Comparison::kIdentity) {
    line["log10_p_rmne"] = number(row.log10_p_rmne);
    line["saturated"] = weighed && !match::between_mixtures(matches) ? Json(row.saturated) : Json(nullptr);
    line["support"] = row.contributor ? json_of(row.contributor->support, fits_error(query)) : Json(nullptr);
    if (match::between_mixtures(matches))
      line["stored_support"] = row.contributor && row.contributor->stored
                                   ? json_of(row.contributor->stored->support, false)
                                   : Json(nullptr);
  }
  if (row.sample) line["below_expected"] = row.sample->below_expected;
  line["log10_chance_matches"] = number(row.log10_chance_matches);
  const auto& populations = matches.provenance.populations;
  const auto name = [&](std::size_t place) {
    return weighed ? Json(populations.at(place).name) : Json(nullptr);
  };
  line["log10_lr_population"] = name(row.lr_population);
  line["chance_population"] = name(row.chance_population);
  Json loci;
  if (row.loci) {
    loci = Json::array();
    for (const match::DifferingLocus& locus : *row.loci) loci.push_back(json_of(matches, locus));
  }
  line["differing_loci"] = std::move(loci);
  return line;
}

Json json_of(const match::MixtureEvidence& mixture, bool with_error) {
  constexpr double kLeastListed = .01;
  Json numbers = Json::array(), supports = Json::array();
  for (std::size_t i = 0; i < mixture.numbers.size(); ++i)
    numbers.push_back({{"contributors", i + 1}, {"probability", page::rounded(mixture.numbers[i])}});
  for (const match::MixtureSupport& support : mixture.supports)
    if (support.weight >= kLeastListed) supports.push_back(json_of(support, with_error));
  const auto& [expected, depths] = std::tie(mixture.expected_saturation, mixture.depths);
  return {{"model", !depths            ? "semi-continuous"
                    : depths->of_peaks ? "gamma"
                                       : "continuous"},
          {"saturation", page::rounded(mixture.saturation)},
          {"expected_saturation", expected ? page::rounded(*expected) : Json(nullptr)},
          {"median_depth", depths ? page::rounded(depths->median) : Json(nullptr)},
          {"analytical_threshold", depths ? Json(depths->threshold) : Json(nullptr)},
          {"sites_read_by_read", depths ? Json(depths->read_by_read) : Json(nullptr)},
          {"numbers", std::move(numbers)},
          {"supports", std::move(supports)},
          {"saturated", mixture.saturated}};
}

/// The kind of a limit, since a null max_count does not say whether everything or nothing may be listed.
const char* limit_name(const std::optional<match::ChosenLimit>& limit) {
  return !limit ? "none" : limit->max_count ? "max_count" : "nothing";
}

/// Null where the panel has no allele frequencies.
Json json_of(const match::QueryMatches& query) {
  const match::QueryEvidence& evidence = query.evidence;
  if (evidence.populations.empty()) return nullptr;
  Json populations = Json::array();
  for (const match::PopulationEvidence& population : evidence.populations) {
    Json one = {{"name", population.name}};
    if (population.log10_match_probability)
      one["log10_match_probability"] = number(population.log10_match_probability);
    if (population.log10_p_rmne_0) one["log10_p_rmne_0"] = number(population.log10_p_rmne_0);
    populations.push_back(std::move(one));
  }
  return {{"population", evidence.populations[evidence.worst].name},
          {"populations", std::move(populations)},
          {"limit", limit_name(evidence.limit)},
          {"max_count",
           evidence.limit && evidence.limit->max_count ? Json(*evidence.limit->max_count) : Json(nullptr)},
          {"mixture", evidence.mixture ? json_of(*evidence.mixture, fits_error(query)) : Json(nullptr)}};
}

Json json_of(const std::optional<match::CentreAndSpread>& lies) {
  if (!lies) return nullptr;
  return {{"centre", page::rounded(lies->centre)}, {"spread", page::rounded(lies->spread)}};
}

/// Null where the query was not measured.
Json json_of(const std::optional<match::Strangers>& strangers) {
  if (!strangers) return nullptr;
  return {{"profiles", strangers->profiles},
          {"own", json_of(std::optional(strangers->own))},
          {"expected", json_of(std::optional(strangers->expected))},
          {"nearer_than_expected", strangers->nearer}};
}

/// A histogram, only at counts that have profiles or a curve that is not negligible.
Json json_of(const match::QueryHistogram& histogram) {
  constexpr double kLeastExpected = 1e-6;
  Json counts = Json::array(), profiles = Json::array(), expected = Json::array(), marks = Json::array();
  for (std::size_t k = 0; k < histogram.profiles.size(); ++k) {
    const double curve = histogram.expected.empty() ? 0 : histogram.expected[k];
    if (histogram.profiles[k] == 0 && curve < kLeastExpected) continue;
    counts.push_back(k);
    profiles.push_back(histogram.profiles[k]);
    expected.push_back(page::rounded(curve));
  }
  for (const match::RelationMark& mark : histogram.marks)
    marks.push_back(
        {{"relation", mark.name}, {"mean", page::rounded(mark.mean)}, {"sd", page::rounded(mark.sd)}});
  return {{"profiles_counted", histogram.n_profiles},
          {"profiles_not_comparable", histogram.not_comparable},
          {"block_step", histogram.step},
          {"counts", std::move(counts)},
          {"profiles", std::move(profiles)},
          {"expected_unrelated", histogram.expected.empty() ? Json(nullptr) : std::move(expected)},
          {"relations", std::move(marks)},
          {"own", json_of(histogram.own)},
          {"model", json_of(histogram.model)}};
}

Json json_of(const match::MatchTable& matches, const match::QueryMatches& query) {
  Json rows = Json::array();
  for (const match::MatchRow& row : query.rows) rows.push_back(json_of(matches, query, row));
  const Json sex = text_or_null(query.beside.sex);
  if (matches.comparison == engine::Comparison::kKinship) {
    Json of = {{"name", query.name},
               {"file", query.file},
               {"file_sha256", query.sha256},
               {"called_sites", query.called_sites},
               {"ties_cut", query.ties_cut},
               {"more_may_match", query.more_may_match},
               {"sex", sex},
               {"x_copies", copies(query.beside.x_copies)},
               {"shows_several", json_of(query.several)},
               {"log10_agree_by_chance", number(query.log10_agree_by_chance)},
               {"matches", std::move(rows)}};
    if (query.by_likelihoods) of["by_likelihoods"] = true;
    if (matches.family) {
      Json members = Json::array();
      for (const match::MatchRow& row : query.typed_members) members.push_back(json_of(matches, query, row));
      of["typed_members"] = std::move(members);
    }
    return of;
  }
  Json of = {{"name", query.name},
             {"file", query.file},
             {"file_sha256", query.sha256},
             {"called_sites", query.called_sites},
             {"minor_alleles", query.minor_alleles},
             {"ties_cut", query.ties_cut},
             {"more_may_match", query.more_may_match},
             {"sex", sex},
             {"x_copies", copies(query.beside.x_copies)},
             {"least_paternal_lines",
              query.beside.paternal_lines ? Json(*query.beside.paternal_lines) : Json(nullptr)},
             {"shows_several", json_of(query.several)},
             {"log10_agree_by_chance", number(query.log10_agree_by_chance)},
             {"strangers", json_of(query.strangers)},
             {"evidence", json_of(query)},
             {"histogram", query.histogram ? json_of(*query.histogram) : Json(nullptr)},
             {"matches", std::move(rows)}};
  if (query.by_likelihoods) of["by_likelihoods"] = true;
  return of;
}

Json json_of(const std::vector<match::PopulationFacts>& populations) {
  Json all = Json::array();
  for (const match::PopulationFacts& population : populations)
    all.push_back({{"name", population.name},
                   {"frequency_floor", page::rounded(population.frequency_floor)},
                   {"floored_sites", population.floored_sites},
                   {"people", population.people ? Json(*population.people) : Json(nullptr)}});
  return all;
}

Json provenance_of(const match::MatchTable& matches) {
  const match::Provenance& from = matches.provenance;
  return {{"program", "fastid"},
          {"version", version()},
          {"revision", revision()},
          {"database",
           {{"path", from.database},
            {"bytes", from.database_bytes},
            {"kind", from.database_kind},
            {"format_version", from.format_version},
            {"n_profiles", from.n_profiles},
            {"n_sites", from.n_sites},
            {"sites",
             {{"autosomal", from.sites.autosomal},
              {"X", from.sites.x},
              {"Y", from.sites.y},
              {"M", from.sites.m}}},
            {"counted_class", from.counted_class},
            {"genome_build", from.genome_build},
            {"panel_sha256", from.panel_sha256},
            {"content_sha256", from.content_sha256}}},
          {"parameters", parameters_json(matches)},
          {"populations", json_of(from.populations)}};
}

Json json_of(const match::FamilyFacts& family) {
  Json relatives = Json::array();
  for (const auto& [name, file, sha256] : family.relatives)
    relatives.push_back({{"name", name}, {"file", file}, {"file_sha256", sha256}});
  Json missing = Json::array();
  for (const match::MissingFacts& of : family.missing) {
    Json member = {{"name", of.name},
                   {"paternal_line", text_or_null(of.paternal)},
                   {"maternal_line", text_or_null(of.maternal)}};
    if (of.bits) {
      member["inheritance_bits"] = *of.bits;
      member["along_map"] = of.along_map;
      member["places_not_weighed"] = of.places_not_weighed;
    }
    missing.push_back(std::move(member));
  }
  return {{"file", family.file},
          {"file_sha256", family.sha256},
          {"missing", std::move(missing)},
          {"members", family.members},
          {"relatives", std::move(relatives)}};
}

Json json_of(const match::RunInfo& run) {
  return {{"command_line", run.command_line},
          {"engine", run.engine},
          {"description", run.description},
          {"started_utc", run.started_utc},
          {"lanes", run.workers},
          {"tile_blocks", run.tile_blocks},
          {"peak_memory_bytes", run.peak_memory_bytes},
          {"seconds",
           {{"open", run.open_seconds},
            {"queries", run.query_seconds},
            {"search", run.search_seconds},
            {"evidence", run.evidence_seconds},
            {"total", run.total_seconds}}}};
}

}  // namespace

std::string json_lines(const match::MatchTable& matches) {
  std::string text;
  for (const match::QueryMatches& query : matches.queries)
    for (const match::MatchRow* const row : all_rows(query))
      text += json_of(matches, query, *row).dump() + '\n';
  return text;
}

std::string json(const match::MatchTable& matches, const Options& options) {
  Json queries = Json::array();
  for (const match::QueryMatches& query : matches.queries) queries.push_back(json_of(matches, query));
  Json said = Json::object();
  for (const Statement& statement : statements(matches)) said[statement.name] = statement.text;
  const bool kin = matches.comparison == engine::Comparison::kKinship;
  Json document = {{"format", kin ? "fastid-kin" : "fastid-matches"},
                   {"format_version", !kin                              ? 5
                                      : matches.provenance.evidence.map ? 4
                                                                        : 3},
                   {"comparison", match::name_of(matches.comparison)},
                   {"statements", std::move(said)}};
  if (kin) document["family"] = matches.family ? json_of(*matches.family) : Json(nullptr);
  document["queries"] = std::move(queries);
  document["provenance"] = provenance_of(matches);
  if (options.with_run) document["run"] = json_of(matches.run);
  return document.dump(2) + '\n';
}

}  // namespace fastid::report
