// A validation as json, and in a few lines.
#include <fmt/format.h>

#include "base/json.hpp"
#include "base/text.hpp"
#include "report/validation.hpp"

namespace fastid::report {
namespace {

constexpr int kSchema = 1;

Json json_of(const Table& table) {
  return {{"caption", table.caption}, {"columns", table.head}, {"rows", table.rows}};
}

Json json_of(const Result& result) {
  Json checks = Json::array(), tables = Json::array();
  for (const Check& check : result.checks)
    checks.push_back(
        {{"what", check.what}, {"wanted", check.wanted}, {"found", check.found}, {"met", check.met}});
  for (const Table& table : result.tables) tables.push_back(json_of(table));
  return {{"id", result.id},
          {"title", result.title},
          {"requirement", result.requirement},
          {"method", result.method},
          {"outcome", name_of(result.outcome)},
          {"note", result.note},
          {"checks", std::move(checks)},
          {"tables", std::move(tables)},
          {"seconds", result.seconds},
          {"processor_seconds", result.processor_seconds}};
}

Json recommendations_json(const std::vector<Recommendation>& recommendations) {
  Json all = Json::array();
  for (const Recommendation& one : recommendations) {
    Json tests = Json::array();
    for (const std::string_view id : split_blanks(one.tests)) tests.push_back(id);
    all.push_back(
        {{"source", one.source}, {"item", one.item}, {"tests", std::move(tests)}, {"besides", one.besides}});
  }
  return all;
}

}  // namespace

std::string json(const Validation& validation) {
  Json program = Json::object(), materials = Json::array(), results = Json::array();
  for (const auto& [name, value] : validation.program) program[name] = value;
  for (const Material& material : validation.materials)
    materials.push_back(
        {{"name", material.name}, {"content", material.content}, {"sha256", material.checksum}});
  for (const Result& result : validation.results) results.push_back(json_of(result));
  const Json document{{"schema", kSchema},
                      {"passed", validation.passed()},
                      {"quick", validation.quick},
                      {"seed", validation.seed},
                      {"command", validation.command},
                      {"started_utc", validation.started_utc},
                      {"ended_utc", validation.ended_utc},
                      {"seconds", validation.seconds},
                      {"processor_seconds", validation.processor_seconds},
                      {"program", std::move(program)},
                      {"materials", std::move(materials)},
                      {"tests", std::move(results)},
                      {"recommendations", recommendations_json(validation.recommendations)}};
  return document.dump(2) + '\n';
}

std::string text(const Validation& validation) {
  constexpr std::size_t kIndent = 9;
  std::string lines;
  for (const Result& result : validation.results) {
    const std::string counted_checks =
        result.failed_checks() == 0
            ? counted(result.checks.size(), "check")
            : fmt::format("{} of {}", result.failed_checks(), counted(result.checks.size(), "check"));
    lines += fmt::format("{:<8} {:<15} {:<40} {}\n", name_of(result.outcome), result.id, result.title,
                         result.outcome == Outcome::kNotRun ? "" : counted_checks);
    if (!result.note.empty()) lines += wrapped("", printable(result.note, 400), kIndent);
    for (const Check& check : result.checks)
      if (!check.met)
        lines += wrapped("", fmt::format("{}: wanted {}; found {}", check.what, check.wanted, check.found),
                         kIndent);
  }
  return lines;
}

}  // namespace fastid::report
