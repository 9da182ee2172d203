#include "report/parameters.hpp"

#include <fmt/format.h>

#include <optional>

#include "base/json.hpp"
#include "base/text.hpp"
#include "match/wording.hpp"
#include "report/json_values.hpp"

namespace fastid::report {
namespace {

template <class T>
Json json_of(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// A limit; no value where it equals `none`, which stands for no limit.
template <class T>
std::optional<T> limit_of(T value, T none) {
  return value == none ? std::nullopt : std::optional(value);
}

void add_rule(const match::MatchTable& matches, std::vector<Parameter>& all) {
  const match::KeepRule& rule = matches.provenance.rule;
  const auto top = limit_of(rule.top, match::KeepRule::kAll);
  const auto max_count = limit_of(rule.max_count, UINT32_MAX);
  all.push_back({"top", json_of(top),
                 fmt::format("Matches listed of each {}", match::asked(matches.comparison)),
                 top ? "at most " + with_commas(*top) : "all"});
  if (matches.comparison != engine::Comparison::kKinship)
    all.push_back({"max_count", json_of(max_count), "Limit of the count",
                   max_count
                       ? "at most " + match::counted_differences(matches.comparison, matches.by, *max_count)
                       : "none"});
  all.push_back(
      {"min_compared", rule.min_compared, "Compared sites at least", with_commas(rule.min_compared)});
}

Json known_json(const std::vector<match::KnownPerson>& known) {
  Json all = Json::array();
  for (const match::KnownPerson& person : known)
    all.push_back({{"name", person.name}, {"file", person.file}, {"sha256", person.sha256}});
  return all;
}

std::string known_text(const std::vector<match::KnownPerson>& known) {
  std::string text;
  for (const match::KnownPerson& person : known)
    text += fmt::format("{}{} ({}, SHA-256 {})", text.empty() ? "" : "; ", person.name, person.file,
                        person.sha256);
  return text;
}

void add_mixture(const match::MatchTable& matches, std::vector<Parameter>& all) {
  const match::EvidenceParameters& evidence = matches.provenance.evidence;
  const bool mixture = match::asks_for_mixtures(matches.comparison);
  all.push_back({"contributors", mixture ? Json(evidence.contributors) : Json(nullptr), "Contributors",
                 mixture ? evidence.contributors : ""});
  all.push_back(
      {"model", mixture ? Json(evidence.model) : Json(nullptr), "Model", mixture ? evidence.model : ""});
  all.push_back({"shares",
                 !mixture                  ? Json(nullptr)
                 : evidence.shares.empty() ? Json("auto")
                                           : Json(evidence.shares),
                 "Shares", mixture ? shares_text(evidence) : ""});
  all.push_back({"analytical_threshold",
                 !mixture             ? Json(nullptr)
                 : evidence.threshold ? Json(*evidence.threshold)
                                      : Json("auto"),
                 "Reads of an allele that are counted",
                 !mixture             ? ""
                 : evidence.threshold ? fmt::format("{} or more", *evidence.threshold)
                                      : "by the mixture's depth"});
  all.push_back({"drop_out",
                 !mixture                         ? Json(nullptr)
                 : evidence.drop_outs.empty()     ? Json("auto")
                 : evidence.drop_outs.size() == 1 ? Json(evidence.drop_outs.front())
                                                  : Json(evidence.drop_outs),
                 "Drop-out", mixture ? drop_out_text(evidence) : ""});
  all.push_back({"drop_in", mixture ? Json(evidence.drop_in) : Json(nullptr), "Drop-in",
                 mixture ? fmt::format("{:g}", evidence.drop_in) : ""});
  all.push_back(
      {"known", known_json(evidence.known), "Contributors in any case", known_text(evidence.known)});
}

void add_blocks(const std::optional<match::LinkageBlockFacts>& blocks, std::vector<Parameter>& all) {
  if (!blocks) {
    all.push_back({"blocks", nullptr, "Blocks of linked sites", ""});
    return;
  }
  all.push_back(
      {"blocks",
       {{"file", blocks->file},
        {"sha256", blocks->sha256},
        {"blocks", blocks->n_blocks},
        {"sites", blocks->n_sites}},
       "Blocks of linked sites",
       fmt::format("{} of {}, each of the weight of one site ({}, SHA-256 {})", with_commas(blocks->n_blocks),
                   counted(blocks->n_sites, "site"), blocks->file, blocks->sha256)});
}

void add_map(const match::MapFacts& map, std::vector<Parameter>& all) {
  const std::string thin = map.thin_cm > 0 ? fmt::format(", one of each {:g} cM", map.thin_cm) : "";
  all.push_back({"map",
                 {{"name", text_or_null(map.map)},
                  {"sha256", text_or_null(map.sha256)},
                  {"thin_cm", map.thin_cm},
                  {"sites", map.n_sites},
                  {"relations", map.considered}},
                 "Genetic map",
                 fmt::format("{}, {}{}", map.map.empty() ? "1.2 cM a Mb" : map.map,
                             counted(map.n_sites, "site"), thin)});
}

void add_min_lr(const match::MapFacts& map, std::vector<Parameter>& all) {
  all.push_back({"min_lr", json_of(map.min_lr), "LR of any relative at least",
                 map.min_lr ? fmt::format("10^{:g}", *map.min_lr) : "no limit"});
}

std::string order_text(const std::string& sort) {
  if (sort == "kinship") return sort;
  return sort == "rate" ? "share that differs" : "likelihood ratio";
}

void add_evidence(const match::MatchTable& matches, std::vector<Parameter>& all) {
  const match::EvidenceParameters& evidence = matches.provenance.evidence;
  const bool kin = matches.comparison == engine::Comparison::kKinship;
  all.push_back({"population", evidence.population, "Population", evidence.population});
  all.push_back({"theta", evidence.theta, "Theta", fmt::format("{:g}", evidence.theta)});
  all.push_back({"error_rate", evidence.error_rate, "Error rate", fmt::format("{:g}", evidence.error_rate)});
  add_blocks(evidence.blocks, all);
  if (!kin) all.push_back({"alternative", evidence.alternative, "Held against", evidence.alternative});
  all.push_back({"sort", evidence.sort, "Listed by", order_text(evidence.sort)});
  if (kin) {
    if (evidence.map) add_map(*evidence.map, all);
    if (evidence.map && !matches.family) add_min_lr(*evidence.map, all);
    all.push_back({"min_kinship", json_of(evidence.min_kinship), "Kinship at least",
                   evidence.min_kinship ? fmt::format("{:g}", *evidence.min_kinship) : ""});
    all.push_back({"margin", evidence.margin, "Margin of a relation",
                   fmt::format("at least 10^{:g}", evidence.margin)});
    return;
  }
  if (evidence.map) add_map(*evidence.map, all);
  all.push_back(
      {"max_chance_matches", json_of(evidence.max_chance_matches), "Chance matches at most",
       evidence.max_chance_matches ? fmt::format("{:.4g}", *evidence.max_chance_matches) : "no limit"});
  add_mixture(matches, all);
}

std::string palindromic_text(const std::string& rule) {
  if (rule == "keep") return "as they are";
  return rule == "drop" ? "not called" : "on the strand that the panel's frequencies tell, else not called";
}

void add_reading(const match::ReadingParameters& reading, std::vector<Parameter>& all) {
  all.push_back({"ignore_build", reading.ignore_build, "Genome builds",
                 reading.ignore_build ? "ignored: sites match by id alone" : "must agree"});
  all.push_back({"absent_as_reference", reading.absent_as_reference, "Sites absent from a file",
                 reading.absent_as_reference ? "called, without the minor allele" : "not called"});
  all.push_back(
      {"palindromic", reading.palindromic, "Palindromic sites", palindromic_text(reading.palindromic)});
  all.push_back({"min_depth", json_of(reading.min_depth), "Reads of a site at least",
                 reading.min_depth ? with_commas(*reading.min_depth) : ""});
  all.push_back({"min_allele_fraction", json_of(reading.min_allele_fraction),
                 "Share of the reads that shows an allele",
                 reading.min_allele_fraction ? fmt::format("{:g}", *reading.min_allele_fraction) : ""});
  if (reading.min_quality)
    all.push_back({"min_genotype_quality", json_of(reading.min_quality), "Quality of a genotype at least",
                   with_commas(*reading.min_quality)});
  if (!reading.likelihoods.empty()) {
    all.push_back({"likelihoods", reading.likelihoods, "Genotype likelihoods",
                   reading.likelihoods == "auto" ? "of reads, and of files that call few of their sites"
                                                 : reading.likelihoods + " of each file"});
    all.push_back({"contamination", reading.contamination ? Json(*reading.contamination) : Json("auto"),
                   "Another person's share of the reads",
                   reading.contamination ? fmt::format("{:g}", *reading.contamination)
                                         : "as each file of reads shows"});
  }
  all.push_back({"reference", text_or_null(reading.reference), "Reference genome", reading.reference});
}

void add_searched(const match::MatchTable& matches, std::vector<Parameter>& all) {
  const match::SearchedRows& rows = matches.provenance.searched;
  all.push_back({"only", text_or_null(rows.only), "Tags of the profiles searched", rows.only});
  all.push_back({"ids_sha256", text_or_null(rows.ids_sha256), "SHA-256 of the list of those searched",
                 rows.ids_sha256});
  all.push_back({"exclude_sha256", text_or_null(rows.exclude_sha256), "SHA-256 of the list of those left out",
                 rows.exclude_sha256});
  all.push_back({"searched", rows.n_profiles, "Searched", searched_text(matches)});
  all.push_back({"expired", rows.n_expired, "Expired and left out",
                 rows.n_expired > 0 ? with_commas(rows.n_expired) : ""});
}

}  // namespace

std::string searched_text(const match::MatchTable& matches) {
  const match::Provenance& from = matches.provenance;
  const std::string all = counted(from.n_profiles, match::stored(matches));
  return from.searched.n_profiles == from.n_profiles
             ? all
             : fmt::format("{} of {}", with_commas(from.searched.n_profiles), all);
}

std::string drop_out_text(const match::EvidenceParameters& evidence) {
  if (evidence.drop_outs.empty()) return "of each contributor by what the mixture shows";
  return fmt::format("{:g}", fmt::join(evidence.drop_outs, ", "));
}

std::string shares_text(const match::EvidenceParameters& evidence) {
  if (evidence.shares.empty()) return "of each contributor by the reads of the mixture";
  return fmt::format("{:g}", fmt::join(evidence.shares, ", "));
}

std::vector<Parameter> parameters(const match::MatchTable& matches) {
  std::vector<Parameter> all = {
      {"by", match::name_of_compared(matches.by), "Compared by",
       matches.by == Encoding::kAlleles ? "alleles" : "bits: whether a minor allele was seen"}};
  add_rule(matches, all);
  add_evidence(matches, all);
  add_reading(matches.provenance.reading, all);
  add_searched(matches, all);
  const bool skipped = matches.provenance.skip_checksums;
  all.push_back({"skip_checksums", skipped, "Checksums of the blocks", skipped ? "not checked" : "checked"});
  return all;
}

Json parameters_json(const match::MatchTable& matches) {
  Json object = Json::object();
  for (Parameter& parameter : parameters(matches)) object[parameter.name] = std::move(parameter.value);
  return object;
}

}  // namespace fastid::report
