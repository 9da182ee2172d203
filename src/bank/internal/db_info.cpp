#include "bank/internal/db_info.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string_view>

#include "bank/internal/database_page.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "db/linked_panel.hpp"
#include "report/columns.hpp"

namespace fastid::bank {
namespace {

std::string joined(const std::vector<std::string>& words) {
  return words.empty() ? "none" : fmt::format("{}", fmt::join(words, ", "));
}

using Facts = std::vector<std::pair<std::string, std::string>>;

/// A text on whether every site of every profile is called, as far as that is known without reading profiles.
std::string calls_text(const db::Reader& reader) {
  if (reader.shape().encoding == Encoding::kAlleles) return "not counted; --format html counts them";
  return reader.has_second() ? "some are missing" : "all present";
}

std::string encoding_text(const db::Reader& reader) {
  if (reader.shape().encoding == Encoding::kAlleles) return "alleles: which alleles were seen";
  return "minor: whether a minor allele was seen";
}

std::string sites_text(const SiteClasses& classes, std::uint64_t palindromic) {
  if (classes.parts().empty())
    return fmt::format("{} ({} palindromic)", with_commas(classes.n_sites()), with_commas(palindromic));
  return fmt::format("{}; {} palindromic; {}", classes.describe(), with_commas(palindromic),
                     evidence_text(classes));
}

Facts header_facts(const db::Reader& reader) {
  const db::Header& header = reader.header();
  return {
      {"database", printable(reader.path(), reader.path().size())},
      {"kind", std::string(db::name_of(header.kind))},
      {"profiles", with_commas(header.shape.n_profiles)},
      {"sites", sites_text(SiteClasses(reader.panel()), palindromic_sites(reader.panel()))},
      {"genome build", std::string(name_of(header.build))},
      {"frequencies", population_names(reader.panel())},
      {"encoding", encoding_text(reader)},
      {"calls", calls_text(reader)},
      {"tags", joined(reader.tag_keys())},
      {"policy", header.policy.empty() ? "none" : db::text_of(header.policy)},
      {"file",
       fmt::format("{} bytes, format version {}", with_commas(reader.file_bytes()), header.format_version)},
      {"panel sha256", header.panel_sha256},
      {"content sha256", header.content_sha256.empty() ? "none: an earlier fastid wrote it; an append adds it"
                                                       : header.content_sha256},
      {"created", fmt::format("{} by {}", header.created_utc, header.created_by)}};
}

Facts log_facts(const db::Reader& reader) {
  Facts facts;
  for (const db::LogRecord& record : reader.log())
    facts.push_back(
        {record.action,
         fmt::format("{} {} -> {}{}{}", record.utc, with_commas(record.profiles_before),
                     counted(record.profiles_after, "profile"),
                     record.inputs.empty() ? "" : " from " + counted(record.inputs.size(), "input"),
                     record.reason.empty() ? "" : ": " + record.reason)});
  return facts;
}

constexpr std::array kKin{stats::Relation::kSame,    stats::Relation::kParentChild,
                          stats::Relation::kSibling, stats::Relation::kHalfSibling,
                          stats::Relation::kCousin,  stats::Relation::kUnrelated};

/// Adds how often a relation is named correctly, and in brackets how often none is named.
void add_rates(std::string_view name, double right, double undecided, std::string& rates) {
  rates +=
      fmt::format("{}{} {:.0f}% ({:.0f}%)", rates.empty() ? "" : ", ", name, 100 * right, 100 * undecided);
}

std::string decided_text(const std::string& population, const std::string& rates,
                         std::span<const asking::DegreeRates> degrees) {
  const double times = std::pow(10, stats::kLeastMargin);
  if (degrees.empty())
    return fmt::format(
        "{}: right (undecided), where a relation must be {:g} times as probable as any other: {}", population,
        times, rates);
  std::string by_degree;
  for (const asking::DegreeRates& of : degrees)
    add_rates(of.name, of.right_rate(), of.undecided_rate(), by_degree);
  const auto [fewest, most] = std::ranges::minmax(degrees, {}, &asking::DegreeRates::pairs);
  return fmt::format(
      "{}, of {} to {} simulated pairs of each degree along the map: right (undecided), where a degree must "
      "be "
      "{:g} times as probable as any other: {}",
      population, fewest.pairs, most.pairs, times, by_degree);
}

/// Describes how well relatives can be told, in lines of 80 columns.
std::string kin_text(const std::string& population, const stats::KinPower& kin,
                     std::span<const asking::DegreeRates> degrees) {
  std::string ratios, rates;
  for (const stats::Relation relation : kKin) {
    const stats::KinPower::Kin& of = kin[relation];
    const std::string_view name = stats::name_of(relation);
    if (relation != stats::Relation::kUnrelated)
      ratios += fmt::format("{}{} {:.1f}", ratios.empty() ? "" : ", ", name, of.log10_lr.mean);
    add_rates(name, of.right, of.undecided, rates);
  }
  return wrapped("kin",
                 fmt::format("{}, theta {:g}, unlinked loci: log10 LR expected against unrelated people: {}",
                             population, asking::kPowerParameters.theta, ratios),
                 kTermWidth) +
         wrapped("kin decided", decided_text(population, rates, degrees), kTermWidth);
}

Json json_of(const stats::Expected& expected) {
  return {{"mean", page::rounded(expected.mean)}, {"sd", page::rounded(expected.sd)}};
}

Json json_of(const stats::KinPower& kin, std::span<const asking::DegreeRates> by_degree) {
  Json relations = Json::array();
  for (const stats::Relation relation : kKin) {
    const stats::KinPower::Kin& of = kin[relation];
    relations.push_back({{"relation", stats::name_of(relation)},
                         {"log10_lr", json_of(of.log10_lr)},
                         {"right", of.right},
                         {"undecided", of.undecided},
                         {"wrong", of.wrong}});
  }
  Json degrees = Json::array();
  for (const asking::DegreeRates& of : by_degree)
    degrees.push_back({{"degree", of.name},
                       {"pairs", of.pairs},
                       {"right", of.right},
                       {"undecided", of.undecided},
                       {"wrong", of.pairs - of.right - of.undecided}});
  return {{"least_margin", stats::kLeastMargin},
          {"degrees", std::move(degrees)},
          {"relations", std::move(relations)}};
}

}  // namespace

std::uint64_t palindromic_sites(const Panel& panel) {
  std::uint64_t n = 0;
  for (const Site& site : panel.sites()) n += site.palindromic();
  return n;
}

std::string population_names(const Panel& panel) {
  std::string names;
  for (const Population& population : panel.populations())
    names += (names.empty() ? "" : ", ") + population.name;
  return names.empty() ? "none" : names;
}

std::string power_text(const std::vector<asking::PopulationPower>& powers) {
  std::string text;
  for (const auto& [population, power, kin, degrees] : powers) {
    const std::string limit =
        power.mismatch_limit
            ? fmt::format("fewer than {:g} false matches are expected with up to {} mismatches",
                          asking::kPowerMaxExpected, with_commas(*power.mismatch_limit))
            : "even equal profiles are expected by chance";
    const std::string said = fmt::format(
        "{}, theta {:g}: {}; unrelated people differ at {:.1f} sites, siblings at {:.1f}", population,
        asking::kPowerParameters.theta, limit, power.unrelated.mean, power.siblings.mean);
    text += wrapped("power", said, kTermWidth);
    if (kin) text += kin_text(population, *kin, degrees);
  }
  return text;
}

Json power_json(const std::vector<asking::PopulationPower>& powers) {
  Json all = Json::array();
  for (const auto& [population, power, kin, degrees] : powers)
    all.push_back({{"population", population},
                   {"max_chance_matches", asking::kPowerMaxExpected},
                   {"theta", asking::kPowerParameters.theta},
                   {"error_rate", asking::kPowerParameters.error_rate},
                   {"mismatch_limit", power.mismatch_limit ? Json(*power.mismatch_limit) : Json(nullptr)},
                   {"log10_chance_matches_at_0", page::rounded(power.log10_expected_at_0)},
                   {"log10_match_probability", page::rounded(power.log10_match_probability)},
                   {"max_contributors", power.max_contributors},
                   {"expected_mismatches",
                    {{"same", json_of(power.same)},
                     {"parent_child", json_of(power.parent_child)},
                     {"siblings", json_of(power.siblings)},
                     {"unrelated", json_of(power.unrelated)}}},
                   {"kin", kin ? json_of(*kin, degrees) : Json(nullptr)}});
  return all;
}

std::string evidence_text(const SiteClasses& classes) {
  const std::uint32_t n = classes.count(SiteClass::kAutosomal);
  if (n > 0)
    return fmt::format("evidence counts the {} autosomal {}", with_commas(n), n == 1 ? "site" : "sites");
  return "no autosomal site: nothing counts as evidence";
}

Json classes_json(const SiteClasses& classes) {
  return {{"autosomal", classes.count(SiteClass::kAutosomal)},
          {"par", classes.par_sites()},
          {"x", classes.count(SiteClass::kX)},
          {"y", classes.count(SiteClass::kY)},
          {"m", classes.count(SiteClass::kM)},
          {"left_out", classes.count(SiteClass::kNone)}};
}

std::string no_power_text(const SiteClasses& classes) {
  if (classes.has(SiteClass::kAutosomal)) return {};
  std::string text = "no autosomal site";
  for (const SiteClass of : {SiteClass::kY, SiteClass::kM})
    if (classes.has(of)) text += fmt::format("; {} is one haplotype", name_of(of));
  return text;
}

std::string info_text(const db::Reader& reader) {
  std::string text;
  for (const Facts& facts : {header_facts(reader), log_facts(reader)})
    for (const auto& [name, value] : facts) text += fmt::format("{:<{}}{}\n", name, kTermWidth, value);
  if (const std::string none = no_power_text(SiteClasses(reader.panel())); !none.empty())
    return text + wrapped("power", none, kTermWidth);
  if (const std::string linked = db::linkage_warning(reader); !linked.empty())
    text += wrapped("linked", linked, kTermWidth);
  return text + power_text(asking::panel_powers(reader));
}

std::string info_json(const db::Reader& reader) {
  const db::Header& header = reader.header();
  Json log = Json::array();
  for (const db::LogRecord& record : reader.log()) {
    Json inputs = Json::array();
    for (const db::LogInput& input : record.inputs)
      inputs.push_back({{"name", input.name}, {"sha256", input.sha256}, {"profiles", input.profiles}});
    Json line = {{"action", record.action},
                 {"command", record.command},
                 {"created_by", record.created_by},
                 {"utc", record.utc},
                 {"profiles_before", record.profiles_before},
                 {"profiles_after", record.profiles_after},
                 {"inputs", std::move(inputs)}};
    if (record.pruned_r2) line["pruned_r2"] = *record.pruned_r2;
    if (!record.reason.empty()) line["reason"] = record.reason;
    if (!record.ids_sha256.empty()) line["profile_ids_sha256"] = record.ids_sha256;
    if (!record.ids.empty()) line["profile_ids"] = record.ids;
    log.push_back(std::move(line));
  }
  Json populations = Json::array();
  for (const Population& population : reader.panel().populations()) populations.push_back(population.name);
  const bool minor = header.shape.encoding == Encoding::kMinor;
  const Json all_called = minor ? Json(!reader.has_second()) : Json(nullptr);  // null: not known unread
  const std::string linked = db::linkage_warning(reader);
  const Json document = {{"database", reader.path()},
                         {"format_version", header.format_version},
                         {"encoding", db::name_of(header.shape.encoding)},
                         {"kind", db::name_of(header.kind)},
                         {"n_profiles", header.shape.n_profiles},
                         {"n_sites", header.shape.n_sites},
                         {"sites", classes_json(SiteClasses(reader.panel()))},
                         {"palindromic_sites", palindromic_sites(reader.panel())},
                         {"genome_build", name_of(header.build)},
                         {"populations", std::move(populations)},
                         {"all_called", all_called},
                         {"tags", reader.tag_keys()},
                         {"policy", db::text_of(header.policy)},
                         {"file_bytes", reader.file_bytes()},
                         {"panel_sha256", header.panel_sha256},
                         {"content_sha256", header.content_sha256},
                         {"profiles_sha256", reader.profiles_sha256()},
                         {"created_by", header.created_by},
                         {"created_utc", header.created_utc},
                         {"log", std::move(log)},
                         {"linkage_warning", linked.empty() ? Json(nullptr) : Json(linked)},
                         {"power", power_json(asking::panel_powers(reader))}};
  return document.dump(2) + '\n';
}

std::string info_html(const db::Reader& reader, std::size_t threads, ProgressMode progress) {
  fastid::bank::DatabasePage page{
      .name = reader.path(), .n_profiles = reader.shape().n_profiles, .facts = header_facts(reader)};
  for (auto& fact : log_facts(reader)) page.facts.push_back(std::move(fact));
  if (std::string none = no_power_text(SiteClasses(reader.panel())); !none.empty())
    page.facts.emplace_back("power", std::move(none));
  page.linked = db::linkage_warning(reader);
  asking::CallSurvey survey = asking::survey_calls(reader, threads, progress);
  for (std::size_t s = 0; s < survey.called.size(); ++s) {
    page.call_rates.push_back(static_cast<double>(survey.called[s]) / static_cast<double>(page.n_profiles));
    if (survey.called[s] > 0)
      page.carrier_shares.push_back(static_cast<double>(survey.carriers[s]) /
                                    static_cast<double>(survey.called[s]));
  }
  page.profiles_by_called = std::move(survey.profiles_by_called);
  for (const Population& population : reader.panel().populations())
    page.populations.push_back({population.name, population.minor_freq});
  for (auto& [population, power, kin, degrees] : asking::panel_powers(reader))
    page.powers.push_back({population, power, kin, degrees});
  page.max_expected = asking::kPowerMaxExpected;
  page.theta = asking::kPowerParameters.theta;
  return fastid::bank::html(page);
}

}  // namespace fastid::bank
