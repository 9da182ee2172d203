// For scripts and records: the same columns as tsv, with ties and provenance.
#include <nlohmann/json.hpp>

#include "base/build_info.hpp"
#include "report/columns.hpp"
#include "report/report.hpp"

namespace fastid::report {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Cell& cell) {
  return std::visit(
      [](const auto& value) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::monostate>)
          return nullptr;
        else
          return value;
      },
      cell);
}

const char* name_of(Comparison comparison) {
  switch (comparison) {
    case Comparison::kIdentity:
      return "identity";
    case Comparison::kMixture:
      return "mixture";
    case Comparison::kReverseMixture:
      break;
  }
  return "reverse-mixture";
}

Json json_of(const MatchTable& matches, const QueryMatches& query) {
  Json rows = Json::array();
  for (const MatchRow& row : query.rows) {
    Json line;
    for (const Column& column : columns(matches.comparison))
      line[column.name] = json_of(column.cell(query, row));
    rows.push_back(std::move(line));
  }
  return {{"name", query.name},
          {"file", query.file},
          {"file_sha256", query.sha256},
          {"called_sites", query.called_sites},
          {"minor_alleles", query.minor_alleles},
          {"ties_cut", query.ties_cut},
          {"matches", std::move(rows)}};
}

Json json_of(const Provenance& from) {
  const auto limit = [](auto value, auto none) { return value == none ? Json(nullptr) : Json(value); };
  return {{"program", "fastid"},
          {"version", version()},
          {"revision", revision()},
          {"database",
           {{"path", from.database},
            {"kind", from.database_kind},
            {"format_version", from.format_version},
            {"n_profiles", from.n_profiles},
            {"n_sites", from.n_sites},
            {"genome_build", from.genome_build},
            {"panel_sha256", from.panel_sha256},
            {"content_xxh3", from.content_xxh3}}},
          {"parameters",
           {{"top", limit(from.rule.top, KeepRule::kAll)},
            {"max_count", limit(from.rule.max_count, UINT32_MAX)},
            {"min_compared", from.rule.min_compared},
            {"ignore_build", from.ignore_build},
            {"absent_as_reference", from.absent_as_reference}}}};
}

Json json_of(const RunInfo& run) {
  return {{"command_line", run.command_line},
          {"engine", run.engine},
          {"description", run.description},
          {"started_utc", run.started_utc},
          {"lanes", run.lanes},
          {"tile_blocks", run.tile_blocks},
          {"peak_memory_bytes", run.peak_memory_bytes},
          {"seconds",
           {{"open", run.open_seconds},
            {"queries", run.query_seconds},
            {"search", run.search_seconds},
            {"total", run.total_seconds}}}};
}

}  // namespace

std::string json(const MatchTable& matches, bool with_run) {
  Json queries = Json::array();
  for (const QueryMatches& query : matches.queries) queries.push_back(json_of(matches, query));
  Json document = {{"format", "fastid-matches"},
                   {"format_version", 1},
                   {"comparison", name_of(matches.comparison)},
                   {"queries", std::move(queries)},
                   {"provenance", json_of(matches.provenance)}};
  if (with_run) document["run"] = json_of(matches.run);
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace fastid::report
