// The log of a database; records that are taken are written and read again, to the same text.
#include <cstdlib>

#include "db/hdf5/log_json.hpp"
#include "fuzz/fuzz.hpp"

FASTID_FUZZ_TARGET {
  using namespace fastid;
  fuzz::may_refuse([&] {
    for (const db::LogRecord& record : db::parse_log(bytes, "log")) {
      const std::string line = db::to_json_line(record);
      if (db::to_json_line(db::parse_log(line, "log").at(0)) != line) std::abort();
    }
  });
}
