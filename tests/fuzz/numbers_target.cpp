// A matrix of numbers: .npy, text or a dataset of HDF5, compressed or not. One that is taken has numbers that
// are not negative, and rows whose sums are finite.
#include <cmath>
#include <cstdlib>

#include "db/database.hpp"
#include "db/number_dataset.hpp"
#include "fuzz/fuzz.hpp"
#include "import/numbers.hpp"

FASTID_FUZZ_TARGET {
  using namespace fastid;
  const std::string path = fuzz::file_of("numbers", bytes);
  fuzz::may_refuse([&] {
    const engine::RealMatrix matrix =
        db::is_database(path) ? db::read_number_dataset(path, "") : imports::read_numbers(path);
    if (matrix.n_rows() == 0 || matrix.n_columns() == 0 || matrix.sums().size() != matrix.n_rows())
      std::abort();
    for (const double sum : matrix.sums())
      if (!std::isfinite(sum) || sum < 0) std::abort();
    const double first = engine::with_real(matrix.type(), [&](auto zero) -> double {
      return matrix.at<decltype(zero)>(matrix.n_rows() - 1, matrix.n_columns() - 1);
    });
    if (!(first >= 0)) std::abort();
  });
}
