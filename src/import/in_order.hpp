/// \file
/// Reads many files in parallel, with results in their order.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <span>
#include <string>

#include "base/thread_pool.hpp"
#include "import/import.hpp"

namespace fastid::imports {

/// What is done with each file. Only `check` may run for several files at the same time.
struct ImportSteps {
  std::function<void(const ImportedProfiles&)> check;  ///< on any thread, before its turn; may be null
  std::function<void(std::size_t file, ImportedProfiles profiles)> take;
  /// Called where a file could not be read or `check` has thrown; null: the exception ends the reading.
  std::function<void(std::size_t file, const std::exception_ptr& problem)> failed;
};

/// Imports every file with the threads of `pool`; takes one at a time and in the order of the files. Each
/// file's warnings stay in ImportedProfiles, as import_profiles() leaves them. As many files are in memory as
/// there are threads. \throws what reading, `check`, `take` or `failed` throws. If several files fail, the
/// first one's failure is thrown.
void import_in_order(std::span<const std::string> files, const Panel& panel, const ImportOptions& options,
                     ThreadPool& pool, const ImportSteps& steps);

}  // namespace fastid::imports
