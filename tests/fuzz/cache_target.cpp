// An entry of the program cache: it is as it was stored, or as good as none.
#include <cstdlib>

#include "base/hash.hpp"
#include "fuzz/fuzz.hpp"
#include "opencl/kernel/program_cache.hpp"

FASTID_FUZZ_TARGET {
  using namespace fastid;
  static const std::string key(64, 'a');
  fuzz::file_of(key, bytes);
  const opencl::ProgramCache cache(fuzz::folder());
  if (const auto binary = cache.load(key)) {
    cache.store(key, *binary);
    if (cache.load(key) != binary) std::abort();
  }
}
