#include "pipeline/all_values.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "base/checked.hpp"
#include "base/process.hpp"

namespace fastid::pipeline {
namespace {

/// Some combinations: of pairs there is no pivot.
struct Piece {
  std::uint32_t pivot_begin = 0, pivot_end = 0;
  engine::Rectangle pairs;

  std::uint32_t n_pivots() const { return pivot_end - pivot_begin; }
  /// Its combinations: first members come before second ones, and these before the pivot.
  std::uint64_t combinations() const {
    std::uint64_t n = 0;
    for (std::uint32_t row = pairs.row_begin; row < pairs.row_end; ++row) {
      const std::uint64_t pivots = n_pivots() == 0 ? 1 : pivot_end - std::max(pivot_begin, row + 1);
      n += pivots * pairs.columns_below(row);
    }
    return n;
  }
  /// Its pivots, or once none.
  std::vector<std::optional<std::uint32_t>> pivots() const {
    if (n_pivots() == 0) return {std::nullopt};
    std::vector<std::optional<std::uint32_t>> each;
    for (std::uint32_t pivot = pivot_begin; pivot < pivot_end; ++pivot) each.emplace_back(pivot);
    return each;
  }
};

/// How a band is cut.
struct Cut {
  std::size_t pairs_at_once = 1;     ///< of a piece, as SimilarityEngine has it
  std::uint32_t compared_first = 0;  ///< as ChoosingSink has it
};

/// Pieces of a band, in an order in which neighbours have the same rectangle. Those that compare each last
/// member with some vectors first are pieces of their own.
class Band {
 public:
  /// The band that begins at `last.first` of a range of last members.
  Band(const AllValues& all, const Range& last, std::uint64_t most_values, const Cut& cut)
      : way_(all.moments.way()),
        cells_(all.moments.values().cells()),
        side_(side_of(all)),
        last_{last.first, last.first},
        first_end_(ceil_div<std::uint32_t>(cut.compared_first, kLanes) * static_cast<std::uint32_t>(kLanes)) {
    const std::uint64_t first = engine::n_combinations(last.first, way_);
    do ++last_.end;
    while (last_.end < last.end && last_.size() < side_ &&
           (engine::n_combinations(last_.end + 1, way_) - first) * cells_ <= most_values);
    constexpr std::size_t kPieces = 32;  // of a rectangle: some for each of an engine's queues
    const std::size_t side = std::min(side_, end()), most = ceil_div(last_.size(), kPieces);
    pivots_ = way_ == 2 ? 1 : std::clamp<std::size_t>(cut.pairs_at_once / (side * side), 1, most);
  }

  const Range& last() const { return last_; }
  std::uint32_t end() const { return static_cast<std::uint32_t>(last_.end); }
  std::uint64_t combinations() const {
    return engine::n_combinations(last_.end, way_) - engine::n_combinations(last_.first, way_);
  }
  /// Of its values.
  Range indices() const {
    return {engine::n_combinations(last_.first, way_) * cells_,
            engine::n_combinations(last_.end, way_) * cells_};
  }

  /// The pieces with the vectors that each last member is compared with first.
  std::size_t n_first_pieces() const {
    if (first_end_ == 0) return 0;
    return static_cast<std::size_t>(way_ == 2 ? ceil_div<std::uint64_t>(last_.size(), kFirstRows)
                                              : last_.size());
  }
  Piece first_piece(std::size_t i) const {
    const auto first = static_cast<std::uint32_t>(last_.first);
    if (way_ == 2) {
      const auto row = first + static_cast<std::uint32_t>(i) * kFirstRows;
      return {0, 0, {row, std::min(row + kFirstRows, end()), 0, std::min(first_end_, end())}};
    }
    const auto pivot = first + static_cast<std::uint32_t>(i);
    const std::uint32_t side = std::min(first_end_, pivot);
    return {pivot, pivot + 1, {0, side, 0, side}};
  }

