// HDF5 1.10.8 loses memory where a chunk fails its checksum or a file cannot be closed.
#pragma once

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

#include "db/hdf5/hdf5_handle.hpp"

namespace fastid::db::testing {

/// What is allocated while this lives is not held against the test by the leak checker; everywhere else a
/// forgotten handle still shows.
class LibraryMayLeak {
 public:
  LibraryMayLeak() {
    const h5::Session session;
    H5garbage_collect();  // else memory that was put by before would be lost now
  }

 private:
#ifdef __SANITIZE_ADDRESS__
  __lsan::ScopedDisabler disabler_;
#endif
};

}  // namespace fastid::db::testing
