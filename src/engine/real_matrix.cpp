#include "engine/real_matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/process.hpp"
#include "base/text.hpp"

namespace fastid::engine {
namespace {

constexpr std::size_t kColumnsAtOnce = 512;  // so that what is written of 32 rows stays in the cache
constexpr double kMebi = 1 << 20;

}  // namespace

RealMatrix::RealMatrix(std::string name, RealType type, std::uint64_t columns)
    : name_(std::move(name)), type_(type), n_columns_(columns) {
  if (columns == 0)
    throw InputError(name_, "", "the matrix has no columns", "give vectors of at least one number");
}

void RealMatrix::expect_rows(std::uint64_t rows) const {
  const double need = std::ceil(static_cast<double>(rows) / kLanes) * kLanes *
                      static_cast<double>(n_columns_) * static_cast<double>(bytes_of(type_));
  const auto have = static_cast<double>(physical_memory_bytes());
  if (need > have)
    throw Failure(
        fmt::format("{}: {} rows of {} numbers take {:.0f} MiB of memory, and this machine has {:.0f}; split "
                    "the matrix, or use a machine with more",
                    name_, with_commas(rows), with_commas(n_columns_), need / kMebi, have / kMebi));
}

void RealMatrix::refuse(std::size_t column, const std::string& problem) const {
  throw InputError(name_, fmt::format("row {}, column {}", file_row_ + 1, file_column_ + column + 1), problem,
                   "give finite numbers of at least 0, such as abundances or copies");
}

template <class T>
void RealMatrix::check(std::span<const T> row) {
  T sum = 0;
  bool fit = true, normal = true;
  for (const T value : row) {
    fit = fit && value >= 0;
    normal = normal && (value == 0 || value >= std::numeric_limits<T>::min());
    sum += value;
  }
  if (!fit || !std::isfinite(sum)) {
    const auto bad = std::ranges::find_if(row, [](T value) { return !(value >= 0) || std::isinf(value); });
    if (bad != row.end())
      refuse(static_cast<std::size_t>(bad - row.begin()), fmt::format("the number is {}", *bad));
    throw InputError(name_, fmt::format("row {}", file_row_ + 1),
                     "the sum of its numbers is too large for their type",
                     "divide all numbers by one of them");
  }
  has_denormals_ = has_denormals_ || !normal;
  sums_.push_back(sum);
}

template <class T>
void RealMatrix::append(std::span<const T> rows) {
  for (; !rows.empty();) {
    const std::size_t first = n_rows_ % kLanes;
    if (first == 0) {
      expect_rows(std::uint64_t{n_rows_} + 1);
      blocks_.emplace_back(checked_mul(checked_mul(n_columns_, kLanes), sizeof(T) / sizeof(Word)));
    }
    const std::size_t n = std::min(rows.size() / n_columns_, kLanes - first);
    for (std::size_t i = 0; i < n; ++i) {
      check(rows.subspan(i * n_columns_, n_columns_));
      n_rows_ = checked_add(n_rows_, 1U);
      ++file_row_;
    }
    T* const to = reinterpret_cast<T*>(blocks_.back().data()) + first;
    for (std::size_t begin = 0; begin < n_columns_; begin += kColumnsAtOnce)
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t q = begin; q < std::min(begin + kColumnsAtOnce, n_columns_); ++q)
          to[q * kLanes + i] = rows[i * n_columns_ + q] + T{0};
    rows = rows.subspan(n * n_columns_);
  }
}

template void RealMatrix::append(std::span<const float> rows);
template void RealMatrix::append(std::span<const double> rows);

void RealMatrix::finish() const {
  if (n_rows_ == 0) throw InputError(name_, "", "the matrix has no rows", "give at least one vector");
}

}  // namespace fastid::engine