  /// The other ones.
  std::size_t n_pieces() const {
    const std::uint64_t tiles = ceil_div(end(), side_);
    return static_cast<std::size_t>(way_ == 2 ? tiles
                                              : engine::n_combinations(tiles + 1, 2) * pieces_of_a_tile());
  }
  Piece piece(std::size_t i) const {
    const auto first = static_cast<std::uint32_t>(last_.first);
    if (way_ == 2) {
      const auto column = static_cast<std::uint32_t>(i) * side_;
      const std::uint32_t column_end = end() - column > side_ ? column + side_ : end();
      return {0, 0, {first, end(), std::clamp(first_end_, column, column_end), column_end}};
    }
    const auto pivot = first + static_cast<std::uint32_t>(i % pieces_of_a_tile() * pivots_);
    const auto pivot_end = static_cast<std::uint32_t>(std::min<std::uint64_t>(pivot + pivots_, end()));
    engine::Rectangle pairs = engine::triangle_tile(i / pieces_of_a_tile(), side_, end());
    pairs.row_begin = std::max(pairs.row_begin, first_end_);
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

  static constexpr std::uint32_t kFirstRows = 64;  // of a first piece

  std::size_t way_, cells_;
  std::uint32_t side_;
  Range last_;
  std::uint32_t first_end_;  ///< of the vectors that are compared first
  std::size_t pivots_;       ///< of a piece
};

using TakePiece = std::function<void(const Piece&)>;

void take_piece(const AllValues& all, const Piece& piece, const TakePiece& with) {
  check_interrupt();
  const std::uint64_t combinations = piece.combinations();
  if (combinations > 0) with(piece);
  all.progress.add(combinations);
}

/// What sinks get as a combination's members.
engine::Members listed(const AllValues& all, engine::Members members) {
  for (std::size_t m = 0; m < members.size(); ++m) members[m] += all.shift[m];
  return members;
}

/// \param take_first  what is done with the first pieces of a band, before any other one
/// \param end  receives how many combinations a band had, and returns the most values of the next one
void for_all_bands(const AllValues& all, const Range& last, const Cut& cut,
                   const std::function<void(const Band&)>& begin, const TakePiece& take_first,
                   const TakePiece& take, const std::function<std::uint64_t(std::uint64_t)>& end) {
  std::uint64_t most_values = all.most_values;
  for (Range left = last; left.size() > 0;) {
    const Band band(all, left, most_values, cut);
    begin(band);
    all.pool.for_each(band.n_first_pieces(), [&](std::size_t i, const ThreadPool::Stop&) {
      take_piece(all, band.first_piece(i), take_first);
    });
    all.pool.for_each(band.n_pieces(),
                      [&](std::size_t i, const ThreadPool::Stop&) { take_piece(all, band.piece(i), take); });
    most_values = end(band.combinations());
    left.first = band.last().end;
  }
}

/// The most values of a band of which a sink holds only some, by how many it held of the last one: no more
/// than these are held of the next one unless it has eight times the share. A band of 2^32 is large enough
/// for any engine.
std::uint64_t next_band(std::uint64_t most_held, std::uint64_t values, std::uint64_t held) {
  if (values == 0) return most_held;
  constexpr double kMargin = 8, kGrowth = 16, kMost = 0x1p32;
  const double n = static_cast<double>(values), share = static_cast<double>(held) / n;
  const double by_share = static_cast<double>(most_held) / std::max(kMargin * share, 1 / kMost);
  return std::max(most_held, static_cast<std::uint64_t>(std::min({by_share, kGrowth * n, kMost})));
}

/// What vectors need for a value that a sink needs, less what rounding may do.
class Limits {
  static constexpr double kSlack = 1e-9;

 public:
  /// Of vectors begin .. end - 1. \param is_row  the pivot's share is that of the rows
  Limits(const AllValues& all, const ChoosingSink& sink, std::uint32_t begin, std::uint32_t end,
         std::optional<std::uint32_t> pivot, bool is_row)
      : least_(end - begin), sum_(end - begin), there_(end - begin) {
    const double pivot_least = pivot ? sink.least(*pivot) : std::numeric_limits<double>::infinity();
    for (std::uint32_t vector = begin; vector < end; ++vector)
      least_[vector - begin] =  // no value is below 0
          std::max(0.0, std::min(pivot_least, sink.least(vector + all.shift[is_row ? 1 : 0])));
    if (all.moments.metric() == engine::SimilarityMetric::kCcc)
      correlate(all, begin, pivot);
    else
      proportion(all, begin, pivot, is_row);
  }

