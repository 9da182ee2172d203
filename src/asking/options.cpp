#include "asking/options.hpp"

#include "base/process.hpp"

namespace fastid::asking {

db::BlockChecks checks_of(const SearchOptions& options) {
  return options.skip_checksums ? db::BlockChecks::kNone : db::BlockChecks::kAll;
}

std::size_t threads_of(const SearchOptions& options) {
  return threads_or_all(options.threads);
}

}  // namespace fastid::asking
