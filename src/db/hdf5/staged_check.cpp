#include "db/hdf5/staged_check.hpp"

#include "base/error.hpp"
#include "db/database.hpp"

namespace fastid::db {

void check_staged(const std::string& staged, const std::string& target) {
  try {
    Reader(staged).check_content();
  } catch (const InputError& error) {
    std::string why = error.what();
    if (why.starts_with(staged)) why.erase(0, staged.size());
    throw Failure(target + ": left as it was, since what was to replace it could not be read again" + why +
                  " (a defect of fastid, or of the disk)");
  }
}

}  // namespace fastid::db
