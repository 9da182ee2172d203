#include "pipeline/stretch_moments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/process.hpp"
#include "pipeline/all_values.hpp"

namespace fastid::pipeline {
namespace {

/// Of combinations whose last member is in a range.
Range indices_of(const Range& last, std::size_t way) {
  return {engine::n_combinations(last.first, way), engine::n_combinations(last.end, way)};
}

}  // namespace

StretchPlan::StretchPlan(engine::SimilarityMetric metric, std::size_t way, std::uint32_t n, const Range& last,
                         MissingCalls missing, std::uint64_t most_sums)
    : metric_(metric), way_(way), n_(n), of_called_(counted_moments(metric, way, true)) {
  if (missing == MissingCalls::kPossible) of_missing_ = counted_moments(metric, way, false);
  steps_.push_back({StretchStep::What::kOwn, {0, n}});
  if (way == 3) cut(StretchStep::What::kPairs, {0, last.end}, most_sums);
  cut(StretchStep::What::kMoments, last, most_sums);
}

/// Adds steps of neighbouring last members, each of as many as `most_sums` allows, at least one.
void StretchPlan::cut(StretchStep::What what, const Range& last, std::uint64_t most_sums) {
  const auto fits = [&](const Range& band) {
    const StretchStep step{what, band};
    return std::max(size_of(step, true), size_of(step, false)) <= most_sums;
  };
  for (Range band{last.first, 0}; band.first < last.end; band.first = band.end) {
    band.end = band.first + 1;
    while (band.end < last.end && fits({band.first, band.end + 1})) ++band.end;
    steps_.push_back({what, band});
  }
}

std::uint64_t StretchPlan::size_of(const StretchStep& step, bool all_called) const {
  switch (step.what) {
    case StretchStep::What::kOwn:
      return 2 * std::uint64_t{n_};
    case StretchStep::What::kPairs:
      return all_called ? indices_of(step.last, 2).size() : 0;
    case StretchStep::What::kMoments:
      break;
  }
  return indices_of(step.last, way_).size() * counted(all_called).size();
}

std::uint64_t StretchPlan::table() const {
  std::uint64_t n = 0;
  for (const StretchStep& step : steps_)
    if (step.what == StretchStep::What::kPairs) n += size_of(step, true);
  return n;
}

std::uint64_t StretchPlan::largest() const {
  std::uint64_t most = 0;
  for (const StretchStep& step : steps_) most = std::max({most, size_of(step, true), size_of(step, false)});
  return most;
}

std::uint64_t StretchPlan::combinations() const {
  std::uint64_t n = 0;
  for (const StretchStep& step : steps_)
    if (step.what == StretchStep::What::kMoments) n += indices_of(step.last, way_).size();
  return n;
}

std::vector<double> StretchPlan::count(const StretchStep& step, const engine::SimilarityEngine& engine,
                                       const engine::VectorPlanes& planes, ThreadPool& pool,
                                       Progress& progress) const {
  const bool pairs = step.what == StretchStep::What::kPairs;
  const std::size_t way = pairs ? 2 : way_;
  const MomentCounter moments(engine, planes, metric_, way);
  std::vector<double> sums;
  if (step.what == StretchStep::What::kOwn) {
    sums = moments.own().sum;
    sums.insert(sums.end(), moments.own().called.begin(), moments.own().called.end());
    return sums;
  }
  sums.resize(static_cast<std::size_t>(size_of(step, planes.all_called)));
  if (sums.empty()) return sums;
  const Range indices = indices_of(step.last, way);
  const std::vector<std::size_t> of = pairs ? std::vector<std::size_t>{0b11} : counted(planes.all_called);
  Progress none(ProgressMode::kNever, "", "", 0);
  const AllValues all{.moments = moments,
                      .pool = pool,
                      .progress = pairs ? none : progress,
                      .most_values = std::numeric_limits<std::uint64_t>::max()};
  stream_moments(all, step.last, [&](const engine::MomentRow& row) {
    double* to = sums.data() + engine::index_of(row.members, way) - indices.first;
    for (const std::size_t moment : of) {
      std::copy_n(row.of[moment], row.n, to);
      to += indices.size();
    }
  });
  return sums;
}

/// The sums of a step of combinations.
struct StretchValues::Band {
  Range indices;  ///< of combinations
  std::vector<double> called, missing;

