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

namespace fastid::cli {
namespace {

enum class InfoFormat { kText, kJson, kHtml };

const Choices<InfoFormat> kInfoFormats = {
    {"text", InfoFormat::kText}, {"json", InfoFormat::kJson}, {"html", InfoFormat::kHtml}};

struct InfoArguments {
  std::string database;
  std::string output = "-";
  std::optional<InfoFormat> format;  ///< not set: by the suffix of the output, else text
  std::size_t threads = 0;
  Accountability account;
  Verbosity verbosity;
};

ExitCode run_info(const InfoArguments& arguments) {
  arguments.verbosity.apply();
  check_files({{"-o", arguments.output}, audit_file(arguments.account)}, {arguments.database});
  const InfoFormat format =
      arguments.format ? *arguments.format
                       : format_by_suffix(arguments.output, kInfoFormats).value_or(InfoFormat::kText);
  TextOutput out(arguments.output);
  if (format == InfoFormat::kHtml)  // the others read no profile
    Audit(arguments.account, {arguments.database}).record_action("info", command_line());
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

void add_info(Command db) {
  const Command app = db.add_command("info", "Say what a database holds and its panel can prove");
  const auto arguments = std::make_shared<InfoArguments>();
  app.add_option("DB", arguments->database, "The database").required().value_name("DB");
  add_format(app, arguments->format,
             "text (default), json, html; html reads all profiles, for call rates and allele frequencies; "
             "without it, a "
             "suffix of -o says which",
             kInfoFormats);
  add_output_file(app, arguments->output);
  add_writing(app);
  add_accountability(app, arguments->account);
  add_threads(app, arguments->threads, "CPU threads, for html");
  add_verbosity(app, arguments->verbosity);
  app.footer(
      "Examples:\n"
      "  fastid db info people.h5 --format json\n"
      "  fastid db info people.h5 --format html -o people.html");
  app.runs([arguments] { return run_info(*arguments); });
}

}  // namespace fastid::cli
