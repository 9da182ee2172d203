#include "report/tune_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string_view>

#include "base/build_info.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "model/equations.hpp"
#include "page/page.hpp"
#include "page/roofline.hpp"
#include "report/json_values.hpp"
#include "tune/space.hpp"

namespace fastid::report {
namespace {
using tune::Trial;
using tune::TuneResult;

std::string figure(double value) {
  if (value >= 1e5 || (value > 0 && value < 1e-2)) return fmt::format("{:.4g}", value);
  return fmt::format("{:.5g}", value);
}

// Escapes each line separately, since line ends are control characters.
std::string escaped_lines(const std::string& text) {
  std::string html;
  for (const std::string_view line : split(text, '\n')) html += page::escaped(line) + "\n";
  return html;
}

std::string tbits(double rate) {
  return fmt::format("{:.4g}", rate / 1e12);
}

std::string problem(const model::Workload& work) {
  return fmt::format("{} x {} x {}", with_commas(work.queries), with_commas(work.profiles), work.sites);
}

const Trial& best(const tune::SearchResult& search) {
  return search.trials[search.best];
}

std::string verdict(const TuneResult& result) {
  const tune::SearchResult& search = result.search;
  const Trial& standard = search.trials[search.standard];
  if (search.standard_is_kept)
    return fmt::format("the shape of {} is kept: nothing that was tried is faster beyond noise",
                       standard.config.name);
  if (standard.rate > 0)
    return fmt::format("{:.2f} times the rate of {}", best(search).rate / standard.rate,
                       standard.config.name);
  return fmt::format("{} cannot be used: {}", standard.config.name, standard.refused);
}

std::string percent_off(const tune::Compared& one) {
  return one.predicted > 0 ? fmt::format("{:+.0f} %", 100 * (one.ratio() - 1)) : "not predicted";
}

std::string seconds_or_none(double seconds) {
  return seconds > 0 ? fmt::format("{:.4g} ms", 1e3 * seconds) : "-";
}

Json traits_json(const model::DeviceTraits& traits) {
  Json json = Json::object();
  for (const model::TraitName& name : model::trait_names())
    if (const model::Trait& trait = traits.*name.value; trait.known())
      json[std::string(name.key)] = {{"value", trait.value},
                                     {"unit", name.unit},
                                     {"what", name.what},
                                     {"source", model::name_of(trait.source)}};
  return json;
}

Json config_json(const model::KernelConfig& config) {
  Json json = {{"name", config.name}, {"origin", config.origin}};
  for (const model::ConfigNumber& number : model::config_numbers())
    json[std::string(number.name)] = config.*number.value;
  return json;
}

Json workload_json(const model::Workload& work) {
  return {{"queries", work.queries}, {"profiles", work.profiles}, {"sites", work.sites}};
}

Json trial_json(const Trial& trial, const std::vector<model::Workload>& works) {
  Json json = {{"config", config_json(trial.config)},
               {"refused", text_or_null(trial.refused)},
               {"bits_a_second", trial.rate},
               {"predicted_bits_a_second", trial.predicted_rate},
               {"timings", Json::array()}};
  for (std::size_t i = 0; i < trial.timings.size(); ++i)
    json["timings"].push_back({{"problem", workload_json(works[i])},
                               {"seconds", trial.timings[i].seconds},
                               {"spread", trial.timings[i].spread},
                               {"runs", trial.timings[i].runs}});
  return json;
}

Json search_json(const tune::SearchResult& search, const std::vector<model::Workload>& works) {
  Json json = {{"best", search.best},
               {"default", search.standard},
               {"default_kept", search.standard_is_kept},
               {"pruned", search.pruned},
               {"out_of_time", search.out_of_time},
               {"trials", Json::array()}};
  for (const Trial& trial : search.trials) json["trials"].push_back(trial_json(trial, works));
  return json;
}

Json device_json(const model::DeviceFacts& device) {
  return {{"selector", device.selector}, {"device", device.device},
          {"platform", device.platform}, {"vendor", device.vendor},
          {"version", device.version},   {"driver", device.driver},
          {"type", device.type},         {"architecture", device.architecture}};
}

Json paper_json(const model::DeviceTraits& traits) {
  const model::PaperShape shape = model::paper_shape(traits);
  return {{"m_r", shape.m_r},
          {"m_c", shape.m_c},
          {"m_c_of_a_cluster", shape.m_c_cluster},
          {"k_c", shape.k_c},
          {"n_r_least", shape.n_r_least},
          {"n_r_most", shape.n_r_most}};
}

// Replaces invalid UTF-8, which names from drivers may contain and which would otherwise make the report
// fail.
std::string dumped(const Json& json) {
  return json.dump(1) + "\n";
}

std::string traits_table(const model::DeviceTraits& traits) {
  page::HtmlTable table{.caption = "Traits of the device",
                        .head = {"Trait", "Value", "Unit", "What", "Source"},
                        .left = {true, false, true, true, true}};
  for (const model::TraitName& name : model::trait_names())
    if (const model::Trait& trait = traits.*name.value; trait.known())
      table.rows.push_back({page::escaped(name.key), figure(trait.value), page::escaped(name.unit),
                            page::escaped(name.what), std::string(model::name_of(trait.source))});
  return page::table_html(table);
}

std::string compared_table(const TuneResult& result) {
  page::HtmlTable table{.caption = "Predicted and measured",
                        .head = {"What", "Predicted", "Measured", "Off by"},
                        .left = {true, false, false, false}};
  for (const tune::Compared& one : result.compared)
    table.rows.push_back({page::escaped(one.what), seconds_or_none(one.predicted),
                          seconds_or_none(one.measured), percent_off(one)});
  return page::table_html(table);
}

std::string describe(const model::TilePlan& tiles) {
  return fmt::format("{} of {} KiB", tiles.workers, tiles.tile_bytes >> 10);
}

std::string examples_table(const TuneResult& result) {
  page::HtmlTable table{
      .caption = "Searches end to end, predicted",
      .head = {"Queries x profiles x sites", "Tiles", "Start", "Open", "Read", "Upload", "Kernel", "All"},
      .left = {true, true, false, false, false, false, false, false}};
  for (const tune::RunExample& one : result.examples)
    table.rows.push_back({problem(one.work), describe(one.tiles), seconds_or_none(one.estimate.startup),
                          seconds_or_none(one.estimate.open), seconds_or_none(one.estimate.read),
                          seconds_or_none(one.estimate.upload), seconds_or_none(one.estimate.kernel),
                          seconds_or_none(one.estimate.total())});
  return page::table_html(table);
}

std::string trials_table(const tune::SearchResult& search, model::MicroKernel kernel) {
  page::HtmlTable table{.caption = "Configs that were tried",
                        .head = {"", "Shape", "Tbit/s", "Predicted", "Note"},
                        .left = {true, true, false, false, true}};
  for (std::size_t i = 0; i < search.trials.size(); ++i) {
    const Trial& trial = search.trials[i];
    const char* const role = i == search.best ? "chosen" : i == search.standard ? "default" : "";
    table.rows.push_back(
        {role, page::escaped(tune::describe(trial.config, kernel)), trial.rate > 0 ? tbits(trial.rate) : "-",
         trial.predicted_rate > 0 ? tbits(trial.predicted_rate) : "-", page::escaped(trial.refused)});
  }
  return page::table_html(table);
}

page::Roofline roofline_of(const TuneResult& result) {
  const model::DeviceTraits& traits = result.traits;
  page::Roofline chart{
      .title = "Roofline",
      .description =
          "Measured rates of the configs that were tried, below what the device's memory, its "
          "link, and its pipes allow."};
  chart.roofs = {
      {"device memory", traits.memory_rate.value, true},
      {"upload", traits.upload_pinned.value, true},
      {"popcounts", model::popcount_peak(traits), false},
      {"logic", tune::impossible_rate(traits, result.config, model::MicroKernel::kPopcount) / 1.25, false}};
  const auto add = [&](const tune::SearchResult& search, const std::vector<model::Workload>& works,
                       const std::string& what) {
    for (std::size_t i = 0; i < search.trials.size(); ++i)
      for (std::size_t w = 0; w < search.trials[i].timings.size(); ++w) {
        const model::Workload& work = works[w];
        const bool chosen = i == search.best;
        const std::string label =
            chosen ? fmt::format("{}{} queries, {} sites", what, work.queries, work.sites) : "";
        chart.points.push_back(
            {work.bits() / work.bytes(), work.bits() / search.trials[i].timings[w].seconds, chosen, label});
      }
  };
  add(result.search, result.workloads, "");
  if (result.matrix) add(*result.matrix, result.matrix_workloads, "matrix, ");
  return chart;
}

std::string facts(const TuneResult& result) {
  std::string known = result.known_as.empty() ? "not in the table of known devices"
                                              : fmt::format("{} ({})", page::escaped(result.known_as),
                                                            page::escaped(result.known_source));
  return page::facts_html(
      {{"Device", page::name_html(result.device.device)},
       {"Platform", page::name_html(result.device.platform)},
       {"Driver", page::escaped(result.device.driver) + ", " + page::escaped(result.device.version)},
       {"Known as", known},
       {"Config",
        "<code>" + page::escaped(result.config.name) + "</code>, " + page::escaped(verdict(result))},
       {"Shape", page::escaped(tune::describe(result.config, model::MicroKernel::kPopcount))},
       {"Measured", page::escaped(result.date) + fmt::format(", in {:.0f} s", result.seconds)},
       {"Program",
        fmt::format("fastid {} (revision {})", page::escaped(version()), page::escaped(revision()))}});
}

std::string micro_table(const TuneResult& result) {
  page::HtmlTable table{.caption = "Microbenchmarks",
                        .head = {"What", "Median", "Middle half within", "Runs"},
                        .left = {true, false, false, false}};
  for (const tune::MicroTiming& timing : result.timings)
    table.rows.push_back({page::escaped(timing.what), fmt::format("{:.4g} ms", 1e3 * timing.seconds),
                          fmt::format("{:.1f} %", 100 * timing.spread), with_commas(timing.runs)});
  return "<details class=\"numbers\"><summary>All runs of the microbenchmarks</summary>\n" +
         page::table_html(table) + "</details>\n";
}

}  // namespace

std::string tune_text(const TuneResult& result) {
  std::string text =
      fmt::format("{} ({})\n", printable(result.device.device, 60), printable(result.device.platform, 60));
  for (const model::TraitName& name : model::trait_names())
    if (const model::Trait& trait = result.traits.*name.value; trait.known())
      text += fmt::format("  {:<20} {:>11} {:<23}{}\n", name.key, figure(trait.value), name.unit,
                          model::name_of(trait.source));
  text += fmt::format("\nmodel's answer: {}\n",
                      tune::describe(result.model_answer, model::MicroKernel::kPopcount));
  text +=
      fmt::format("tried {}, {} left out by the model{}\n", counted(result.search.trials.size(), "config"),
                  result.search.pruned, result.search.out_of_time ? ", until the time was up" : "");
  text += fmt::format("chosen:         {}\n                {}\n",
                      tune::describe(result.config, model::MicroKernel::kPopcount), verdict(result));
  if (result.matrix)
    text += fmt::format("matrix kernel:  {}\n", tune::describe(result.config, model::MicroKernel::kMatrix));
  text += fmt::format("\n  {:<36}{:>12}{:>12}{:>15}\n", "", "predicted", "measured", "off by");
  for (const tune::Compared& one : result.compared)
    text += fmt::format("  {:<36}{:>12}{:>12}{:>15}\n", one.what, seconds_or_none(one.predicted),
                        seconds_or_none(one.measured), percent_off(one));
  text += fmt::format("\n  {:<36}{:>12}   tiles in flight\n", "a search end to end", "predicted");
  for (const tune::RunExample& one : result.examples)
    text += fmt::format("  {:<36}{:>12}   {}\n", problem(one.work), seconds_or_none(one.estimate.total()),
                        describe(one.tiles));
  return text;
}

std::string tune_json(const TuneResult& result) {
  Json json = {{"format", "fastid-tune"},
               {"format_version", 1},
               {"program", fmt::format("fastid {} (revision {})", version(), revision())},
               {"date", result.date},
               {"seconds", result.seconds},
               {"device", device_json(result.device)},
               {"known_as", text_or_null(result.known_as)},
               {"known_source", text_or_null(result.known_source)},
               {"traits", traits_json(result.traits)},
               {"paper_shape", paper_json(result.traits)},
               {"model_config", config_json(result.model_answer)},
               {"config", config_json(result.config)},
               {"search", search_json(result.search, result.workloads)}};
  if (result.matrix) json["matrix_search"] = search_json(*result.matrix, result.matrix_workloads);
  json["microbenchmarks"] = Json::array();
  for (const tune::MicroTiming& timing : result.timings)
    json["microbenchmarks"].push_back({{"what", timing.what},
                                       {"seconds", timing.seconds},
                                       {"spread", timing.spread},
                                       {"runs", timing.runs}});
  json["predictions"] = Json::array();
  for (const tune::Compared& one : result.compared)
    json["predictions"].push_back(
        {{"what", one.what}, {"predicted_seconds", one.predicted}, {"measured_seconds", one.measured}});
  json["examples"] = Json::array();
  for (const tune::RunExample& one : result.examples)
    json["examples"].push_back({{"problem", workload_json(one.work)},
                                {"tile_bytes", one.tiles.tile_bytes},
                                {"buffers", one.tiles.workers},
                                {"startup_seconds", one.estimate.startup},
                                {"open_seconds", one.estimate.open},
                                {"read_seconds", one.estimate.read},
                                {"upload_seconds", one.estimate.upload},
                                {"kernel_seconds", one.estimate.kernel},
                                {"total_seconds", one.estimate.total()}});
  return dumped(json);
}

std::string tune_html(const TuneResult& result) {
  std::string body = fmt::format("<main id=\"main\">\n<h1>Config of {}</h1>\n{}",
                                 page::name_html(result.device.device), facts(result));
  body +=
      "<h2>Roofline</h2>\n<figure>\n<div class=\"scroll\" role=\"region\" tabindex=\"0\" "
      "aria-label=\"Roofline\">\n" +
      page::svg(roofline_of(result), "roofline") +
      "</div>\n<figcaption>Large marks: the chosen config. Small ones: the others that were tried. Full "
      "adders count "
      "two words and more by one popcount, so that a kernel may pass the popcounts' roof.</figcaption>\n"
      "</figure>\n";
  body += "<h2>Predicted and measured</h2>\n" + compared_table(result) + examples_table(result);
  body += "<h2>The device</h2>\n" + traits_table(result.traits) + micro_table(result);
  body += "<h2>The search</h2>\n" + trials_table(result.search, model::MicroKernel::kPopcount);
  if (result.matrix)
    body += "<h3>The matrix kernel</h3>\n" + trials_table(*result.matrix, model::MicroKernel::kMatrix);
  body += "<h2>The header</h2>\n<pre><code>" + escaped_lines(result.header) + "</code></pre>\n</main>\n";
  return page::page("fastid tune: " + result.device.device, body);
}

}  // namespace fastid::report
