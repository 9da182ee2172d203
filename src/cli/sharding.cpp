#include "cli/sharding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "cli/common.hpp"

namespace fastid::cli {
namespace {

Shard parse_shard(const std::string& text) {
  const std::size_t slash = text.find('/');
  const auto index = parse_number<std::uint32_t>(std::string_view(text).substr(0, slash));
  const auto of = slash == std::string::npos
                      ? std::nullopt
                      : parse_number<std::uint32_t>(std::string_view(text).substr(slash + 1));
  constexpr std::uint32_t kMost = 1'000'000;
  if (!index || !of || *index == 0 || *index > *of || *of > kMost)
    throw CLI::ValidationError(
        "--shard", text + " is no shard; the first of four is 1/4, the last 4/4 (of a million at most)");
  return {*index, *of};
}

std::string name_of(const CLI::Option& option) {
  return option.get_lnames().empty() ? "" : "--" + option.get_lnames().front();
}

std::set<std::string> names_of(const CLI::App& command) {
  std::set<std::string> names;
  for (const CLI::Option* option : command.get_options()) names.insert(name_of(*option));
  return names;
}

/// The names of all options of `fastid merge`, which print results or say how the program works.
std::set<std::string> merge_options() {
  CLI::App app;
  Run none;
  add_merge_parts(app, none);
  return names_of(*app.get_subcommands([](const CLI::App*) { return true; }).front());
}

// Printing alone does without them, but a shard need not count them either.
constexpr std::string_view kNoHistograms = "--no-histograms";

/// The values of an option: given, or from the user's config.
std::vector<std::string> values_of(const CLI::Option& option) {
  if (option.count() > 0) return option.results();
  if (option.get_default_str().empty()) return {};
  return {option.get_default_str()};
}

}  // namespace

void add_shard(CLI::App& command, std::optional<Shard>& shard) {
  command.option_defaults()->group("Many machines");
  command
      .add_option_function<std::string>(
          "--shard", [&shard](const std::string& text) { shard = parse_shard(text); },
          "Do the I-th of N shares of the work, and write what is found to -o FILE, a part; `fastid merge` "
          "makes the whole result of all N parts")
      ->type_name("I/N");
}

std::vector<std::string> given_options(const CLI::App& command) {
  std::vector<std::string> given;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional() || option->get_lnames().empty()) continue;
    const bool flag = option->get_items_expected_max() == 0;
    for (const std::string& value : values_of(*option))
      given.push_back(name_of(*option) + (flag ? "" : "=" + value));
  }
  return given;
}

std::vector<std::string> asking_options(const CLI::App& command) {
  static constexpr std::string_view kElsewhere[] = {"",     "--help",         "--shard",
                                                    "--db", "--queries-from", "--report"};
  const std::set<std::string> of_merge = merge_options();
  std::vector<std::string> asking;
  for (const std::string& name : names_of(command))
    if ((!of_merge.contains(name) || name == kNoHistograms) &&
        std::ranges::find(kElsewhere, name) == std::end(kElsewhere))
      asking.push_back(name);
  return asking;
}

WrittenFile part_file(const std::string& output) {
  if (output == "-") throw UsageError("--shard writes a part: name its file by -o FILE");
  return {"-o", output, false, Content::kPart};
}

part::Head head_of(const CLI::App& command, const Shard& shard, std::vector<std::string> databases) {
  const std::vector<std::string> asking = asking_options(command);
  static constexpr std::string_view kPrinting[] = {
      "--format",     "--summary",  "--columns",   "--no-header",        "--run-info",
      "--report-cap", "--examiner", "--date",      "--fail-if-no-match", "--expect",
      "--cohort",     "--groups",   "--unrelated", "--multiqc",          "--fail-if-unexpected"};
  part::Head head{.command = command.get_name(), .databases = std::move(databases), .shard = shard};
  for (std::string& option : given_options(command)) {
    const std::string name = option.substr(0, option.find('='));
    if (std::ranges::find(kPrinting, name) != std::end(kPrinting))
      throw UsageError(fmt::format("{}: a part has no result to print yet; give it to `fastid merge`", name));
    if (std::ranges::find(asking, name) != asking.end()) head.arguments.push_back(std::move(option));
  }
  return head;
}

}  // namespace fastid::cli
