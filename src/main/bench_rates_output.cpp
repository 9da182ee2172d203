// The output of what `fastid bench` measures as rates of a device.
#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/text.hpp"
#include "bench/rate.hpp"
#include "cli/common.hpp"
#include "main/bench_line.hpp"
#include "main/bench_output.hpp"

namespace fastid::cli {
namespace {

using bench::DeviceRate;
using bench::EpistasisResult;
using bench::HmmReport;
using bench::HmmResult;
using bench::LdResult;
using bench::PairsResult;
using bench::RowsResult;
using bench::SimilarityResult;

/// "72 %".
std::string share_text(const DeviceRate& result) {
  return result.bound > 0 ? fmt::format("{:.0f} %", kPercent * result.share()) : "-";
}

void set_rate(BenchLine& line, const DeviceRate& result, const std::string& unit) {
  line.set("device", result.device);
  line.set("repeats", std::uint64_t{result.repeats}).set("seconds", result.seconds);
  line.set("rate", result.rate).set("unit", unit);
  if (result.bound > 0) line.set("bound", "comparing").set("share", result.share());
}

std::string_view elements_of(const bench::SimilarityShape& shape) {
  switch (shape.of) {
    case bench::SimilarityOf::kBits:
      return "bits";
    case bench::SimilarityOf::kCcc:
      return "ccc";
    case bench::SimilarityOf::kFloat:
      return "float";
    case bench::SimilarityOf::kDouble:
      break;
  }
  return "double";
}

/// "101 x 162".
std::string shape_text(const HmmResult& result) {
  return fmt::format("{} x {}", result.shape.rows, result.shape.columns);
}

/// "64 x 32".
std::string group_text(const HmmResult& result) {
  return fmt::format("{} x {}", result.shape.reads, result.shape.haplotypes);
}

/// A line for each result. \param put  writes the shape that a result belongs to
template <class Result, class Put>
std::string rates_tsv(const std::vector<Result>& results, const std::string& unit, const Put& put) {
  std::string text = bench_head();
  for (const Result& result : results) {
    BenchLine line;
    line.set("kind", "point");
    put(line, result);
    set_rate(line, result, unit);
    text += line.text();
  }
  return text;
}

/// Adds the measured rate to a point.
Json with_rate(Json point, const DeviceRate& result, const std::string& unit) {
  point.update({{"repeats", result.repeats},
                {"seconds", result.seconds},
                {unit, result.rate},
                {"bound_" + unit, result.bound > 0 ? Json(result.bound) : Json()},
                {"share_of_bound", result.bound > 0 ? Json(result.share()) : Json()}});
  return point;
}

/// A document with a point for each result. \param describe  makes the point of a result
template <class Result, class Describe>
std::string rates_json(const std::vector<Result>& results, const std::string& unit,
                       const Describe& describe) {
  Json document = bench_document({});
  document["points"] = Json::array();
  for (const Result& result : results)
    document["points"].push_back(with_rate(describe(result), result, unit));
  return document.dump(2) + '\n';
}

}  // namespace

std::string bench_table(const HmmReport& report) {
  std::string text;
  for (const std::string& engine : report.engines) text += engine + '\n';
  std::vector<BenchCells> lines = {
      {"device", "read x haplotype", "of a group", "pairs", "ms", "Gcells/s", "of the bound"}};
  for (const HmmResult& result : report.results)
    lines.push_back({result.device, shape_text(result), group_text(result), with_commas(result.pairs),
                     fmt::format("{:.1f}", kMilli * result.seconds),
                     fmt::format("{:.3g}", result.rate / kGiga), share_text(result)});
  return text + '\n' + aligned(lines, {true, false, false, false, false, false, false}, "  ");
}

std::string bench_tsv(const HmmReport& report) {
  return rates_tsv(report.results, "cell/s", [](BenchLine& line, const HmmResult& result) {
    line.set("name", "pairhmm " + shape_text(result));
    line.set("queries", std::uint64_t{result.shape.reads});
    line.set("profiles", std::uint64_t{result.shape.haplotypes});
  });
}

std::string bench_json(const HmmReport& report) {
  Json document = bench_document(report.engines);
  document["points"] = Json::array();
  for (const HmmResult& result : report.results) {
    Json point = with_rate({{"device", result.device},
                            {"task", "pairhmm"},
                            {"rows", result.shape.rows},
                            {"columns", result.shape.columns},
                            {"reads", result.shape.reads},
                            {"haplotypes", result.shape.haplotypes},
                            {"pairs", result.pairs}},
                           result, "cells_per_second");
    point["in_double"] = result.rescued;
    document["points"].push_back(std::move(point));
  }
  return document.dump(2) + '\n';
}

std::string bench_table(const std::vector<EpistasisResult>& results) {
  std::vector<BenchCells> lines = {
      {"device", "way", "sites", "people", "calls", "combinations", "ms", "T/s", "of the bound"}};
  for (const EpistasisResult& result : results)
    lines.push_back({result.device, std::to_string(result.shape.way), with_commas(result.shape.sites),
                     with_commas(result.shape.people), result.shape.missing ? "missing" : "all",
                     with_commas(result.combinations), fmt::format("{:.1f}", kMilli * result.seconds),
                     fmt::format("{:.3g}", result.rate / kTera), share_text(result)});
  return "Combinations of sites times people a second (T: 10^12):\n" +
         aligned(lines, {true, false, false, false, true, false, false, false, false}, "  ");
}

std::string bench_tsv(const std::vector<EpistasisResult>& results) {
  return rates_tsv(results, "combination person/s", [](BenchLine& line, const EpistasisResult& result) {
    line.set("name", std::string(result.shape.way == 2 ? "epistasis 2" : "epistasis"));
    line.set("masks", std::string(name_of(result.shape.missing ? bench::Masks::kBoth : bench::Masks::kNone)));
    line.set("profiles", std::uint64_t{result.shape.people}).set("sites", std::uint64_t{result.shape.sites});
  });
}

std::string bench_json(const std::vector<EpistasisResult>& results) {
  return rates_json(results, "combination_people_per_second", [](const EpistasisResult& result) -> Json {
    return {{"device", result.device},
            {"task", "epistasis"},
            {"way", result.shape.way},
            {"sites", result.shape.sites},
            {"people", result.shape.people},
            {"calls_missing", result.shape.missing},
            {"combinations", result.combinations}};
  });
}

std::string bench_table(const std::vector<LdResult>& results) {
  std::vector<BenchCells> lines = {
      {"device", "sites", "people", "calls", "linked", "ms", "Tbit/s", "of the bound"}};
  for (const LdResult& result : results)
    lines.push_back({result.device, with_commas(result.shape.sites), with_commas(result.shape.people),
                     result.shape.missing ? "some missing" : "all", with_commas(result.linked),
                     fmt::format("{:.2f}", kMilli * result.seconds),
                     fmt::format("{:.3g}", result.rate / kTera), share_text(result)});
  return "All pairs of sites, r2 computed and filtered:\n" +
         aligned(lines, {true, false, false, true, false, false, false, false}, "  ");
}

std::string bench_tsv(const std::vector<LdResult>& results) {
  return rates_tsv(results, "bit/s", [](BenchLine& line, const LdResult& result) {
    line.set("name", std::string("ld"));
    line.set("masks", std::string(name_of(result.shape.missing ? bench::Masks::kBoth : bench::Masks::kNone)));
    line.set("profiles", std::uint64_t{result.shape.people}).set("sites", std::uint64_t{result.shape.sites});
  });
}

std::string bench_json(const std::vector<LdResult>& results) {
  return rates_json(results, "bits_per_second", [](const LdResult& result) -> Json {
    return {{"device", result.device},
            {"task", "ld"},
            {"sites", result.shape.sites},
            {"people", result.shape.people},
            {"calls_missing", result.shape.missing},
            {"linked", result.linked}};
  });
}

std::string bench_table(const std::vector<PairsResult>& results) {
  constexpr double kMillion = 1e6;
  std::vector<BenchCells> lines = {{"device", "people", "sites", "passed", "s", "kernels s", "M pairs/s"}};
  for (const PairsResult& result : results)
    lines.push_back({result.device, with_commas(result.shape.people), with_commas(result.shape.sites),
                     with_commas(result.passed), fmt::format("{:.3g}", result.seconds),
                     result.kernel_seconds > 0 ? fmt::format("{:.3g}", result.kernel_seconds) : "-",
                     fmt::format("{:.3g}", result.rate / kMillion)});
  return "All pairs along the map, paths and chains:\n" +
         aligned(lines, {true, false, false, false, false, false, false}, "  ");
}

std::string bench_tsv(const std::vector<PairsResult>& results) {
  return rates_tsv(results, "pair/s", [](BenchLine& line, const PairsResult& result) {
    line.set("name", std::string("pairs"));
    line.set("profiles", result.shape.people).set("sites", std::uint64_t{result.shape.sites});
  });
}

std::string bench_json(const std::vector<PairsResult>& results) {
  return rates_json(results, "pairs_per_second", [](const PairsResult& result) -> Json {
    return {{"device", result.device},     {"task", "pairs"},
            {"sites", result.shape.sites}, {"people", result.shape.people},
            {"passed", result.passed},     {"kernel_seconds", result.kernel_seconds}};
  });
}

std::string bench_table(const std::vector<SimilarityResult>& results) {
  std::vector<BenchCells> lines = {
      {"device", "of", "way", "vectors", "elements", "ms", "T/s", "of the bound"}};
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

std::string bench_table(const std::vector<RowsResult>& results) {
  std::vector<BenchCells> lines = {
      {"answer", "people", "sites", "rows", "CPU s", "compare", "verify", "weigh", "print", "rest"}};
  for (const RowsResult& result : results) {
    BenchCells line = {result.task, with_commas(result.shape.people), with_commas(result.shape.sites),
                       with_commas(result.rows), fmt::format("{:.3g}", result.processor.all)};
    double rest = 1;
    for (std::size_t i = 0; i < kAnswerStages; ++i) {
      line.push_back(fmt::format("{:.0f} %", kPercent * result.share_of(static_cast<AnswerStage>(i))));
      rest -= result.share_of(static_cast<AnswerStage>(i));
    }
    line.push_back(fmt::format("{:.0f} %", kPercent * rest));
    lines.push_back(std::move(line));
  }
  return "Answers with many rows: the processor's time, and the share of each stage:\n" +
         aligned(lines, {true, false, false, false, false, false, false, false, false, false}, " ");
}

std::string bench_tsv(const std::vector<RowsResult>& results) {
  return rates_tsv(results, "row/s", [](BenchLine& line, const RowsResult& result) {
    line.set("name", "rows " + result.task).set("queries", std::uint64_t{result.shape.queries});
    line.set("profiles", result.shape.people).set("sites", std::uint64_t{result.shape.sites});
    line.set("processor_s", result.processor.all);
    for (std::size_t i = 0; i < kAnswerStages; ++i)
      line.set(kStageColumns[i], result.share_of(static_cast<AnswerStage>(i)));
  });
}

std::string bench_json(const std::vector<RowsResult>& results) {
  return rates_json(results, "rows_per_second", [](const RowsResult& result) -> Json {
    Json stages = Json::object();
    for (std::size_t i = 0; i < kAnswerStages; ++i) {
      const auto stage = static_cast<AnswerStage>(i);
      stages[std::string(name_of(stage))] = result.processor.of(stage);
    }
    return {{"device", result.device},
            {"task", "rows"},
            {"answer", result.task},
            {"people", result.shape.people},
            {"sites", result.shape.sites},
            {"queries", result.shape.queries},
            {"rows", result.rows},
            {"processor_seconds", result.processor.all},
            {"stage_seconds", std::move(stages)}};
  });
}

}  // namespace fastid::cli
