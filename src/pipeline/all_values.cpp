#include "pipeline/all_values.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <vector>

#include "base/checked.hpp"
#include "base/process.hpp"

namespace fastid {
namespace {

/// Rectangles of a band, each with some pivots, so that neighbours have the same rectangle.
class Band {
 public:
  /// The band that begins at `last.first` of a range of last members.
  Band(const AllValues& all, const Range& last, std::uint64_t most_values, std::size_t pairs_at_once)
      : way_(all.moments.way()), side_(side_of(all)), last_{last.first, last.first} {
    const std::uint64_t first = n_combinations(last.first, way_), cells = all.values.cells();
    do ++last_.end;
    while (last_.end < last.end && last_.size() < side_ &&
           (n_combinations(last_.end + 1, way_) - first) * cells <= most_values);
    constexpr std::size_t kLeastPieces = 32;  // of a rectangle, for all of an engine's lanes and devices
    const std::size_t side = std::min(side_, end()), most = ceil_div(last_.size(), kLeastPieces);
    pivots_ = way_ == 2 ? 1 : std::clamp<std::size_t>(pairs_at_once / (side * side), 1, most);
  }

  const Range& last() const { return last_; }
  std::uint32_t end() const { return static_cast<std::uint32_t>(last_.end); }
  std::uint64_t combinations() const {
    return n_combinations(last_.end, way_) - n_combinations(last_.first, way_);
  }

  std::size_t n_pieces() const {
    const std::uint64_t tiles = ceil_div(end(), side_);
    return static_cast<std::size_t>(way_ == 2 ? tiles : n_combinations(tiles + 1, 2) * pieces_of_a_tile());
  }

  /// Of pairs there is no pivot.
  struct Piece {
    std::uint32_t pivot_begin = 0, pivot_end = 0;
    Rectangle pairs;

    std::uint32_t n_pivots() const { return pivot_end - pivot_begin; }
  };
  Piece piece(std::size_t i) const {
    const auto first = static_cast<std::uint32_t>(last_.first);
    if (way_ == 2) {
      const auto column = static_cast<std::uint32_t>(i) * side_;
      return {0, 0, {first, end(), column, end() - column > side_ ? column + side_ : end()}};
    }
    const auto pivot = first + static_cast<std::uint32_t>(i % pieces_of_a_tile() * pivots_);
    const auto pivot_end = static_cast<std::uint32_t>(std::min<std::uint64_t>(pivot + pivots_, end()));
    Rectangle pairs = triangle_tile(i / pieces_of_a_tile(), side_, end());
    pairs.row_end = std::max(pairs.row_begin, std::min(pairs.row_end, pivot_end - 1));
    pairs.column_end = std::max(pairs.column_begin, std::min(pairs.column_end, pairs.row_end));
    return {pivot, pivot_end, pairs};
  }

 private:
  /// Of triples no more than an eighth of all vectors, since half of the rectangles on the diagonal is for
  /// nothing, but enough for the engine.
  static std::uint32_t side_of(const AllValues& all) {
    const std::uint32_t side = all.moments.engine().rectangle_side(), n = all.moments.planes().n;
    constexpr std::uint32_t kTiles = 8;
    const auto eighth = ceil_div<std::uint32_t>(n, kTiles * kLanes) * static_cast<std::uint32_t>(kLanes);
    return all.moments.way() == 2 ? side
                                  : std::min(side, std::max(all.moments.engine().least_side(), eighth));
  }

  std::size_t pieces_of_a_tile() const { return ceil_div<std::size_t>(last_.size(), pivots_); }

