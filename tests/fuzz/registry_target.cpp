// The user's own registry of configs, and a config that it names: what is wrong with them costs them only. A
// registry that gets one more line keeps the others.
#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "fuzz/fuzz.hpp"
#include "model/registry.hpp"

namespace {

using namespace fastid;

/// A device that patterns of a registry may fit. The program's own registry knows no more of it than that it
/// is one, so that most of the time goes to what the input says.
const model::DeviceFacts& device() {
  static const model::DeviceFacts facts = [] {
    model::DeviceFacts made;
    made.platform = made.vendor = "Maker";
    made.device = "H200";
    made.type = "GPU";
    made.architecture = "unit_90";
    made.max_group_items = made.max_group_columns = made.max_group_rows = 1024;
    made.local_memory = 49152;
    return made;
  }();
  return facts;
}

/// Where registry.cpp looks for the user's own.
const std::string& user_folder_of_configs() {
  static const std::string folder = [] {
    ::setenv("XDG_CONFIG_HOME", fuzz::folder().c_str(), 1);
    std::filesystem::create_directories(model::user_config_folder());
    return model::user_config_folder().substr(fuzz::folder().size() + 1);
  }();
  return folder;
}

bool same(const model::RegistryLine& a, const model::RegistryLine& b) {
  return a.field == b.field && a.pattern == b.pattern && a.config == b.config;
}

}  // namespace

FASTID_FUZZ_TARGET {
  const std::string& folder = user_folder_of_configs();
  const auto contents = fuzz::pieces(bytes, 2);
  fuzz::file_of(folder + "/registry.tsv", contents[0]);
  fuzz::file_of(folder + "/mine.h", contents[1]);
  const auto chain = model::config_chain(device());
  if (chain.empty()) std::abort();
  for (const model::ConfigLink& link : chain)
    if (link.unfit.empty() && !link.file.empty()) model::config_of(link);

  const auto before = model::user_registry();
  const model::RegistryLine line{"device", "H200", "mine"};
  fuzz::file_of(folder + "/registry.tsv", registry_with(line));
  const auto after = model::user_registry();
  if (after.empty() || !same(after[0], line)) std::abort();
  for (const model::RegistryLine& old : before)
    if (!(old.field == line.field && old.pattern == line.pattern) &&
        std::ranges::none_of(after, [&](const model::RegistryLine& kept) { return same(kept, old); }))
      std::abort();
}
