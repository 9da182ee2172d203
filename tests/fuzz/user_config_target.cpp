// A user's config file; a number that is taken from it is one that its option takes.
#include <cstdlib>
#include <filesystem>
#include <string>

#include "cli/user_config.hpp"
#include "fuzz/fuzz.hpp"

FASTID_FUZZ_TARGET {
  using namespace fastid;
  std::filesystem::create_directories(fuzz::folder() + "/fastid");
  ::setenv("XDG_CONFIG_HOME", fuzz::folder().c_str(), 1);
  fuzz::file_of("fastid/config", bytes);
  std::string device;
  int threads = 1;
  const cli::CommandLine line("fastid", "");
  const cli::Command program = line.top();
  program.add_option("--device", device, "").variable("FASTID_DEVICE");
  program.add_option("--threads", threads, "").variable("FASTID_THREADS").check(cli::within(1, 4096));
  fuzz::may_refuse([&] {
    cli::apply_user_config(program, [&] { return cli::usual_options(program); });
    if (threads < 1 || threads > 4096) std::abort();
  });
}
