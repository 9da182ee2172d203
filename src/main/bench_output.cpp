#include "main/bench_output.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/build_info.hpp"
#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/common.hpp"
#include "main/bench_line.hpp"

namespace fastid::cli {
namespace {

using bench::Limit;
using bench::Peak;
using bench::Report;
using bench::Result;
using bench::task_of;
using Cells = BenchCells;

std::string rate_text(const Peak& peak) {
  return peak.bytes ? fmt::format("{:.1f} GB/s", peak.rate / kGiga)
                    : fmt::format("{:.3g} Tbit/s", peak.rate / kTera);
}

/// "91 % of comparing".
std::string share_text(const Result& result) {
  if (!result.limit) return "-";
  return fmt::format("{:.0f} % {}", kPercent * result.share, name_of(*result.limit));
}

std::string task_text(const Result& result) {
  const std::string task(task_of(result.point));
  return result.point.max_count ? fmt::format("{} <={}", task, *result.point.max_count) : task;
}

Cells table_line(const Result& result) {
  const bench::Point& point = result.point;
  const bool masks_database = point.masks == bench::Masks::kStored;
  return {task_text(result),
          masks_database ? "db" : std::string(name_of(point.masks)),
          with_commas(point.queries),
          with_commas(point.profiles),
          with_commas(point.sites),
          std::string(source_of(result) == "memory" ? "mem" : source_of(result)),
          fmt::format("{:.2f}", kMilli * result.seconds),
          fmt::format("{:.3g}", result.rate / kTera),
          share_text(result)};
}

std::string peaks_table(const Report& report) {
  std::string text = fmt::format("The machine's best, {}, medians:\n", counted(report.threads, "thread"));
  for (const Peak& peak : report.peaks)
    text += fmt::format("  {:<24} {:>12}{}{}\n", peak.name, rate_text(peak),
                        peak.instructions.empty() ? "" : "  ", peak.instructions);
  return text;
}

std::string device_table(const Report& report, const std::string& device) {
  std::vector<Cells> lines = {
      {"task", "masks", "queries", "profiles", "sites", "from", "ms", "Tbit/s", "of the bound"}};
  for (const Result& result : report.results)
    if (result.device == device) lines.push_back(table_line(result));
  std::vector<bool> words(lines[0].size());
  words[0] = words[1] = words.back() = true;
  return '\n' + device + '\n' + aligned(lines, words, " ");
}

/// The devices of a report without repeats, in the order of the report.
std::vector<std::string> devices_of(const Report& report) {
  std::vector<std::string> devices;
  for (const Result& result : report.results)
    if (std::ranges::find(devices, result.device) == devices.end()) devices.push_back(result.device);
  return devices;
}

// ---- tsv
// --------------------------------------------------------------------------------------------------------

std::string tsv_line(const Result& result) {
  const bench::Point& point = result.point;
  BenchLine line;
  line.set("kind", "point").set("name", std::string(task_of(point))).set("device", result.device);
  line.set("masks", std::string(name_of(point.masks))).set("source", std::string(source_of(result)));
  line.set("queries", point.queries).set("profiles", point.profiles).set("sites", std::uint64_t{point.sites});
  if (point.max_count) line.set("most", std::uint64_t{*point.max_count});
  line.set("repeats", std::uint64_t{result.repeats}).set("seconds", result.seconds);
  line.set("rate", result.rate).set("unit", "bit/s");
  if (result.limit) line.set("bound", std::string(name_of(*result.limit))).set("share", result.share);
  constexpr std::array<std::string_view, bench::kLimits> kLimitColumns = {"compare_limit_s", "memory_limit_s",
                                                                          "file_limit_s", "upload_limit_s"};
  for (std::size_t i = 0; i < bench::kLimits; ++i)
    if (result.limits[i] > 0) line.set(kLimitColumns[i], result.limits[i]);
  return line.text();
}

std::string tsv_line(const Peak& peak) {
  return BenchLine()
      .set("kind", "peak")
      .set("name", peak.name)
      .set("rate", peak.rate)
      .set("unit", peak.bytes ? "byte/s" : "bit/s")
      .text();
}

// ---- json
// -------------------------------------------------------------------------------------------------------

Json json_of(const Peak& peak) {
  return {{"name", peak.name},
          {"instructions", peak.instructions},
          {"rate", peak.rate},
          {"unit", peak.bytes ? "byte/s" : "bit/s"}};
}

Json json_of(const Result& result) {
  const bench::Point& point = result.point;
  Json limits = Json::object();
  for (std::size_t i = 0; i < bench::kLimits; ++i)
    if (result.limits[i] > 0) limits[std::string(name_of(static_cast<Limit>(i)))] = result.limits[i];
  const bench::StageSeconds& stages = result.stages;
  return {{"device", result.device},
          {"task", task_of(point)},
          {"masks", name_of(point.masks)},
          {"source", source_of(result)},
          {"queries", point.queries},
          {"profiles", point.profiles},
          {"sites", point.sites},
          {"max_count", point.max_count ? Json(*point.max_count) : Json()},
          {"repeats", result.repeats},
          {"seconds", result.seconds},
          {"best_seconds", result.best_seconds},
          {"bits_per_second", result.rate},
          {"limit_seconds", limits},
          {"bound", result.limit ? Json(name_of(*result.limit)) : Json()},
          {"share_of_bound", result.limit ? Json(result.share) : Json()},
          {"stage_seconds",
           {{"open", stages.open},
            {"read", stages.read},
            {"upload", stages.upload},
            {"compare", stages.compare},
            {"fetch", stages.fetch}}}};
}

}  // namespace

Json bench_document(const std::vector<std::string>& engines) {
  return {{"program", fmt::format("fastid {} (revision {})", version(), revision())},
          {"command_line", command_line()},
          {"utc", utc_clock()},
          {"engines", engines}};
}

std::string bench_table(const Report& report) {
  std::string text;
  for (const std::string& engine : report.engines) text += engine + '\n';
  if (!report.peaks.empty()) text += '\n' + peaks_table(report);
  for (const std::string& device : devices_of(report)) text += device_table(report, device);
  if (report.start_up)
    text += fmt::format("\nStart-up: search of 1 query in {} profiles, the whole process: {:.1f} ms\n",
                        with_commas(report.start_up->profiles), kMilli * report.start_up->seconds);
  return text;
}

std::string bench_tsv(const Report& report) {
  std::string text = bench_head();
  for (const Peak& peak : report.peaks) text += tsv_line(peak);
  for (const Result& result : report.results) text += tsv_line(result);
  if (report.start_up)
    text += BenchLine()
                .set("kind", "start-up")
                .set("queries", std::uint64_t{1})
                .set("profiles", report.start_up->profiles)
                .set("repeats", std::uint64_t{report.start_up->repeats})
                .set("seconds", report.start_up->seconds)
                .text();
  return text;
}

std::string bench_json(const Report& report) {
  Json document = bench_document(report.engines);
  document["threads"] = report.threads;
  document["peaks"] = Json::array();
  document["points"] = Json::array();
  document["start_up"] = nullptr;
  for (const Peak& peak : report.peaks) document["peaks"].push_back(json_of(peak));
  for (const Result& result : report.results) document["points"].push_back(json_of(result));
  if (report.start_up)
    document["start_up"] = {{"profiles", report.start_up->profiles},
                            {"repeats", report.start_up->repeats},
                            {"seconds", report.start_up->seconds}};
  return document.dump(2) + '\n';
}

}  // namespace fastid::cli
