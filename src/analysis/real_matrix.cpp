#include "analysis/real_matrix.hpp"

#include <filesystem>
#include <system_error>

#include "base/error.hpp"
#include "db/database.hpp"
#include "db/number_dataset.hpp"
#include "import/numbers.hpp"

namespace fastid {
namespace {

/// FILE or FILE:DATASET; a file whose own name has a colon comes first.
struct MatrixName {
  std::string file, dataset;

  explicit MatrixName(const std::string& path) : file(path) {
    const std::size_t colon = path.rfind(':');
    std::error_code ignored;
    if (colon == std::string::npos || std::filesystem::exists(path, ignored)) return;
    file = path.substr(0, colon);
    dataset = path.substr(colon + 1);
  }
};

}  // namespace

bool is_real_matrix(const std::string& path) {
  const MatrixName name(path);
  return !name.dataset.empty() || !db::is_database(name.file) || db::is_number_file(name.file);
}

RealMatrix read_real_matrix(const std::string& path) {
  const MatrixName name(path);
  if (db::is_database(name.file)) return db::read_number_dataset(name.file, name.dataset);
  if (!name.dataset.empty())
    throw InputError(name.file, "", "is no HDF5 file, so that it has no datasets", "name the file alone");
  return read_numbers(name.file);
}

}  // namespace fastid