  engine::ProductLimits get() const { return {least_, sum_, there_}; }
  /// Whether so many vectors need no minimum that the engine would find too many.
  bool are_too_low() const {
    return static_cast<std::size_t>(std::ranges::count(least_, 0)) >
           least_.size() / engine::SimilarityEngine::kPairsOfFound;
  }

 private:
  void correlate(const AllValues& all, std::uint32_t begin, std::optional<std::uint32_t> pivot) {
    const double* const with_pivot = pivot ? all.moments.pairs_of(*pivot) : nullptr;
    for (std::size_t i = 0; i < least_.size(); ++i) {
      const auto vector = static_cast<std::uint32_t>(begin + i);
      least_[i] = std::max(0.0, least_[i] - kSlack) / engine::kCorrelationScale;
      sum_[i] = all.moments.share_of_minor(vector);
      there_[i] = pivot && vector < *pivot ? all.moments.scale(2) * with_pivot[vector] : 0;
    }
  }

  void proportion(const AllValues& all, std::uint32_t begin, std::optional<std::uint32_t> pivot,
                  bool is_row) {
    const double of_a_sum = pivot ? 2.0 / 3 : .5;
    const double pivot_sum = pivot && is_row ? all.moments.least_sum(*pivot) : 0;
    const double* const with_pivot = pivot ? all.moments.pairs_of(*pivot) : nullptr;
    for (std::size_t i = 0; i < least_.size(); ++i) {
      const auto vector = static_cast<std::uint32_t>(begin + i);
      least_[i] *= of_a_sum;
      sum_[i] = all.moments.least_sum(vector) + pivot_sum;
      const double there = pivot && vector < *pivot ? with_pivot[vector] : 0;
      there_[i] = there + kSlack * (there + std::abs(sum_[i]) + 1);
    }
  }

