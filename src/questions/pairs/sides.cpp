#include "questions/pairs/sides.hpp"

#include <algorithm>
#include <utility>

namespace fastid::pairs {

PairSide::PairSide(const BlockSource& profiles, std::optional<std::vector<std::uint64_t>> chosen)
    : profiles_(profiles),
      chosen_(chosen ? std::make_unique<SelectedRows>(profiles, std::move(*chosen)) : nullptr) {}

const BlockSource& PairSide::source() const {
  if (chosen_) return *chosen_;
  return profiles_;
}

std::uint64_t PairSide::places_below(std::uint64_t row) const {
  if (!chosen_) return std::min(row, size());
  return static_cast<std::uint64_t>(std::ranges::lower_bound(chosen_->rows(), row) - chosen_->rows().begin());
}

PairSides::PairSides(PairSide columns, PairSide rows)
    : columns_(std::move(columns)),
      rows_(std::move(rows)),
      one_database_(&columns_.profiles() == &rows_.profiles()) {
  if (!one_database_ || columns_.size() == 0) return;
  // Where the columns are the last rows, a pair of two columns counts where the later one is the column.
  const std::uint64_t from = rows_.places_below(columns_.row(0));
  triangle_ = rows_.size() - from == columns_.size();
  for (std::uint64_t i = 0; triangle_ && i < columns_.size(); ++i)
    triangle_ = columns_.row(i) == rows_.row(from + i);
}

// A pair whose profiles are both on both sides is met twice, and counts once.
bool PairSides::counts(std::uint64_t column, std::uint64_t row) const {
  if (!one_database_) return true;
  const std::uint64_t a = columns_.row(column), b = rows_.row(row);
  return b < a || (b > a && !(rows_.has(a) && columns_.has(b)));
}

std::uint64_t PairSides::rows_for(std::uint64_t end) const {
  return triangle_ && end > 0 ? rows_.places_below(columns_.row(end - 1)) : rows_.size();
}

std::uint64_t PairSides::in_both() const {
  if (!one_database_) return 0;
  std::uint64_t both = 0;
  for (std::uint64_t i = 0; i < columns_.size(); ++i) both += rows_.has(columns_.row(i));
  return both;
}

std::uint64_t PairSides::n_pairs() const {
  const std::uint64_t both = in_both();
  const std::uint64_t met_twice = both == 0 ? 0 : both * (both - 1) / 2;
  return columns_.size() * rows_.size() - both - met_twice;
}

std::uint64_t PairSides::n_profiles() const {
  return columns_.size() + rows_.size() - in_both();
}

}  // namespace fastid::pairs
