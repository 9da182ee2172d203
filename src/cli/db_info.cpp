#include "cli/db_info.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/text.hpp"

namespace fastid::cli {
namespace {

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

}  // namespace

std::string info_text(const db::Reader& reader) {
  const db::Header& header = reader.header();
  std::string text;
  const auto line = [&text](const char* name, const std::string& value) {
    text += fmt::format("{:<14} {}\n", name, value);
  };
  line("database", reader.path());
  line("kind", std::string(db::name_of(header.kind)));
  line("profiles", with_commas(header.shape.n_profiles));
  line("sites", fmt::format("{} ({} palindromic)", with_commas(header.shape.n_sites),
                            with_commas(palindromic_sites(reader.panel()))));
  line("genome build", std::string(name_of(header.build)));
  line("frequencies", population_names(reader.panel()));
  line("calls", reader.has_called() ? "some are missing" : "all present");
  line("file",
       fmt::format("{} bytes, format version {}", with_commas(reader.file_bytes()), header.format_version));
  line("panel sha256", header.panel_sha256);
  line("content xxh3", reader.content_checksum());
  line("created", fmt::format("{} by {}", header.created_utc, header.created_by));
  for (const db::LogRecord& record : reader.log())
    line(record.action.c_str(),
         fmt::format("{} {} -> {} from {}", record.utc, with_commas(record.profiles_before),
                     counted(record.profiles_after, "profile"), counted(record.inputs.size(), "input")));
  return text;
}

std::string info_json(const db::Reader& reader) {
  using Json = nlohmann::ordered_json;
  const db::Header& header = reader.header();
  Json log = Json::array();
  for (const db::LogRecord& record : reader.log()) {
    Json inputs = Json::array();
    for (const db::LogInput& input : record.inputs)
      inputs.push_back({{"name", input.name}, {"sha256", input.sha256}, {"profiles", input.profiles}});
    log.push_back({{"action", record.action},
                   {"command", record.command},
                   {"created_by", record.created_by},
                   {"utc", record.utc},
                   {"profiles_before", record.profiles_before},
                   {"profiles_after", record.profiles_after},
                   {"inputs", std::move(inputs)}});
  }
  Json populations = Json::array();
  for (const Population& population : reader.panel().populations()) populations.push_back(population.name);
  const Json document = {{"database", reader.path()},
                         {"format_version", header.format_version},
                         {"kind", db::name_of(header.kind)},
                         {"n_profiles", header.shape.n_profiles},
                         {"n_sites", header.shape.n_sites},
                         {"palindromic_sites", palindromic_sites(reader.panel())},
                         {"genome_build", name_of(header.build)},
                         {"populations", std::move(populations)},
                         {"all_called", !reader.has_called()},
                         {"file_bytes", reader.file_bytes()},
                         {"panel_sha256", header.panel_sha256},
                         {"content_xxh3", reader.content_checksum()},
                         {"created_by", header.created_by},
                         {"created_utc", header.created_utc},
                         {"log", std::move(log)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace fastid::cli