  std::size_t way_;
  std::uint32_t side_;
  Range last_;
  std::size_t pivots_;  ///< of a piece
};

/// A piece's combinations: first members come before second ones, and these before the pivot.
std::uint64_t combinations_of(const Band::Piece& piece) {
  std::uint64_t n = 0;
  for (std::uint32_t row = piece.pairs.row_begin; row < piece.pairs.row_end; ++row) {
    const std::uint64_t pivots =
        piece.n_pivots() == 0 ? 1 : piece.pivot_end - std::max(piece.pivot_begin, row + 1);
    n += pivots * piece.pairs.columns_below(row);
  }
  return n;
}

/// \param pairs_at_once  of a piece, as SimilarityEngine has it
/// \param end  receives how many combinations a band had, and returns the most values of the next one
void for_all_bands(const AllValues& all, const Range& last, std::size_t pairs_at_once,
                   const std::function<void(const Band&)>& begin,
                   const std::function<void(const Band::Piece&)>& take,
                   const std::function<std::uint64_t(std::uint64_t)>& end) {
  std::uint64_t most_values = all.most_values;
  for (Range left = last; left.size() > 0;) {
    const Band band(all, left, most_values, pairs_at_once);
    begin(band);
    all.pool.for_each(band.n_pieces(), [&](std::size_t i, const ThreadPool::Stop&) {
      check_interrupt();
      const Band::Piece piece = band.piece(i);
      const std::uint64_t combinations = combinations_of(piece);
      if (combinations > 0) take(piece);
      all.progress.add(combinations);
    });
    most_values = end(band.combinations());
    left.first = band.last().end;
  }
}

/// The most values of a band of which only those at or above a threshold are kept, by how many of the last
/// one were: no more than these are kept of the next one unless it has eight times the share. A band of 2^32
/// is large enough for any engine.
std::uint64_t next_band(std::uint64_t most_kept, std::uint64_t values, std::uint64_t kept) {
  constexpr double kMargin = 8, kGrowth = 16, kMost = 0x1p32;
  const double n = static_cast<double>(values), share = static_cast<double>(kept) / n;
  const double by_share = static_cast<double>(most_kept) / std::max(kMargin * share, 1 / kMost);
  return std::max(most_kept, static_cast<std::uint64_t>(std::min({by_share, kGrowth * n, kMost})));
}

/// What vectors need to reach a threshold, less what rounding may do.
struct Needs {
  std::vector<double> row, column;
};

Needs needs_of(const AllValues& all, const Rectangle& pairs, std::optional<std::uint32_t> pivot,
               double least) {
  constexpr double kSlack = 1e-9;
  const std::vector<double>& sum = all.moments.own().sum;
  const double share = least * (pivot ? 2.0 / 3 : .5);
  const double* const with_pivot = pivot ? all.moments.pairs_of(*pivot) : nullptr;
  const auto need = [&](std::uint32_t vector, double more) {
    const double wanted = share * (sum[vector] + more);
    const double there = with_pivot != nullptr && vector < *pivot ? with_pivot[vector] : 0;
    return wanted - there - kSlack * (wanted + there + 1);
  };
  Needs needs;
  for (std::uint32_t j = pairs.row_begin; j < pairs.row_end; ++j)
    needs.row.push_back(need(j, pivot ? sum[*pivot] : 0));
  for (std::uint32_t i = pairs.column_begin; i < pairs.column_end; ++i) needs.column.push_back(need(i, 0));
  return needs;
}

/// Returns how many were found.
std::size_t find(const AllValues& all, const Band::Piece& piece, double least, FoundSink& sink) {
  std::vector<std::optional<std::uint32_t>> pivots;
  for (std::uint32_t pivot = piece.pivot_begin; pivot < piece.pivot_end; ++pivot) pivots.emplace_back(pivot);
  std::vector<const double*> pairs;  // of each row, from the first column on
  for (std::uint32_t j = piece.pairs.row_begin; !pivots.empty() && j < piece.pairs.row_end; ++j)
    pairs.push_back(all.moments.pairs_of(j) + piece.pairs.column_begin);
  if (pivots.empty()) pivots.emplace_back();
  std::vector<Needs> needs;
  std::vector<ProductFilter> filters;
  needs.reserve(pivots.size());
  for (const std::optional<std::uint32_t> pivot : pivots) {
    const Needs& of = needs.emplace_back(needs_of(all, piece.pairs, pivot, least));
    filters.push_back({pivot, of.row, of.column, pairs});
  }
  std::vector<FoundProduct> products;
  all.moments.engine().find(piece.pairs, filters, products);
  std::vector<FoundValue> found;
  for (const FoundProduct& each : products) {
    const std::optional<std::uint32_t> pivot = filters[each.filter].pivot;
    if (each.column >= each.row || each.row >= pivot.value_or(UINT32_MAX)) continue;
    const Members members{each.column, each.row, pivot.value_or(0)};
    double value = 0;
    all.values.of_row(all.moments.row_of(members, &each.product), {&value, 1});
    if (value >= least) found.push_back({index_of(members, all.moments.way()), value});
  }
  if (!found.empty()) sink.take(found);
  return found.size();
}

}  // namespace

void stream_values(const AllValues& all, const Range& last, std::span<ValueSink* const> sinks) {
  const std::size_t way = all.moments.way(), cells = all.values.cells();
  const auto begin = [&](const Band& band) {
    const Range indices{n_combinations(band.last().first, way) * cells,
                        n_combinations(band.last().end, way) * cells};
    for (ValueSink* sink : sinks) sink->begin(indices);
  };
  const auto take = [&](const Band::Piece& piece) {
    std::vector<double> values(piece.pairs.columns() * cells);
    const auto pivot = way == 2 ? std::nullopt : std::optional(piece.pivot_begin);
    all.moments.count(pivot, piece.pairs, [&](const MomentRow& row) {
      const std::span<double> of_row = std::span(values).first(row.n * cells);
      all.values.of_row(row, of_row);
      for (ValueSink* sink : sinks) sink->take({index_of(row.members, way) * cells, row.members, of_row});
    });
  };
  const auto end = [&](std::uint64_t) {
    for (ValueSink* sink : sinks) sink->end();
    return all.most_values;
  };
  for_all_bands(all, last, 1, begin, take, end);
}

bool engine_finds(const MomentCounter& moments) {
  return moments.planes().all_called && moments.planes().n_values == 1;
}

void stream_found(const AllValues& all, const Range& last, double least, FoundSink& sink) {
  std::atomic<std::uint64_t> found = 0;
  const auto end = [&](std::uint64_t values) {
    sink.end();
    return next_band(all.most_values, values, found.exchange(0));
  };
  for_all_bands(
      all, last, all.moments.engine().pairs_at_once(), [](const Band&) {},
      [&](const Band::Piece& piece) { found += find(all, piece, least, sink); }, end);
}

}  // namespace fastid