  /// Those of a moment; null where there are none. \param place  of the moment among those that are counted
  const double* of(const std::vector<double>& sums, std::size_t place, std::uint64_t index) const {
    return sums.empty() ? nullptr : sums.data() + place * indices.size() + (index - indices.first);
  }
};

void StretchValues::take(const StretchStep& step, StretchSums sums, ThreadPool& pool,
                         std::span<ValueSink* const> sinks) {
  std::vector<double> called = std::move(sums.called).total(), missing = std::move(sums.missing).total();
  if (step.what == StretchStep::What::kOwn) return take_own(std::move(called), std::move(missing));
  if (step.what == StretchStep::What::kPairs) {
    pairs_.insert(pairs_.end(), called.begin(), called.end());
    return;
  }
  const std::size_t way = plan_.way(), cells = values_->cells();
  if (any_missing_)
    missing.resize(static_cast<std::size_t>(plan_.size_of(step, false)));
  else
    called.resize(static_cast<std::size_t>(plan_.size_of(step, true)));
  const Band band{indices_of(step.last, way), std::move(called), std::move(missing)};
  for (ValueSink* sink : sinks) sink->begin({band.indices.first * cells, band.indices.end * cells});
  const Range rows =
      way == 2 ? step.last : indices_of(step.last, 2);  // of combinations alike but for one member
  pool.for_each(static_cast<std::size_t>(rows.size()), [&](std::size_t i, const ThreadPool::Stop&) {
    engine::Members members{};
    if (way == 2) {
      members[1] = static_cast<std::uint32_t>(rows.first + i);
    } else {
      const engine::Members others = engine::members_of(rows.first + i, 2);
      members = {0, others[0], others[1]};
    }
    if (members[1] > 0) take_row(band, members, sinks);
  });
  check_interrupt();
  for (ValueSink* sink : sinks) sink->end();
}

void StretchValues::check_own(std::span<const double> sums) const {
  for (std::size_t v = 0; v < plan_.n(); ++v)
    if (!std::isfinite(sums[v]))
      throw InputError(file_, fmt::format("vector {}", v + 1),
                       "the sum of its numbers is too large for their type",
                       "divide all numbers by one of them");
}

void StretchValues::take_own(std::vector<double> called, std::vector<double> missing) {
  const std::size_t n = plan_.n();
  any_missing_ = !missing.empty();
  called.resize(2 * n);
  missing.resize(2 * n);
  const auto middle = static_cast<std::ptrdiff_t>(n);
  own_called_ = {{called.begin(), called.begin() + middle}, {called.begin() + middle, called.end()}};
  units_called_ = own_called_.called.front();
  own_ = own_called_;
  for (std::size_t v = 0; v < n; ++v) {
    own_.sum[v] += missing[v];
    own_.called[v] += missing[n + v];
  }
  check_own(own_.sum);
  pairs_.clear();
  pairs_.reserve(static_cast<std::size_t>(plan_.table()));
  values_.emplace(plan_.metric(), plan_.way(), any_missing_, own_);
}

void StretchValues::take_row(const Band& band, const engine::Members& members,
                             std::span<ValueSink* const> sinks) const {
  const std::size_t way = plan_.way(), n = members[1], cells = values_->cells();
  const std::uint64_t index = engine::index_of(members, way);
  const engine::MomentRow of_called = CalledMoments{units_called_, own_called_, pairs_.data()}.row(
      members, way, n, band.of(band.called, 0, index));
  engine::MomentRow row = of_called;
  std::array<std::vector<double>, engine::kMostMoments> sums;
  for (std::size_t place = 0; any_missing_ && place < plan_.counted(false).size(); ++place) {
    const std::size_t of = plan_.counted(false)[place];
    const double* const missing = band.of(band.missing, place, index);
    sums[of].assign(missing, missing + n);
    for (std::size_t i = 0; !band.called.empty() && i < n; ++i) sums[of][i] += of_called.at(of, i);
    row.of[of] = sums[of].data();
  }
  std::vector<double> values(n * cells);
  values_->of_row(row, values);
  const ValueRow made{index * cells, members, values};
  for (ValueSink* sink : sinks) sink->take({&made, 1});
}

}  // namespace fastid::pipeline
