#include "cli/sharding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <string_view>
#include <utility>

#include "base/text.hpp"
#include "cli/team.hpp"

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
    refuse_value("--shard",
                 text + " is no shard; the first of four is 1/4, the last 4/4 (of a million at most)");
  return {*index, *of};
}

std::string name_of(Option option) {
  const std::string name = option.long_name();
  return name.empty() ? "" : "--" + name;
}

std::set<std::string> names_of(Command command) {
  std::set<std::string> names;
  for (const Option option : command.options()) names.insert(name_of(option));
  return names;
}

/// The head of a part: the options of the command that say what is found.
/// \throws UsageError: one of them says how results are printed, which only a merge does
part::Head head_of(Command command, const Shard& shard, std::vector<std::string> databases) {
  const std::vector<std::string> asking = asking_options(command);
  static constexpr std::string_view kPrinting[] = {
      "--format",   "--summary",   "--columns", "--no-header",          "--run-info", "--report-cap",
      "--examiner", "--sites",     "--date",    "--fail-if-no-match",   "--expect",   "--cohort",
      "--groups",   "--unrelated", "--multiqc", "--fail-if-unexpected", "--segments"};
  part::Head head{.command = command.name(), .databases = std::move(databases), .shard = shard};
  for (std::string& option : given_options(command)) {
    const std::string name = option.substr(0, option.find('='));
    if (std::ranges::find(kPrinting, name) != std::end(kPrinting) && !command.option(name).is_in_parts())
      throw UsageError(fmt::format("{}: a part has no result to print yet; give it to `fastid merge`", name));
    if (std::ranges::find(asking, name) != asking.end()) head.arguments.push_back(std::move(option));
  }
  return head;
}

}  // namespace

void Sharding::add(Command of) {
  command = of;
  of.group("Many machines");
  of.take<std::string>(
        "--shard", [this](const std::string& text) { shard = parse_shard(text); },
        "Do the I-th of N shares of the work, and write what is found to -o FILE, a part; `fastid merge` "
        "makes the whole result of all N parts")
      .value_name("I/N");
}

bool Sharding::prints() const {
  return !shard && !follows();
}

WrittenFile Sharding::written(const WrittenFile& result) const {
  if (!shard) return result;
  if (result.path.empty() || result.path == "-")
    throw UsageError("--shard writes a part: name its file by -o FILE");
  return {"-o", result.path, false, Content::kPart};
}

std::vector<std::string> Sharding::with_parts(std::vector<std::string> others) const {
  if (parts != nullptr) std::ranges::copy(parts->paths(), std::back_inserter(others));
  return others;
}

std::string Sharding::action() const {
  return shard ? fmt::format("{}, shard {}/{}", command.name(), shard->index, shard->of) : command.name();
}

std::vector<std::string> given_options(Command command) {
  std::vector<std::string> given;
  for (const Option option : command.options()) {
    const std::string name = name_of(option);
    if (option.is_positional() || name.empty()) continue;
    for (const std::string& value : option.values())
      given.push_back(option.is_flag() ? name : name + '=' + value);
  }
  return given;
}

std::vector<std::string> asking_options(Command command) {
  static constexpr std::string_view kElsewhere[] = {"",     "--help",         "--shard",
                                                    "--db", "--queries-from", "--report"};
  const std::set<std::string> of_merge = names_of(command.beside("merge"));
  std::vector<std::string> asking;
  for (const std::string& name : names_of(command))
    if (std::ranges::find(kElsewhere, name) == std::end(kElsewhere) &&
        (!of_merge.contains(name) || command.option(name).is_in_parts()))
      asking.push_back(name);
  return asking;
}

ExitCode Sharding::do_share(const std::string& output, std::vector<std::string> databases,
                            const std::function<ExitCode(asking::Work&)>& ask) const {
  if (!shard) {
    asking::Work work = parts != nullptr    ? asking::Work(*parts)
                        : team() != nullptr ? asking::Work(*team())
                                            : asking::Work();
    return ask(work);
  }
  part::Head head = head_of(command, *shard, std::move(databases));
  part::Writer out(output);
  asking::Work work(head, out);
  ask(work);
  out.finish(head);
  out.commit();
  return ExitCode::kDone;
}

}  // namespace fastid::cli
