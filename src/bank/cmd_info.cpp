// fastid db info: prints what a database holds.
#include <memory>
#include <string>

#include "bank/commands.hpp"
#include "bank/internal/db_info.hpp"
#include "base/file.hpp"
#include "cli/accountability.hpp"
#include "cli/common.hpp"
#include "cli/output_format.hpp"
#include "import/text_output.hpp"

namespace fastid::bank {
namespace {

enum class InfoFormat { kText, kJson, kHtml };

const cli::Choices<InfoFormat> kInfoFormats = {
    {"text", InfoFormat::kText}, {"json", InfoFormat::kJson}, {"html", InfoFormat::kHtml}};

struct InfoArguments {
  std::string database;
  std::string output = "-";
  std::optional<InfoFormat> format;  ///< not set: by the suffix of the output, else text
  std::size_t threads = 0;
  cli::Accountability account;
  cli::Verbosity verbosity;
};

ExitCode run_info(const InfoArguments& arguments) {
  arguments.verbosity.apply();
  cli::check_files({{"-o", arguments.output}, cli::audit_file(arguments.account)}, {arguments.database});
  const InfoFormat format =
      arguments.format ? *arguments.format
                       : cli::format_by_suffix(arguments.output, kInfoFormats).value_or(InfoFormat::kText);
  imports::TextOutput out(arguments.output);
  if (format == InfoFormat::kHtml)  // the others read no profile
    cli::Audit(arguments.account, {arguments.database}).record_action("info", cli::command_line());
  const db::Reader reader(arguments.database);
  switch (format) {
    case InfoFormat::kText:
      out.write(info_text(reader));
      break;
    case InfoFormat::kJson:
      out.write(info_json(reader));
      break;
    case InfoFormat::kHtml:
      out.write(info_html(reader, arguments.threads, arguments.verbosity.progress));
      break;
  }
  out.commit();
  return ExitCode::kDone;
}

}  // namespace

void add_info(cli::Command db) {
  const cli::Command app = db.add_command("info", "Say what a database holds and its panel can prove");
  const auto arguments = std::make_shared<InfoArguments>();
  app.add_option("DB", arguments->database, "The database").required().value_name("DB");
  cli::add_format(
      app, arguments->format,
      "text (default), json, html; html reads all profiles, for call rates and allele frequencies; "
      "without it, a "
      "suffix of -o says which",
      kInfoFormats);
  cli::add_output_file(app, arguments->output);
  cli::add_writing(app);
  cli::add_accountability(app, arguments->account);
  cli::add_threads(app, arguments->threads, "CPU threads, for html");
  cli::add_verbosity(app, arguments->verbosity);
  app.footer(
      "Examples:\n"
      "  fastid db info people.h5 --format json\n"
      "  fastid db info people.h5 --format html -o people.html");
  app.runs([arguments] { return run_info(*arguments); });
}

}  // namespace fastid::bank
