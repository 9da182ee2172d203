#include "questions/dvi/print.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <optional>
#include <vector>

#include "base/build_info.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "page/figures.hpp"
#include "stats/log_number.hpp"

namespace fastid::dvi {
namespace {

/// Number of a component's assignments that are always listed, and the most that are listed while they have a
/// posterior.
constexpr std::size_t kListedAnyway = 50, kListedAtMost = 1000;
constexpr double kListedPosterior = 1e-9;

std::string cell_of(const std::optional<double>& ratio) {
  return !ratio || std::isnan(*ratio) ? "NA" : page::ratio_text(*ratio, stats::kRatioDecimals);
}

std::string line_of(const std::vector<std::string>& cells) {
  return fmt::format("{}\n", fmt::join(cells, "\t"));
}

const std::vector<std::string> kMainHead = {"family",    "missing",     "person",      "remains",
                                            "log10_lr",  "expected_lr", "expected_sd", "log10_glr",
                                            "posterior", "conclusion",  "remark"};

std::vector<std::string> main_cells(const fastid::dvi::Table& found, std::size_t m) {
  const fastid::dvi::Missing& of = found.findings.missing[m];
  const bool nobody = of.people.empty();
  std::size_t remains = 0;
  for (std::size_t i = 0; i < of.n_best; ++i) remains += found.findings.people[of.people[i]].remains.size();
  const auto expected = [&](double stats::ExpectedRatio::*part) {
    return of.expected ? cell_of((*of.expected).*part) : "NA";
  };
  return {found.family_of_missing(m),
          found.name_of_missing(m),
          victims_person(found, m),
          nobody ? "0" : std::to_string(remains),
          cell_of(of.best_lr),
          expected(&stats::ExpectedRatio::mean),
          expected(&stats::ExpectedRatio::deviation),
          cell_of(of.glr),
          of.posterior ? fmt::format("{:.6f}", *of.posterior) : "NA",
          fastid::dvi::name_of(of.conclusion),
          victims_remark(found, m)};
}

std::string assignment_text(const fastid::dvi::Table& found, const fastid::dvi::Component& component,
                            const fastid::dvi::Assignment& assignment) {
  std::string text;
  for (std::size_t i = 0; i < component.missing.size(); ++i)
    text += fmt::format("{}{}={}", i == 0 ? "" : ",", found.name_of_missing(component.missing[i]),
                        assignment.person[i] ? found.name_of_person(*assignment.person[i]) : "*");
  return text;
}

/// The posteriors of the assignments that are listed.
std::vector<double> listed_posteriors(const fastid::dvi::Component& component) {
  std::vector<double> posteriors;
  double sum = 0;
  for (const fastid::dvi::Assignment& of : component.assignments)
    sum += std::pow(10, of.log10_weight - component.assignments[0].log10_weight);
  for (const fastid::dvi::Assignment& of : component.assignments) {
    const double share = std::pow(10, of.log10_weight - component.assignments[0].log10_weight) / sum;
    const std::size_t n = posteriors.size();
    if (n >= kListedAtMost || (n >= kListedAnyway && share < kListedPosterior)) break;
    posteriors.push_back(share);
  }
  return posteriors;
}

Json number(const std::optional<double>& value) {
  if (!value || !std::isfinite(*value)) return nullptr;
  return *value;
}

Json json_of(const fastid::dvi::Table& found, std::size_t m) {
  const fastid::dvi::Missing& of = found.findings.missing[m];
  Json people = Json::array(), rivals = Json::array(), ratios = Json::array(), suspects = Json::array(),
       alike = Json::array();
  for (std::size_t i = 0; i < of.people.size(); ++i)
    (i < of.n_best ? people : rivals).push_back(found.name_of_person(of.people[i]));
  for (const double ratio : of.log10_lr) ratios.push_back(number(ratio));
  for (const fastid::dvi::Suspect& suspect : of.suspects)
    suspects.push_back({{"member", found.families[of.family].members[suspect.member].name},
                        {"person", found.name_of_person(suspect.person)},
                        {"log10_lr_without", number(suspect.log10_lr)}});
  if (of.alike.size() > 1)
    for (const std::size_t other : of.alike) alike.push_back(found.name_of_missing(other));
  Json json{{"family", found.family_of_missing(m)},
            {"missing", found.name_of_missing(m)},
            {"people", people},
            {"rivals", rivals},
            {"alike", alike},
            {"log10_lr", number(of.best_lr)},
            {"expected_lr", of.expected ? number(of.expected->mean) : Json()},
            {"expected_sd", of.expected ? number(of.expected->deviation) : Json()},
            {"log10_glr", number(of.glr)},
            {"posterior", number(of.posterior)},
            {"conclusion", fastid::dvi::name_of(of.conclusion)},
            {"suspects", suspects},
            {"log10_lr_of_people", ratios}};
  if (const auto& power = found.findings.power[m])
    json["power"] = {{"true_mean", number(power->member.mean)},
                     {"true_sd", number(power->member.deviation)},
                     {"stranger_mean", number(power->stranger.mean)},
                     {"stranger_sd", number(power->stranger.deviation)},
                     {"log10_not_excluded", number(power->log10_not_excluded)}};
  return json;
}

}  // namespace

std::string victims_person(const fastid::dvi::Table& found, std::size_t missing) {
  const fastid::dvi::Missing& of = found.findings.missing[missing];
  if (of.people.empty()) return "*";
  std::vector<std::string> names;
  for (const std::size_t person : of.people) names.push_back(found.name_of_person(person));
  return fmt::format("{}", fmt::join(names, "/"));
}

std::string victims_remark(const fastid::dvi::Table& found, std::size_t missing) {
  const fastid::dvi::Missing& of = found.findings.missing[missing];
  std::vector<std::string> remarks;
  if (of.conclusion == Conclusion::kSymmetric) {
    std::vector<std::string> names;
    for (const std::size_t other : of.alike) names.push_back(found.name_of_missing(other));
    remarks.push_back(
        of.n_best < names.size()
            ? fmt::format("{} of {}, who cannot be told apart", of.n_best, fmt::join(names, ", "))
            : fmt::format("cannot be told apart: {}", fmt::join(names, ", ")));
  }
  if (of.conclusion == Conclusion::kDisputed) {
    std::vector<std::string> names;
    for (std::size_t i = of.n_best; i < of.people.size(); ++i)
      names.push_back(found.name_of_person(of.people[i]));
    remarks.push_back(fmt::format("as probable by itself: {}", fmt::join(names, ", ")));
  }
  if (of.left_out) remarks.push_back(fmt::format("candidates below 10^{:.1f} were left out", *of.left_out));
  for (const fastid::dvi::Suspect& suspect : of.suspects)
    remarks.push_back(fmt::format("without {}: {} {:.1f}",
                                  found.families[of.family].members[suspect.member].name,
                                  found.name_of_person(suspect.person), suspect.log10_lr));
  return fmt::format("{}", fmt::join(remarks, "; "));
}

std::string victims_tsv(const fastid::dvi::Table& found) {
  std::string text = line_of(kMainHead);
  for (std::size_t m = 0; m < found.findings.missing.size(); ++m) text += line_of(main_cells(found, m));
  return text;
}

std::string victims_table(const fastid::dvi::Table& found) {
  std::vector<std::vector<std::string>> lines = {kMainHead};
  for (std::size_t m = 0; m < found.findings.missing.size(); ++m) lines.push_back(main_cells(found, m));
  std::vector<bool> words(kMainHead.size());
  for (const std::size_t column : {0, 1, 2, 9, 10}) words[column] = true;
  return aligned(lines, words, "  ");
}

std::string victims_matrix(const fastid::dvi::Table& found) {
  std::string text = "family\tmissing\tperson\tlog10_lr\n";
  for (std::size_t m = 0; m < found.findings.missing.size(); ++m) {
    const std::vector<double>& ratios = found.findings.missing[m].log10_lr;
    for (std::size_t v = 0; v < ratios.size(); ++v)
      text += line_of({found.family_of_missing(m), found.name_of_missing(m), found.name_of_person(v),
                       cell_of(ratios[v])});
  }
  return text;
}

std::string victims_people(const fastid::dvi::Table& found) {
  std::string text = "person\tremains\tcalled_sites\tsex\n";
  for (std::size_t v = 0; v < found.findings.people.size(); ++v) {
    const fastid::dvi::Person& person = found.findings.people[v];
    text += line_of({found.name_of_person(v), std::to_string(person.remains.size()),
                     std::to_string(person.called),
                     person.sex ? std::string(fastid::name_of(*person.sex)) : "NA"});
  }
  return text;
}

std::string victims_assignments(const fastid::dvi::Table& found) {
  std::string text = "component\trank\tlog10_weight\tposterior\tassignment\n";
  for (std::size_t c = 0; c < found.findings.components.size(); ++c) {
    const fastid::dvi::Component& component = found.findings.components[c];
    const std::vector<double> posteriors = listed_posteriors(component);
    for (std::size_t i = 0; i < posteriors.size(); ++i)
      text += line_of({std::to_string(c + 1), std::to_string(i + 1),
                       cell_of(component.assignments[i].log10_weight), fmt::format("{:.8f}", posteriors[i]),
                       assignment_text(found, component, component.assignments[i])});
  }
  return text;
}

std::string victims_families(const fastid::dvi::Table& found) {
  std::string text =
      "family\tmember\tmissing\tlog10_pedigree_v_unrelated\ttrue_mean\ttrue_sd\tstranger_mean\t"
      "stranger_sd\tlog10_not_excluded\n";
  for (std::size_t f = 0; f < found.families.size(); ++f)
    for (std::size_t i = 0; i < found.families[f].members.size(); ++i) {
      std::optional<stats::FamilyPower> power;
      bool is_missing = false;
      for (std::size_t m = 0; m < found.findings.missing.size(); ++m)
        if (found.findings.missing[m].family == f && found.findings.missing[m].member == i) {
          is_missing = true;
          power = found.findings.power[m];
        }
      std::vector<std::string> cells = {found.families[f].name, found.families[f].members[i].name,
                                        is_missing ? "yes" : "no", cell_of(found.findings.consistency[f][i])};
      const auto add = [&](double value) { cells.push_back(power ? cell_of(value) : "NA"); };
      add(power ? power->member.mean : 0);
      add(power ? power->member.deviation : 0);
      add(power ? power->stranger.mean : 0);
      add(power ? power->stranger.deviation : 0);
      add(power ? power->log10_not_excluded : 0);
      text += line_of(cells);
    }
  return text;
}

std::string victims_json(const fastid::dvi::Table& found) {
  Json missing = Json::array(), people = Json::array(), families = Json::array(), components = Json::array(),
       typed = Json::array();
  for (std::size_t m = 0; m < found.findings.missing.size(); ++m) missing.push_back(json_of(found, m));
  for (std::size_t v = 0; v < found.findings.people.size(); ++v) {
    const fastid::dvi::Person& person = found.findings.people[v];
    Json remains = Json::array();
    for (const std::size_t i : person.remains) remains.push_back(found.remains[i]);
    people.push_back({{"person", found.name_of_person(v)},
                      {"remains", remains},
                      {"called_sites", person.called},
                      {"sex", person.sex ? Json(std::string(fastid::name_of(*person.sex))) : Json()}});
  }
  for (std::size_t f = 0; f < found.families.size(); ++f) {
    Json members = Json::array();
    for (std::size_t i = 0; i < found.families[f].members.size(); ++i)
      members.push_back({{"name", found.families[f].members[i].name},
                         {"log10_pedigree_v_unrelated", number(found.findings.consistency[f][i])}});
    families.push_back({{"family", found.families[f].name}, {"members", members}});
  }
  for (const fastid::dvi::Component& component : found.findings.components) {
    Json names = Json::array(), assignments = Json::array();
    for (const std::size_t m : component.missing) names.push_back(found.name_of_missing(m));
    const std::vector<double> posteriors = listed_posteriors(component);
    for (std::size_t i = 0; i < posteriors.size(); ++i) {
      Json assigned = Json::array();
      for (const auto& person : component.assignments[i].person)
        assigned.push_back(person ? Json(found.name_of_person(*person)) : Json());
      assignments.push_back({{"log10_weight", number(component.assignments[i].log10_weight)},
                             {"posterior", posteriors[i]},
                             {"people", assigned}});
    }
    components.push_back({{"missing", names},
                          {"assignments", component.assignments.size()},
                          {"most_probable", assignments},
                          {"least_log10_lr", component.least_lr}});
  }
  for (const fastid::dvi::InputFile& file : found.typed)
    typed.push_back({{"file", file.path}, {"sha256", file.sha256}});
  const Json document{{"format", "fastid-dvi"},
                      {"format_version", 1},
                      {"missing", missing},
                      {"people", people},
                      {"families", families},
                      {"components", components},
                      {"rules",
                       {{"lr", found.rules.bar},
                        {"posterior", found.rules.posterior},
                        {"log10_odds", found.findings.log10_odds},
                        {"pool", found.rules.pool},
                        {"max_assignments", found.rules.most_assignments},
                        {"priors", found.rules.factors.size()}}},
                      {"sites", found.n_sites},
                      {"provenance",
                       {{"program", "fastid"},
                        {"version", version()},
                        {"revision", revision()},
                        {"populations", found.populations},
                        {"theta", found.theta},
                        {"error_rate", found.error_rate},
                        {"blocks", found.blocks.empty() ? Json() : Json(found.blocks)},
                        {"families", found.family_file.path},
                        {"families_sha256", found.family_file.sha256},
                        {"typed", typed},
                        {"database", found.database},
                        {"database_sha256", found.content_sha256}}}};
  return document.dump(2) + '\n';
}

}  // namespace fastid::dvi
