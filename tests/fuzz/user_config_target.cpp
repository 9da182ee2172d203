// A user's config file; a number that is taken from it is one that its option takes.
#include <CLI/CLI.hpp>

#include <cstdlib>
#include <filesystem>

#include "cli/user_config.hpp"
#include "fuzz/fuzz.hpp"

FASTID_FUZZ_TARGET {
  using namespace fastid;
  std::filesystem::create_directories(fuzz::folder() + "/fastid");
  ::setenv("XDG_CONFIG_HOME", fuzz::folder().c_str(), 1);
  fuzz::file_of("fastid/config", bytes);
  std::string device;
  int threads = 1;
  CLI::App app;
  app.add_option("--device", device)->envname("FASTID_DEVICE");
  app.add_option("--threads", threads)->envname("FASTID_THREADS")->check(CLI::Range(1, 4096));
  fuzz::may_refuse([&] {
    cli::apply_user_config(app, app, [](const CLI::ParseError& error) { return error.what(); });
    if (threads < 1 || threads > 4096) std::abort();
  });
}
