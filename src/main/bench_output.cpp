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
#include "bench/rate.hpp"
#include "cli/common.hpp"

namespace fastid::cli {
namespace {

using bench::DeviceRate;
using bench::EpistasisResult;
using bench::HmmReport;
using bench::HmmResult;
using bench::Limit;
using bench::LinkageResult;
using bench::Peak;
using bench::Report;
using bench::Result;
using bench::SimilarityResult;
using bench::task_of;
using Cells = std::vector<std::string>;

constexpr double kTera = 1e12, kGiga = 1e9, kMilli = 1e3, kPercent = 100;

std::string rate_text(const Peak& peak) {
  return peak.bytes ? fmt::format("{:.1f} GB/s", peak.rate / kGiga)
                    : fmt::format("{:.3g} Tbit/s", peak.rate / kTera);
}

/// "91 % of comparing".
std::string share_text(const Result& result) {
  if (!result.limit) return "-";
  return fmt::format("{:.0f} % {}", kPercent * result.share, name_of(*result.limit));
}

/// "72 %".
std::string share_text(const DeviceRate& result) {
  return result.bound > 0 ? fmt::format("{:.0f} %", kPercent * result.share()) : "-";
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

constexpr std::array<std::string_view, 19> kColumns = {
    "kind",          "name",  "device", "masks",           "source",         "queries",
    "profiles",      "sites", "most",   "repeats",         "seconds",        "rate",
    "unit",          "bound", "share",  "compare_limit_s", "memory_limit_s", "file_limit_s",
    "upload_limit_s"};

/// A line of tsv, in which columns that are not set are NA.
class BenchLine {
 public:
  BenchLine() : cells_(kColumns.size(), "NA") {}

  BenchLine& set(std::string_view column, const std::string& cell) {
    const auto at = std::ranges::find(kColumns, column) - kColumns.begin();
    cells_.at(static_cast<std::size_t>(at)) = cell;
    return *this;
  }
  BenchLine& set(std::string_view column, double number) {
    return set(column, fmt::format("{:.6g}", number));
  }
  BenchLine& set(std::string_view column, std::uint64_t number) {
    return set(column, std::to_string(number));
  }

  std::string text() const { return fmt::format("{}\n", fmt::join(cells_, "\t")); }

 private:
  Cells cells_;
};

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

void set_rate(BenchLine& line, const DeviceRate& result, const std::string& unit) {
  line.set("device", result.device);
  line.set("repeats", std::uint64_t{result.repeats}).set("seconds", result.seconds);
  line.set("rate", result.rate).set("unit", unit);
  if (result.bound > 0) line.set("bound", "comparing").set("share", result.share());
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
  const bench::Stages& stages = result.stages;
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

Json document_head(const std::vector<std::string>& engines) {
  return {{"program", fmt::format("fastid {} (revision {})", version(), revision())},
          {"command_line", command_line()},
          {"utc", utc_clock()},
          {"engines", engines}};
}

std::string_view elements_of(const bench::SimilarityShape& shape) {
  if (!shape.numbers) return "bits";
  return *shape.numbers == RealType::kFloat ? "float" : "double";
}

/// "101 x 162".
std::string shape_text(const HmmResult& result) {
  return fmt::format("{} x {}", result.shape.rows, result.shape.columns);
}

/// A line for each result. \param put  sets what it is a result of
template <class Result, class Put>
std::string rates_tsv(const std::vector<Result>& results, const std::string& unit, const Put& put) {
  std::string text = fmt::format("{}\n", fmt::join(kColumns, "\t"));
  for (const Result& result : results) {
    BenchLine line;
    line.set("kind", "point");
    put(line, result);
    set_rate(line, result, unit);
    text += line.text();
  }
  return text;
}

/// Adds what was measured to what it was measured of.
Json with_rate(Json point, const DeviceRate& result, const std::string& unit) {
  point.update({{"repeats", result.repeats},
                {"seconds", result.seconds},
                {unit, result.rate},
                {"bound_" + unit, result.bound > 0 ? Json(result.bound) : Json()},
                {"share_of_bound", result.bound > 0 ? Json(result.share()) : Json()}});
  return point;
}

/// A document with a point for each result. \param describe  what it is a result of
template <class Result, class Describe>
std::string rates_json(const std::vector<Result>& results, const std::string& unit,
                       const Describe& describe) {
  Json document = document_head({});
  document["points"] = Json::array();
  for (const Result& result : results)
    document["points"].push_back(with_rate(describe(result), result, unit));
  return document.dump(2) + '\n';
}

}  // namespace

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
  std::string text = fmt::format("{}\n", fmt::join(kColumns, "\t"));
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
  Json document = document_head(report.engines);
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

std::string bench_table(const HmmReport& report) {
  std::string text;
  for (const std::string& engine : report.engines) text += engine + '\n';
  std::vector<Cells> lines = {{"device", "read x haplotype", "pairs", "ms", "Gcells/s", "of the bound"}};
  for (const HmmResult& result : report.results)
    lines.push_back({result.device, shape_text(result), with_commas(result.pairs),
                     fmt::format("{:.1f}", kMilli * result.seconds),
                     fmt::format("{:.3g}", result.rate / kGiga), share_text(result)});
  return text + '\n' + aligned(lines, {true, false, false, false, false, false}, "  ");
}

std::string bench_tsv(const HmmReport& report) {
  return rates_tsv(report.results, "cell/s", [](BenchLine& line, const HmmResult& result) {
    line.set("name", "pairhmm " + shape_text(result));
  });
}

std::string bench_json(const HmmReport& report) {
  Json document = document_head(report.engines);
  document["points"] = Json::array();
  for (const HmmResult& result : report.results) {
    Json point = with_rate({{"device", result.device},
                            {"task", "pairhmm"},
                            {"rows", result.shape.rows},
                            {"columns", result.shape.columns},
                            {"pairs", result.pairs}},
                           result, "cells_per_second");
    point["in_double"] = result.rescued;
    document["points"].push_back(std::move(point));
  }
  return document.dump(2) + '\n';
}

std::string bench_table(const std::vector<EpistasisResult>& results) {
  std::vector<Cells> lines = {{"device", "sites", "people", "triples", "ms", "T/s", "of the bound"}};
  for (const EpistasisResult& result : results)
    lines.push_back({result.device, with_commas(result.shape.sites), with_commas(result.shape.people),
                     with_commas(result.combinations), fmt::format("{:.1f}", kMilli * result.seconds),
                     fmt::format("{:.3g}", result.rate / kTera), share_text(result)});
  return "Triples of sites times people a second (T: 10^12):\n" +
         aligned(lines, {true, false, false, false, false, false, false}, "  ");
}

std::string bench_tsv(const std::vector<EpistasisResult>& results) {
  return rates_tsv(results, "combination person/s", [](BenchLine& line, const EpistasisResult& result) {
    line.set("name", std::string("epistasis"));
    line.set("profiles", std::uint64_t{result.shape.people}).set("sites", std::uint64_t{result.shape.sites});
  });
}

std::string bench_json(const std::vector<EpistasisResult>& results) {
  return rates_json(results, "combination_people_per_second", [](const EpistasisResult& result) -> Json {
    return {{"device", result.device},
            {"task", "epistasis"},
            {"sites", result.shape.sites},
            {"people", result.shape.people},
            {"combinations", result.combinations}};
  });
}

std::string bench_table(const std::vector<LinkageResult>& results) {
  std::vector<Cells> lines = {
      {"device", "sites", "people", "calls", "linked", "ms", "Tbit/s", "of the bound"}};
  for (const LinkageResult& result : results)
    lines.push_back({result.device, with_commas(result.shape.sites), with_commas(result.shape.people),
                     result.shape.missing ? "some missing" : "all", with_commas(result.linked),
                     fmt::format("{:.2f}", kMilli * result.seconds),
                     fmt::format("{:.3g}", result.rate / kTera), share_text(result)});
  return "All pairs of sites, r2 computed and filtered:\n" +
         aligned(lines, {true, false, false, true, false, false, false, false}, "  ");
}

std::string bench_tsv(const std::vector<LinkageResult>& results) {
  return rates_tsv(results, "bit/s", [](BenchLine& line, const LinkageResult& result) {
    line.set("name", std::string("ld"));
    line.set("masks", std::string(name_of(result.shape.missing ? bench::Masks::kBoth : bench::Masks::kNone)));
    line.set("profiles", std::uint64_t{result.shape.people}).set("sites", std::uint64_t{result.shape.sites});
  });
}

std::string bench_json(const std::vector<LinkageResult>& results) {
  return rates_json(results, "bits_per_second", [](const LinkageResult& result) -> Json {
    return {{"device", result.device},
            {"task", "ld"},
            {"sites", result.shape.sites},
            {"people", result.shape.people},
            {"calls_missing", result.shape.missing},
            {"linked", result.linked}};
  });
}

std::string bench_table(const std::vector<SimilarityResult>& results) {
  std::vector<Cells> lines = {{"device", "of", "way", "vectors", "elements", "ms", "T/s", "of the bound"}};
  for (const SimilarityResult& result : results)
    lines.push_back({result.device, std::string(elements_of(result.shape)), std::to_string(result.shape.way),
                     with_commas(result.shape.vectors), with_commas(result.shape.elements),
                     fmt::format("{:.1f}", kMilli * result.seconds),
                     fmt::format("{:.3g}", result.rate / kTera), share_text(result)});
  return "Elements of pairs or triples of vectors compared a second (T: 10^12):\n" +
         aligned(lines, {true, true, false, false, false, false, false, false}, "  ");
}

std::string bench_tsv(const std::vector<SimilarityResult>& results) {
  return rates_tsv(results, "comparison/s", [](BenchLine& line, const SimilarityResult& result) {
    line.set("name", fmt::format("similarity {} {}", elements_of(result.shape), result.shape.way));
    line.set("profiles", std::uint64_t{result.shape.vectors});
    line.set("sites", std::uint64_t{result.shape.elements});
  });
}

std::string bench_json(const std::vector<SimilarityResult>& results) {
  return rates_json(results, "comparisons_per_second", [](const SimilarityResult& result) -> Json {
    return {{"device", result.device},         {"task", "similarity"},
            {"of", elements_of(result.shape)}, {"way", result.shape.way},
            {"vectors", result.shape.vectors}, {"elements", result.shape.elements}};
  });
}

}  // namespace fastid::cli