  std::vector<double> least_, sum_, there_;
};

/// Hands on all values of a piece. \param few  as MomentCounter::count() has it
void take_all(const AllValues& all, const Piece& piece, bool few, std::span<ValueSink* const> sinks) {
  const std::size_t way = all.moments.way(), cells = all.moments.values().cells();
  std::vector<double> values(piece.pairs.columns() * cells);
  for (const std::optional<std::uint32_t> pivot : piece.pivots())
    all.moments.count(pivot, piece.pairs, few, [&](const engine::MomentRow& row) {
      const std::span<double> of_row = std::span(values).first(row.n * cells);
      all.moments.values().of_row(row, of_row);
      const engine::Members members = listed(all, row.members);
      const ValueRow made{engine::index_of(members, way) * cells, members, of_row};
      for (ValueSink* sink : sinks) sink->take({&made, 1});
    });
}

/// Asks the engine for the combinations of a piece that may have values that a sink needs. \returns no value
/// where these are too many to be counted one by one
std::optional<std::vector<engine::FoundProduct>> find(const AllValues& all, const Piece& piece,
                                                      const ChoosingSink& sink) {
  const engine::Rectangle& pairs = piece.pairs;
  const std::vector<std::optional<std::uint32_t>> pivots = piece.pivots();
  std::vector<const double*> with_rows;  // of each row, from the first column on
  if (piece.n_pivots() > 0)
    for (std::uint32_t j = pairs.row_begin; j < pairs.row_end; ++j)
      with_rows.push_back(all.moments.pairs_of(j) + pairs.column_begin);
  const engine::ProductPlanes planes = all.moments.planes_of((std::size_t{1} << all.moments.way()) - 1);
  std::vector<Limits> limits;
  std::vector<engine::ProductFilter> filters;
  limits.reserve(2 * pivots.size());
  for (const std::optional<std::uint32_t> pivot : pivots) {
    const Limits& row = limits.emplace_back(all, sink, pairs.row_begin, pairs.row_end, pivot, true);
    const Limits& column = limits.emplace_back(all, sink, pairs.column_begin, pairs.column_end, pivot, false);
    if (row.are_too_low() || column.are_too_low()) return std::nullopt;
    filters.push_back({pivot, row.get(), column.get(), with_rows, planes, {}});
    if (all.moments.metric() == engine::SimilarityMetric::kCcc)
      filters.back().correlation = {all.moments.scale(all.moments.way()),
                                    pivot ? all.moments.share_of_minor(*pivot) : 0,
                                    all.moments.common_planes()};
  }
  auto found = all.moments.engine().find(pairs, filters);
  constexpr std::size_t kCombinationsOfSingle = 256;  // which take about as long as one by itself
  if (found && !all.moments.planes().all_called &&
      found->size() > filters.size() * pairs.pairs() / kCombinationsOfSingle)
    return std::nullopt;
  return found;
}

void take_chosen(const AllValues& all, const Piece& piece, ChoosingSink& sink) {
  const auto products = find(all, piece, sink);
  if (!products) {
    ValueSink* const sinks[] = {&sink};
    return take_all(all, piece, false, sinks);
  }
  const std::size_t cells = all.moments.values().cells();
  std::vector<double> values(products->size() * cells);
  std::vector<ValueRow> rows;
  MomentCounter::Room room{};
  for (const engine::FoundProduct& each : *products) {
    const std::uint32_t pivot = piece.n_pivots() == 0 ? 0 : piece.pivot_begin + each.filter;
    if (each.column >= each.row || (piece.n_pivots() > 0 && each.row >= pivot)) continue;
    const engine::Members members{each.column, each.row, pivot}, named = listed(all, members);
    const std::span<double> of_row = std::span(values).subspan(rows.size() * cells, cells);
    all.moments.values().of_row(all.moments.row_of(members, each.product, room), of_row);
    rows.push_back({engine::index_of(named, all.moments.way()) * cells, named, of_row});
  }
  if (!rows.empty()) sink.take(rows);
}

}  // namespace

void stream_values(const AllValues& all, const Range& last, std::span<ValueSink* const> sinks,
                   ChoosingSink* choosing) {
  Cut cut;
  if (choosing != nullptr) cut = {all.moments.engine().pairs_at_once(), choosing->compared_first()};
  const bool few_first = cut.compared_first < all.moments.planes().n / 8;
  const auto begin = [&](const Band& band) {
    for (ValueSink* sink : sinks) sink->begin(band.indices());
  };
  const auto take_first = [&](const Piece& piece) { take_all(all, piece, few_first, sinks); };
  bool looks = choosing != nullptr;  // false: the last band had so many that the engine would look in vain
  const auto take = [&](const Piece& piece) {
    looks ? take_chosen(all, piece, *choosing) : take_all(all, piece, false, sinks);
  };
  const auto end = [&](std::uint64_t combinations) {
    const std::uint64_t held = choosing != nullptr ? choosing->held() : 0;
    for (ValueSink* sink : sinks) sink->end();
    if (choosing == nullptr) return all.most_values;
    looks = held <= combinations / engine::SimilarityEngine::kPairsOfFound;
    return next_band(all.most_values, combinations, held);
  };
  for_all_bands(all, last, cut, begin, take_first, take, end);
}

void stream_moments(const AllValues& all, const Range& last,
                    const std::function<void(const engine::MomentRow&)>& take) {
  const auto take_moments = [&](const Piece& piece) {
    for (const std::optional<std::uint32_t> pivot : piece.pivots())
      all.moments.count(pivot, piece.pairs, false, take);
  };
  const auto nothing = [](const Band&) {};
  const auto end = [&](std::uint64_t) { return all.most_values; };
  for_all_bands(all, last, {}, nothing, take_moments, take_moments, end);
}

void stream_rectangle(const AllValues& all, const engine::Rectangle& pairs, std::span<ValueSink* const> sinks,
                      ChoosingSink* choosing) {
  const std::uint32_t side = all.moments.engine().rectangle_side();
  const std::size_t columns = ceil_div<std::size_t>(pairs.columns(), side);
  const auto later = [&](std::uint32_t begin, std::uint32_t end) {
    return end - begin > side ? begin + side : end;
  };
  const auto take = [&](const Piece& piece) {
    choosing != nullptr ? take_chosen(all, piece, *choosing) : take_all(all, piece, false, sinks);
  };
  all.pool.for_each(ceil_div<std::size_t>(pairs.rows(), side) * columns, [&](std::size_t i,
                                                                             const ThreadPool::Stop&) {
    const auto row = pairs.row_begin + static_cast<std::uint32_t>(i / columns) * side;
    const auto column = pairs.column_begin + static_cast<std::uint32_t>(i % columns) * side;
    take_piece(all, {0, 0, {row, later(row, pairs.row_end), column, later(column, pairs.column_end)}}, take);
  });
}

}  // namespace fastid::pipeline
