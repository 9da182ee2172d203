// fastid panel: the panels that come with fastid, and what a panel can prove.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "bank/commands.hpp"
#include "bank/internal/db_info.hpp"
#include "bank/internal/panel_check.hpp"
#include "base/file.hpp"
#include "base/json.hpp"
#include "base/text.hpp"
#include "cli/common.hpp"
#include "cli/output_format.hpp"
#include "import/text_output.hpp"
#include "panel/named_panels.hpp"

namespace fastid::bank {
namespace {

/// The value is true for json.
const cli::Choices<bool> kPanelFormats = {{"text", false}, {"json", true}};

struct PanelArguments {
  std::string panel, output = "-";
  std::optional<bool> as_json;  ///< not set: by the suffix of the output, else not
  PanelQuestion question;
  cli::Verbosity verbosity;
};

/// Lines of a panel's head, without '#': its description, its sources and their licences.
std::vector<std::string_view> head_of(std::string_view text) {
  std::vector<std::string_view> lines;
  for (const std::string_view line : split(text, '\n')) {
    if (!line.starts_with('#')) break;
    lines.push_back(trim(line.substr(1)));
  }
  return lines;
}

/// Whether the output is json. \param source  the file that the panel was read from; "": none
bool as_json(const PanelArguments& arguments, const std::string& source = "") {
  cli::check_files({{"-o", arguments.output}}, {source});
  if (arguments.as_json) return *arguments.as_json;
  return cli::format_by_suffix(arguments.output, kPanelFormats).value_or(false);
}

ExitCode write_output(const PanelArguments& arguments, std::string_view text) {
  imports::TextOutput out(arguments.output);
  out.write(text);
  out.commit();
  return ExitCode::kDone;
}

ExitCode run_list(const PanelArguments& arguments) {
  const bool json = as_json(arguments);
  const auto row = [](std::string_view name, std::string_view sites, std::string_view frequencies,
                      std::string_view what) {
    const std::string head = fmt::format("{:<21}  {:>6}  {:<11}  ", name, sites, frequencies);
    return wrapped(head, what, head.size());
  };
  std::string text = row("PANEL", "SITES", "FREQUENCIES", "WHAT");
  Json all = Json::array();
  for (const NamedPanel& named : named_panels()) {
    const Panel panel = PanelSource(named.name).read();
    const SiteClasses classes(panel);
    const std::string parts = classes.parts();
    text += row(named.name, with_commas(panel.n_sites()), panel.populations().empty() ? "no" : "yes",
                parts.empty() ? std::string(named.what) : fmt::format("{} ({})", named.what, parts));
    Json populations = Json::array();
    for (const Population& population : panel.populations()) populations.push_back(population.name);
    all.push_back({{"panel", named.name},
                   {"n_sites", panel.n_sites()},
                   {"sites", classes_json(classes)},
                   {"populations", std::move(populations)},
                   {"what", named.what},
                   {"head", head_of(named.text)}});
  }
  return write_output(arguments, json ? all.dump(2) + '\n' : text);
}

/// The panel as a file that --panel takes, below its sources and licences.
ExitCode run_show(const PanelArguments& arguments) {
  const PanelSource source(arguments.panel);
  cli::check_files(
      {{.option = "-o", .path = arguments.output, .content = cli::Content::kPanel, .format = "tsv"}},
      {source.path});
  std::string text;
  for (const std::string_view line : head_of(source.text)) text += fmt::format("# {}\n", line);
  return write_output(arguments, text + write_panel_tsv(source.read()));
}

ExitCode run_check(const PanelArguments& arguments) {
  const PanelSource source(arguments.panel);
  const bool json = as_json(arguments, source.path);
  const PanelCheck check = check_panel(source.read(), arguments.panel, arguments.question);
  return write_output(arguments, json ? check_json(check) : check_text(check));
}

void add_output(cli::Command app, PanelArguments& arguments) {
  cli::add_output_file(app, arguments.output);
  cli::add_writing(app);
}

void add_panel_name(cli::Command app, PanelArguments& arguments) {
  app.add_option(
         "PANEL", arguments.panel,
         "A name of `fastid panel list`, or a file (TSV); PANEL:GRCh38 takes that build's positions, where "
         "there are those of both (else GRCh37's)")
      .required()
      .value_name("PANEL");
}

void add_panel_format(cli::Command app, PanelArguments& arguments) {
  cli::add_format(app, arguments.as_json, "text (default), json; without it, a suffix of -o says which",
                  kPanelFormats);
}

/// Adds a command that `run_it` runs.
cli::Command add_command(cli::Command panel, const char* name, const char* what,
                         const std::shared_ptr<PanelArguments>& arguments,
                         ExitCode (*run_it)(const PanelArguments&)) {
  const cli::Command app = panel.add_command(name, what);
  app.runs([arguments, run_it] {
    arguments->verbosity.apply();
    return run_it(*arguments);
  });
  return app;
}

void add_panel_list(cli::Command panel) {
  const auto arguments = std::make_shared<PanelArguments>();
  const cli::Command app =
      add_command(panel, "list", "The panels that come with fastid", arguments, run_list);
  add_panel_format(app, *arguments);
  add_output(app, *arguments);
  cli::add_verbosity(app, arguments->verbosity);
  app.footer("Examples:\n  fastid panel list");
}

void add_show(cli::Command panel) {
  const auto arguments = std::make_shared<PanelArguments>();
  const cli::Command app = add_command(
      panel, "show", "Write a panel as a file, with its sources and licences", arguments, run_show);
  add_panel_name(app, *arguments);
  add_output(app, *arguments);
  cli::add_verbosity(app, arguments->verbosity);
  app.footer(
      "Examples:\n"
      "  fastid panel show kintelligence -o kintelligence.tsv\n"
      "  fastid panel show force:GRCh38 | head");
}

void add_check(cli::Command panel) {
  const auto arguments = std::make_shared<PanelArguments>();
  const cli::Command app = add_command(
      panel, "check", "Say what a panel can prove, and which sites are linked", arguments, run_check);
  add_panel_name(app, *arguments);
  cli::add_number(app, "--profiles", arguments->question.n_profiles,
                  "People that a person is searched among (1,000,000)")
      .check(cli::within(std::uint64_t{1}, std::uint64_t{1} << 40))
      .value_name("N")
      .brief();
  app.add_option("--population", arguments->question.populations,
                 "Allele frequencies to use: populations of the panel, separated by commas, or all (default)")
      .value_name("NAME,...")
      .brief("Populations of the panel whose frequencies count");
  add_panel_format(app, *arguments);
  add_output(app, *arguments);
  cli::add_verbosity(app, arguments->verbosity);
  app.footer(
      "Examples:\n"
      "  fastid panel check forenseq-identity --population EUR\n"
      "  fastid panel check my-panel.tsv --profiles 20000000 --format json\n\n"
      "Sites are taken to be independent. A panel says nothing of which are linked; what is counted is how "
      "many "
      "neighbours are close together.");
}

}  // namespace

void add_panel(cli::Command app) {
  const cli::Command panel = app.add_command("panel", "Panels that come with fastid; what panels can prove");
  panel.require_command();
  add_panel_list(panel);
  add_show(panel);
  add_check(panel);
  panel.footer("`fastid panel COMMAND --help` explains a command, with examples.");
}

}  // namespace fastid::bank
