// fastid db list and db tag: who is in a database, and the tags of its profiles.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bank/commands.hpp"
#include "base/text.hpp"
#include "cli/accountability.hpp"
#include "cli/common.hpp"
#include "cli/output_format.hpp"
#include "db/id_list.hpp"
#include "ingest/change.hpp"
#include "ingest/list.hpp"
#include "ingest/sample_sheet.hpp"

namespace fastid::bank {
namespace {

/// The value is true for lines of json.
const cli::Choices<bool> kListFormats = {{"tsv", false}, {"jsonl", true}};

struct ListArguments {
  std::optional<bool> json_lines;  ///< not set: by the suffix of the output, else not
  ingest::ListOptions options;
  bool no_header = false;
  cli::Accountability account;
  cli::Verbosity verbosity;
};

ExitCode run_list(ListArguments& arguments) {
  arguments.verbosity.apply();
  ingest::ListOptions& options = arguments.options;
  options.header = !arguments.no_header;
  cli::check_files({{"-o", options.output}, cli::audit_file(arguments.account)},
                   {options.database, options.rows.ids, options.rows.exclude});
  options.json_lines = arguments.json_lines
                           ? *arguments.json_lines
                           : cli::format_by_suffix(options.output, kListFormats).value_or(false);
  if (options.json_lines && arguments.no_header)
    throw UsageError("--no-header: is for tsv alone; leave it out, or give --format tsv");
  cli::Audit(arguments.account, {options.database}).record_action("list", cli::command_line());
  ingest::list_database(options);
  return ExitCode::kDone;
}

struct TagArguments {
  ingest::ChangeOptions options;
  std::vector<std::string> ids;
  db::RowRule rows = {.expired = true};
  bool all = false;
  std::vector<std::string> set, unset;
  std::string sheet;
  cli::Accountability account;
  cli::Verbosity verbosity;
};

using KeyAndValue = std::pair<std::string, std::string>;

/// "kit=FORCE"
KeyAndValue parse_tag(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos || equals + 1 == text.size())
    throw UsageError(fmt::format("--set {}: write it as kit=FORCE", printable(text)));
  return {text.substr(0, equals), text.substr(equals + 1)};
}

/// The tags to set; an empty value removes a tag.
std::vector<KeyAndValue> changes_of(const TagArguments& arguments) {
  std::vector<KeyAndValue> changes;
  for (const std::string& text : arguments.set) changes.push_back(parse_tag(text));
  for (const std::string& key : arguments.unset) changes.emplace_back(key, "");
  for (const auto& [key, value] : changes) db::check_tag(key, value, "--set", "");
  return changes;
}

void apply_sheet(const ingest::SampleSheet& sheet, const db::Reader& database, db::Tags& tags) {
  const std::vector<std::uint64_t> rows = database.rows_of(sheet.ids());
  for (std::size_t i = 0; i < rows.size(); ++i) sheet.apply(sheet.ids()[i], rows[i], tags);
}

std::vector<std::uint64_t> rows_of(const TagArguments& arguments, const db::Reader& database) {
  if (!arguments.ids.empty()) return database.rows_of(arguments.ids);
  const db::ChosenRows chosen = db::choose_rows(database, arguments.rows);
  return chosen.rows ? chosen.rows->list() : RowMask(database.shape().n_profiles, true).list();
}

void check_who(const TagArguments& arguments) {
  const bool rule = !arguments.rows.empty(), ids = !arguments.ids.empty();
  const int ways = static_cast<int>(rule) + static_cast<int>(ids) + static_cast<int>(arguments.all);
  const bool changes = !arguments.set.empty() || !arguments.unset.empty();
  if (arguments.sheet.empty() ? !changes || ways != 1 : changes || ways != 0)
    throw UsageError(
        "say what (--set KEY=VALUE, --unset KEY) and whose (IDs, or --only, --ids, --exclude, or --all); or "
        "both "
        "by --sample-sheet FILE alone");
}

ExitCode run_tag(TagArguments& arguments) {
  arguments.verbosity.apply();
  check_who(arguments);
  ingest::ChangeOptions& options = arguments.options;
  options.command = cli::command_line();
  options.progress = arguments.verbosity.progress;
  const std::vector<KeyAndValue> changes = changes_of(arguments);
  cli::check_order(options.database, arguments.ids, "first: fastid db tag DB ID...");
  cli::check_files({cli::audit_file(arguments.account)}, {options.database, arguments.sheet});
  const cli::Audit audit(arguments.account, {options.database});
  options.audit = audit.record_action("tag", options.command);
  std::size_t tagged = 0;
  ingest::change_tags(options, [&](const db::Reader& database, db::Tags& tags) {
    if (!arguments.sheet.empty()) {
      const ingest::SampleSheet sheet(arguments.sheet);
      apply_sheet(sheet, database, tags);
      tagged = sheet.ids().size();
      return;
    }
    const std::vector<std::uint64_t> rows = rows_of(arguments, database);
    tagged = rows.size();
    for (const auto& [key, value] : changes)
      for (const std::uint64_t row : rows) tags.set(row, key, value);
  });
  log::note("{}: tags of {} set", options.database, counted(tagged, "profile"));
  return ExitCode::kDone;
}

}  // namespace

