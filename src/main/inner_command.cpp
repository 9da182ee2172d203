#include "main/inner_command.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace fastid::cli {

void without_usual_values(Command command) {
  for (const Option option : command.options()) option.variable("");
}

ExitCode run_inner(CommandLine& line, const std::vector<std::string>& arguments) {
  const Parsed parsed = line.parse(arguments);
  if (parsed.result != Parsed::Result::kRun)
    throw UsageError(fmt::format("fastid {}: {}", arguments.front(), parsed.text));
  return parsed.run();
}

}  // namespace fastid::cli
