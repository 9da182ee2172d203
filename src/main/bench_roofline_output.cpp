// The output of `fastid bench --roofline`.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/build_info.hpp"
#include "base/clock.hpp"
#include "base/text.hpp"
#include "bench/roofline.hpp"
#include "cli/common.hpp"
#include "main/bench_line.hpp"
#include "main/bench_output.hpp"
#include "page/growth.hpp"
#include "page/page.hpp"
#include "page/plain_number.hpp"
#include "page/roofline.hpp"

namespace fastid::cli {
namespace {

using bench::DeviceRoofline;
using bench::Growth;
using bench::KernelPoint;
using bench::Peak;
using bench::RooflineReport;

std::string rate_figure(double rate, bool bytes) {
  if (!(rate > 0)) return "-";
  return page::plain_number(rate / (bytes ? kGiga : kTera));
}

std::string shown_unit(bool bytes) {
  return bytes ? "GB/s" : "Tbit/s";
}

std::string unit_of(bool bytes) {
  return bytes ? "byte/s" : "bit/s";
}

std::string counted_what(const DeviceRoofline& of) {
  return of.work_groups ? "work-groups" : "threads";
}

BenchCells head_of_points() {
  return {"kernel", "queries", "profiles", "sites", "bits/byte", "Tbit/s", "next roof", "share"};
}
const std::vector<bool> kWordsOfPoints = {true, false, false, false, false, false, true, false};

BenchCells line_of(const DeviceRoofline& of, const KernelPoint& point) {
  const bench::NextRoof next = next_roof(of, point);
  return {point.name,
          point.queries > 0 ? with_commas(point.queries) : "-",
          with_commas(point.profiles),
          with_commas(point.sites),
          page::plain_number(point.intensity),
          page::plain_number(point.rate / kTera),
          next.name.empty() ? "-" : next.name,
          next.name.empty() ? "-" : fmt::format("{:.0f} %", kPercent * next.share)};
}

std::vector<BenchCells> growth_lines(const DeviceRoofline& of) {
  std::vector<BenchCells> lines;
  for (std::size_t i = 0; i < of.counts.size(); ++i) {
    BenchCells line = {with_commas(of.counts[i])};
    for (const Growth& growth : of.growth) line.push_back(rate_figure(growth.rates[i], growth.bytes));
    lines.push_back(std::move(line));
  }
  return lines;
}
BenchCells growth_head(const DeviceRoofline& of) {
  BenchCells head = {counted_what(of)};
  for (const Growth& growth : of.growth) head.push_back(growth.name);
  return head;
}
BenchCells growth_units(const DeviceRoofline& of) {
  BenchCells units = {""};
  for (const Growth& growth : of.growth) units.push_back(shown_unit(growth.bytes));
  return units;
}

// ---- html

page::Roofline chart_of(const DeviceRoofline& of) {
  page::Roofline chart{.title = "Roofline of " + of.device,
                       .description =
                           "Rates of kernels below what levels of memory, which slant, and instructions "
                           "allow. The tables below have the numbers.",
                       .x_title = "bits counted for each byte that a kernel reads",
                       .roofs = {},
                       .points = {}};
  double least = INFINITY;
  for (const KernelPoint& point : of.points) least = std::min(least, point.rate);
  for (const Peak& roof : of.roofs)  // an instruction that is slower than all kernels is in the table
    if (roof.bytes || roof.rate > least) chart.roofs.push_back({roof.name, roof.rate, roof.bytes});
  for (const KernelPoint& point : of.points) {
    chart.points.push_back({point.intensity, point.rate, true, point.name});
  }
  return chart;
}

page::GrowthChart growth_chart_of(const DeviceRoofline& of) {
  page::GrowthChart chart{
      .title = "Rates by the number of " + counted_what(of),
      .description = "Times the rate of one, and a dashed line in proportion. A table below has the numbers.",
      .x_title = counted_what(of),
      .counts = of.counts,
      .lines = {}};
  for (const Growth& growth : of.growth) chart.lines.push_back({growth.name, growth.rates});
  return chart;
}

std::string figure(const std::string& picture, const std::string& label, const std::string& caption) {
  return fmt::format(
      "<figure>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" aria-label=\"{}\">\n{}</div>\n"
      "<figcaption>{}</figcaption>\n</figure>\n",
      page::escaped(label), picture, caption);
}

std::vector<std::string> escaped_cells(const BenchCells& cells) {
  std::vector<std::string> html;
  for (const std::string& cell : cells) html.push_back(page::escaped(cell));
  return html;
}

std::string roofs_html(const DeviceRoofline& of) {
  page::HtmlTable table{.caption = "Bounds of " + of.device,
                        .head = {"Bound", "Instructions", "Rate"},
                        .left = {true, true, false}};
  for (const Peak& roof : of.roofs)
    table.rows.push_back(escaped_cells(
        {roof.name, roof.instructions, rate_figure(roof.rate, roof.bytes) + ' ' + shown_unit(roof.bytes)}));
  return page::table_html(table);
}

std::string points_html(const DeviceRoofline& of) {
  page::HtmlTable table{
      .caption = "Kernels of " + of.device, .head = head_of_points(), .left = kWordsOfPoints};
  for (std::string& name : table.head) name = page::capitalized(name);
  for (const KernelPoint& point : of.points) table.rows.push_back(escaped_cells(line_of(of, point)));
  return page::table_html(table);
}

std::string growth_html(const DeviceRoofline& of) {
  page::HtmlTable table{.caption = "Rates by the number of " + counted_what(of), .head = growth_head(of)};
  const BenchCells units = growth_units(of);
  for (std::size_t i = 0; i < table.head.size(); ++i)
    table.head[i] = page::capitalized(table.head[i]) + (i == 0 ? "" : ", " + units[i]);
  table.left.assign(table.head.size(), false);
  for (const BenchCells& line : growth_lines(of)) table.rows.push_back(escaped_cells(line));
  return page::table_html(table);
}

std::string device_html(const DeviceRoofline& of, std::size_t place) {
  const std::string heading = "<h2>" + page::escaped(of.device) + "</h2>\n";
  return heading + "<p>" + page::name_html(of.description) + "</p>\n" +
         figure(page::svg(chart_of(of), fmt::format("roofline-{}", place)), "Roofline of " + of.device,
                "A kernel above the line of a level of memory finds its words in a nearer one. The lowest "
                "line above a kernel is the first that it would meet. Full adders and the form of a product "
                "can take it above the line of an instruction.") +
         points_html(of) + "<h3>Bounds</h3>\n" + roofs_html(of) + "<h3>By the number of " + counted_what(of) +
         "</h3>\n" +
         figure(page::svg(growth_chart_of(of), fmt::format("growth-{}", place)),
                "Rates by the number of " + counted_what(of), "Dashed: in proportion to the number.") +
         growth_html(of);
}

// ---- json

Json json_of(const DeviceRoofline& of) {
  Json json = {{"device", of.device},
               {"description", of.description},
               {"roofs", Json::array()},
               {"kernels", Json::array()},
               {"by", of.work_groups ? "work_groups" : "threads"},
               {"counts", of.counts},
               {"growth", Json::array()}};
  for (const Peak& roof : of.roofs)
    json["roofs"].push_back({{"name", roof.name},
                             {"instructions", roof.instructions},
                             {"rate", roof.rate},
                             {"unit", unit_of(roof.bytes)}});
  for (const KernelPoint& point : of.points) {
    const bench::NextRoof next = next_roof(of, point);
    json["kernels"].push_back({{"kernel", point.name},
                               {"queries", point.queries > 0 ? Json(point.queries) : Json()},
                               {"profiles", point.profiles},
                               {"sites", point.sites},
                               {"bits_per_byte", point.intensity},
                               {"bits_per_second", point.rate},
                               {"next_roof", next.name.empty() ? Json() : Json(next.name)},
                               {"share_of_roof", next.name.empty() ? Json() : Json(next.share)}});
  }
  for (const Growth& growth : of.growth) {
    Json rates = Json::array();
    for (const double rate : growth.rates) rates.push_back(rate > 0 ? Json(rate) : Json());
    json["growth"].push_back({{"name", growth.name}, {"unit", unit_of(growth.bytes)}, {"rates", rates}});
  }
  return json;
}

}  // namespace

std::string bench_table(const RooflineReport& report) {
  std::string text;
  for (const DeviceRoofline& of : report.devices) {
    text += (text.empty() ? "" : "\n") + wrapped("", of.device + ": " + of.description, 0);
    std::vector<BenchCells> roofs;
    for (const Peak& roof : of.roofs)
      roofs.push_back(
          {"  " + roof.name, rate_figure(roof.rate, roof.bytes), shown_unit(roof.bytes), roof.instructions});
    text += aligned(roofs, {true, false, true, true}, "  ");
    std::vector<BenchCells> points = {head_of_points()};
    for (const KernelPoint& point : of.points) points.push_back(line_of(of, point));
    text += '\n' + aligned(points, kWordsOfPoints, " ");
    std::vector<BenchCells> growth = growth_lines(of);
    growth.insert(growth.begin(), {growth_head(of), growth_units(of)});
    text += '\n' + aligned(growth, std::vector<bool>(growth.front().size(), false), "  ");
  }
  return text;
}

std::string bench_tsv(const RooflineReport& report) {
  std::string text =
      "kind\tdevice\tname\tqueries\tprofiles\tsites\tcount\tbits_per_byte\trate\tunit\tnext_roof\tshare\n";
  for (const DeviceRoofline& of : report.devices) {
    for (const Peak& roof : of.roofs)
      text += fmt::format("roof\t{}\t{}\tNA\tNA\tNA\tNA\tNA\t{:.6g}\t{}\tNA\tNA\n", of.device, roof.name,
                          roof.rate, unit_of(roof.bytes));
    for (const KernelPoint& point : of.points) {
      const bench::NextRoof next = next_roof(of, point);
      text +=
          fmt::format("kernel\t{}\t{}\t{}\t{}\t{}\tNA\t{:.6g}\t{:.6g}\tbit/s\t{}\t{}\n", of.device,
                      point.name, point.queries > 0 ? std::to_string(point.queries) : "NA", point.profiles,
                      point.sites, point.intensity, point.rate, next.name.empty() ? "NA" : next.name,
                      next.name.empty() ? "NA" : fmt::format("{:.6g}", next.share));
    }
    for (const Growth& growth : of.growth)
      for (std::size_t i = 0; i < of.counts.size(); ++i)
        if (growth.rates[i] > 0)
          text += fmt::format("{}\t{}\t{}\tNA\tNA\tNA\t{}\tNA\t{:.6g}\t{}\tNA\tNA\n", counted_what(of),
                              of.device, growth.name, of.counts[i], growth.rates[i], unit_of(growth.bytes));
  }
  return text;
}

std::string bench_json(const RooflineReport& report) {
  std::vector<std::string> engines;
  for (const DeviceRoofline& of : report.devices) engines.push_back(of.description);
  Json document = bench_document(engines);
  document["threads"] = report.threads;
  document["devices"] = Json::array();
  for (const DeviceRoofline& of : report.devices) document["devices"].push_back(json_of(of));
  return document.dump(2) + '\n';
}

std::string bench_html(const RooflineReport& report) {
  std::string body =
      "<main id=\"main\">\n<h1>Rooflines of this machine</h1>\n" +
      page::facts_html(
          {{"Measured", utc_clock()},
           {"Threads", std::to_string(report.threads)},
           {"Program", page::escaped(fmt::format("fastid {} (revision {})", version(), revision()))}});
  for (std::size_t i = 0; i < report.devices.size(); ++i) body += device_html(report.devices[i], i);
  return page::page("fastid bench: rooflines", body + "</main>\n");
}

}  // namespace fastid::cli