void add_list(cli::Command db) {
  const cli::Command app = db.add_command("list", "List the profiles: rows, ids, called sites, tags");
  const auto arguments = std::make_shared<ListArguments>();
  ingest::ListOptions& options = arguments->options;
  app.add_option("DB", options.database, "The database").required().value_name("DB");
  cli::add_format(app, arguments->json_lines,
                  "tsv (default), jsonl (an object on each line); without it, a suffix of -o says which",
                  kListFormats);
  app.add_flag("--no-header", arguments->no_header, "tsv: without the line of names");
  cli::add_output_file(app, options.output);
  cli::add_writing(app);
  app.add_flag(
         "--sex", options.sex,
         "Also what X and Y say of each person's sex, beside the tag sex: columns sex, x_called, x_het, "
         "y_called, stated")
      .brief("Also what X and Y say of each person's sex");
  cli::add_row_rule(app, options.rows);
  cli::add_accountability(app, arguments->account);
  cli::add_verbosity(app, arguments->verbosity);
  app.footer(
      "Examples:\n"
      "  fastid db list people.h5\n"
      "  fastid db list people.h5 --only 'expiry<2027-01-01' --no-header | cut -f2 > expire.txt");
  app.runs([arguments] { return run_list(*arguments); });
}

void add_tag(cli::Command db) {
  const cli::Command app = db.add_command("tag", "Set tags of profiles: case, kit, sex, consent, ...");
  const auto arguments = std::make_shared<TagArguments>();
  app.add_option("DB", arguments->options.database,
                 "The database; at every instant it is the old one or the new one")
      .required()
      .value_name("DB")
      .brief("The database");
  app.add_option("ID", arguments->ids, "Whose tags").value_name("ID...");
  app.add_option("--set", arguments->set, "Give them this tag; may be repeated")
      .brief()
      .one_at_a_time()
      .value_name("KEY=VALUE");
  app.add_option("--unset", arguments->unset, "Take this tag from them; may be repeated")
      .one_at_a_time()
      .value_name("KEY")
      .brief();
  app.add_option("--sample-sheet", arguments->sheet,
                 "A table (tabs, or commas) whose first line names its columns: ids, then tags; empty cells "
                 "change nothing")
      .value_name("FILE")
      .brief("A table: ids, then tags, as its first line names");
  cli::add_reason(app, arguments->options.reason);
  cli::add_row_rule(app, arguments->rows);
  app.add_flag("--all", arguments->all, "All profiles").brief();
  cli::add_accountability(app, arguments->account);
  cli::add_verbosity(app, arguments->verbosity);
  app.footer(
      "Examples:\n"
      "  fastid db tag people.h5 P07 P09 --set consent=yes --set kit=FORCE\n"
      "  fastid db tag people.h5 --only kit=FORCE --set expiry=2031-01-31\n"
      "  fastid db tag people.h5 --sample-sheet people.tsv\n\n"
      "Names of tags are lower-case; values are any text. expiry is the last day (UTC) on which a profile is "
      "searched: later it is left out, and searches say how many were.");
  app.runs([arguments] { return run_tag(*arguments); });
}

}  // namespace fastid::bank
