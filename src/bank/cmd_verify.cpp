// fastid db verify: lists what is damaged.
#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "bank/commands.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "cli/common.hpp"
#include "db/database.hpp"

namespace fastid::bank {
namespace {

struct VerifyArguments {
  std::string database;
  std::size_t threads = 0;
  bool quick = false;
  cli::Verbosity verbosity;
};

ExitCode run_verify(const VerifyArguments& arguments) {
  arguments.verbosity.apply();
  const std::string& path = arguments.database;
  std::uint64_t blocks = 0;
  {
    const db::Reader reader(path);
    blocks = reader.shape().n_blocks();
  }
  std::vector<db::Damage> damages;
  {
    Progress progress(arguments.verbosity.progress, "verifying", "blocks", blocks);
    const std::size_t threads = threads_or_all(arguments.threads);
    damages = db::verify(
        path, threads, [&progress](std::uint64_t n) { progress.add(n); },
        arguments.quick ? db::VerifyDepth::kQuick : db::VerifyDepth::kAll);
  }
  constexpr std::size_t kListed = 20;
  for (std::size_t i = 0; i < std::min(kListed, damages.size()); ++i)
    log::error_text(path + ", " + damages[i].place + ": " + damages[i].problem);
  if (!damages.empty())
    throw InputError(path, "", counted(damages.size(), "place") + " damaged", "restore it from a copy");
  if (arguments.quick)
    log::note("{}: sound but for its blocks, which were not read", path);
  else
    log::note("{}: sound: {}", path, counted(blocks, "block"));
  return ExitCode::kDone;
}

}  // namespace

void add_verify(cli::Command db) {
  const cli::Command app = db.add_command("verify", "Check every block, id and checksum of a database");
  const auto arguments = std::make_shared<VerifyArguments>();
  app.add_option("DB", arguments->database, "The database").required().value_name("DB");
  cli::add_threads(app, arguments->threads);
  app.add_flag("--quick", arguments->quick,
               "Everything but the blocks: attributes, panel, frequencies, ids, log")
      .brief("Everything but the blocks");
  cli::add_verbosity(app, arguments->verbosity);
  app.footer(
      "Example:\n  fastid db verify people.h5\n\nExits with 0 where all is sound, with 3 where anything is "
      "damaged.");
  app.runs([arguments] { return run_verify(*arguments); });
}

}  // namespace fastid::bank
