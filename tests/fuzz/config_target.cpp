// A config header for an OpenCL device, as --config takes it. What reaches a compiler is made of its numbers.
#include <cstdlib>

#include "fuzz/fuzz.hpp"
#include "model/config.hpp"

FASTID_FUZZ_TARGET {
  using namespace fastid;
  fuzz::may_refuse([&] {
    const std::string defines = model::config_defines(model::parse_config(bytes, "fuzz.h"));
    for (const char c : defines)
      if ((c < ' ' && c != '\n') || c > '~' || c == '"' || c == '\\') std::abort();
  });
}
