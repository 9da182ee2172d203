// A record of searches that anybody may have edited.
#include "cli/audit_log.hpp"
#include "fuzz/fuzz.hpp"

FASTID_FUZZ_TARGET {
  using namespace fastid;
  const std::string path = fuzz::file_of("log.jsonl", bytes);
  fuzz::may_refuse([&] { cli::verify_audit_log(path, ""); });
  fuzz::may_refuse([&] { cli::AuditLog(path).append(cli::facts_of(match::MatchTable{})); });
  fuzz::may_refuse([&] { cli::verify_audit_log(path, std::string(64, '0')); });
}
