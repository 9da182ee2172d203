#include "pipeline/moments.hpp"

#include <algorithm>
#include <array>
#include <new>
#include <span>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/process.hpp"

namespace fastid::pipeline {

std::vector<std::size_t> counted_moments(engine::SimilarityMetric metric, std::size_t way, bool all_called) {
  const std::size_t all = (std::size_t{1} << way) - 1;
  if (all_called) return {all};
  std::vector<std::size_t> counted;
  for (std::size_t of = metric == engine::SimilarityMetric::kCcc ? 0 : 1; of <= all; ++of)
    counted.push_back(of);
  return counted;
}

namespace {

engine::OwnSums own_sums(std::span<const double> sums, const engine::VectorPlanes& planes) {
  engine::OwnSums own{std::vector<double>(planes.n, 0), std::vector<double>(planes.n, planes.units)};
  for (std::uint32_t vector = 0; vector < planes.n; ++vector) {
    for (std::uint32_t plane = 0; plane < planes.n_values; ++plane)
      own.sum[vector] += sums[planes.value(plane, vector)];
    if (!planes.all_called) own.called[vector] = sums[planes.calls(vector)];
  }
  return own;
}

}  // namespace

MomentCounter::MomentCounter(const engine::SimilarityEngine& engine, const engine::VectorPlanes& planes,
                             engine::SimilarityMetric metric, std::size_t way,
                             const engine::SimilarityEngine* small)
    : engine_(engine),
      small_(small != nullptr ? *small : engine),
      planes_(planes),
      metric_(metric),
      way_(way),
      counted_(counted_moments(metric, way, planes.all_called)),
      own_(own_sums(engine.sums(), planes)),
      values_(metric, way, !planes.all_called, own_) {}

double MomentCounter::least_sum(std::uint32_t vector) const {
  if (planes_.all_called) return own_.sum[vector];
  const double most = planes_.units * (metric_ == engine::SimilarityMetric::kCzekanowski ? 2 : 1);
  return own_.sum[vector] - static_cast<double>(way_ - 1) * (most - own_.called[vector]);
}

engine::ProductPlanes MomentCounter::planes_of(std::size_t of) const {
  const auto member = [&](std::size_t m) {
    return (of >> m & 1) != 0 ? engine::MemberPlanes{planes_.first, planes_.n_values}
                              : engine::MemberPlanes{planes_.first + planes_.n_values, 1};
  };
  return {.stride = planes_.stride, .column = member(0), .row = member(1), .pivot = member(2)};
}

void MomentCounter::prepare(std::uint32_t end, ThreadPool& pool) {
  if (way_ == 2) return;
  try {
    pairs_ =
        std::make_unique_for_overwrite<double[]>(static_cast<std::size_t>(engine::n_combinations(end, 2)));
  } catch (const std::bad_alloc&) {
    throw Failure("the table of all pairs does not fit into memory; give fewer vectors, or more memory");
  }
  constexpr std::uint32_t kMostSide = 1024;  // so that there are pieces for every thread
  const std::uint32_t side = std::min(kMostSide, engine_.rectangle_side());
  pool.for_each(static_cast<std::size_t>(engine::n_combinations(ceil_div(end, side) + 1, 2)),
                [&](std::size_t piece, const ThreadPool::Stop&) {
                  check_interrupt();
                  const engine::Rectangle pairs = engine::triangle_tile(piece, side, end);
                  const auto sums = std::make_unique_for_overwrite<double[]>(pairs.pairs());
                  engine_.sums_below(std::nullopt, pairs, planes_of(0b11), {sums.get(), pairs.pairs()});
                  for (std::uint32_t j = pairs.row_begin; j < pairs.row_end; ++j)
                    std::copy_n(sums.get() + (j - pairs.row_begin) * pairs.columns(), pairs.columns_below(j),
                                pairs_.get() + engine::n_combinations(j, 2) + pairs.column_begin);
                });
}

engine::MomentRow MomentCounter::row_of(const engine::Members& members, double of_all, Room& room) const {
  const std::size_t all = (std::size_t{1} << way_) - 1;
  room[all] = of_all;
  if (planes_.all_called) return called().row(members, way_, 1, &room[all]);
  engine::MomentRow row{.of = {}, .members = members, .n = 1};
  const auto [i, j, k] = members;
  const auto pivot = way_ == 2 ? std::nullopt : std::optional(k);
  for (const std::size_t of : counted_) {
    if (of != all) small_.sums_below(pivot, {j, j + 1, i, i + 1}, planes_of(of), {&room[of], 1});
    row.of[of] = &room[of];
  }
  return row;
}

engine::MomentRow CalledMoments::row(const engine::Members& members, std::size_t way, std::size_t n,
                                     const double* of_all) const {
  const std::uint32_t i = members[0], j = members[1], k = members[2];
  const auto of_pair = [&](std::uint32_t row, std::uint32_t column) {
    return pairs == nullptr ? nullptr : pairs + engine::n_combinations(row, 2) + column;
  };
  engine::MomentRow row{.of = {}, .members = members, .n = n};
  row.of[0b000] = &units;
  row.of[0b001] = own.sum.data() + i;
  row.of[0b010] = own.sum.data() + j;
  if (way == 2) {
    row.of[0b011] = of_all;
  } else {
    row.of[0b011] = of_pair(j, i);
    row.of[0b100] = own.sum.data() + k;
    row.of[0b101] = of_pair(k, i);
    row.of[0b110] = of_pair(k, j);
    row.of[0b111] = of_all;
  }
  return row;
}

void MomentCounter::count(std::optional<std::uint32_t> pivot, const engine::Rectangle& pairs, bool few,
                          const std::function<void(const engine::MomentRow&)>& take) const {
  std::array<std::unique_ptr<double[]>, engine::kMostMoments> counted;
  const std::size_t moments = std::size_t{1} << way_;
  for (const std::size_t of : counted_) {
    counted[of] = std::make_unique_for_overwrite<double[]>(pairs.pairs());
    (few ? small_ : engine_).sums_below(pivot, pairs, planes_of(of), {counted[of].get(), pairs.pairs()});
  }
  const std::uint32_t row_end = pivot ? std::min(pairs.row_end, *pivot) : pairs.row_end;
  for (std::uint32_t j = pairs.row_begin; j < row_end; ++j) {
    const std::size_t at = (j - pairs.row_begin) * pairs.columns();
    const engine::Members members{pairs.column_begin, j, pivot.value_or(0)};
    engine::MomentRow row{.of = {}, .members = members, .n = pairs.columns_below(j)};
    if (row.n == 0) continue;
    if (planes_.all_called) {
      row = called().row(members, way_, row.n, counted[moments - 1].get() + at);
    } else {
      for (std::size_t of = 0; of < moments; ++of)
        if (counted[of]) row.of[of] = counted[of].get() + at;
    }
    take(row);
  }
}

}  // namespace fastid::pipeline
