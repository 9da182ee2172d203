#include "questions/similarity/numbers.hpp"

#include <algorithm>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "db/database.hpp"
#include "db/number_dataset.hpp"
#include "import/numbers.hpp"
#include "import/text_output.hpp"

namespace fastid::similarity {
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

/// Whether a file begins as .npy does, or with a line of numbers that tabs separate.
bool begins_with_numbers(const std::string& path) {
  constexpr std::size_t kHead = 4096;
  const std::string head = imports::first_text_of(path, kHead);
  if (head.starts_with(imports::kNpyMagic)) return true;
  const std::size_t end = head.find('\n');
  std::vector<std::string_view> cells = split(std::string_view(head).substr(0, end), '\t');
  if (end == std::string::npos && head.size() == kHead) cells.pop_back();  // cut off
  return cells.size() > 1 && std::ranges::all_of(cells, [](std::string_view cell) {
           return parse_number<double>(trim(cell)).has_value();
         });
}

}  // namespace

bool is_real_matrix(const std::string& path) {
  if (path == "-") return false;
  const MatrixName name(path);
  if (!name.dataset.empty()) return true;
  return db::is_database(name.file) ? db::is_number_file(name.file) : begins_with_numbers(name.file);
}

std::string file_of_real_matrix(const std::string& path) {
  return MatrixName(path).file;
}

std::optional<engine::RealRows> rows_of_real_matrix(const std::string& path) {
  const MatrixName name(path);
  if (path != "-" && db::is_database(name.file)) return db::rows_of_number_dataset(name.file, name.dataset);
  return name.dataset.empty() ? imports::rows_of_numbers(name.file) : std::nullopt;
}

engine::RealMatrix read_real_matrix(const std::string& path) {
  const MatrixName name(path);
  if (db::is_database(name.file)) return db::read_number_dataset(name.file, name.dataset);
  if (!name.dataset.empty())
    throw InputError(name.file, "", "is no HDF5 file, so that it has no datasets", "name the file alone");
  return imports::read_numbers(name.file);
}

}  // namespace fastid::similarity
