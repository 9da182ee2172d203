// A database that may be anything: opened, verified, and all of it read.
#include <algorithm>
#include <vector>

#include "db/database.hpp"
#include "fuzz/fuzz.hpp"

/// libhdf5 forgets some of its memory over metadata that are damaged; that is not ours to mend.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libhdf5\n";
}

namespace {

using namespace fastid;

void read_all(const db::Reader& database) {
  const BlockShape shape = database.shape();
  WordBuffer bits(shape.block_words()), called(database.has_second() ? shape.block_words() : 0);
  for (std::uint64_t b = 0; b < std::min<std::uint64_t>(shape.n_blocks(), 64); ++b)
    fuzz::may_refuse([&] { database.read(b, 1, bits.data(), called.data()); });
  const std::uint64_t n = std::min<std::uint64_t>(shape.n_profiles, 1000);
  fuzz::may_refuse([&] { database.profile_ids(0, static_cast<std::size_t>(n)); });
  fuzz::may_refuse([&] { database.log(); });
  database.profiles_sha256();
}

}  // namespace

FASTID_FUZZ_TARGET {
  const std::string path = fuzz::file_of("fuzz.h5", bytes);
  fuzz::may_refuse([&] { db::verify(path, 1, nullptr); });
  fuzz::may_refuse([&] { read_all(db::Reader(path)); });
}
