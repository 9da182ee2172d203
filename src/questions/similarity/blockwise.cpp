#include "questions/similarity/blockwise.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/log.hpp"
#include "bits/blocks.hpp"
#include "pipeline/all_values.hpp"
#include "pipeline/moments.hpp"

namespace fastid::similarity {
namespace {

constexpr std::size_t kWay = 2;

class Blocks {
 public:
  Blocks(const Blockwise& how, std::span<pipeline::ValueSink* const> sinks, pipeline::ChoosingSink& choosing)
      : how_(how), sinks_(sinks), choosing_(choosing) {}

  void stream(const Range& last) const {
    const std::uint64_t at_once = checked(how_.vectors.block_size());
    log::detail("memory has room for blocks of {} of {} vectors", at_once, how_.vectors.size());
    for (Range rows{last.first, 0}; rows.first < last.end; rows.first = rows.end) {
      rows.end = std::min(last.end, rows.first + rows_at_once(at_once, last.end));
      const Range indices{index(rows.first), index(rows.end)};
      for (pipeline::ValueSink* sink : sinks_) sink->begin(indices);
      for (Range columns; columns.end < rows.first; columns.first = columns.end) {
        columns.end = std::min(rows.first, columns.first + at_once);
        compare(rows, columns);
      }
      compare(rows, {});
      for (pipeline::ValueSink* sink : sinks_) sink->end();
    }
  }

 private:
  std::uint64_t index(std::uint64_t last) const {
    return engine::n_combinations(last, kWay) * engine::n_cells(how_.vectors.metric(), kWay);
  }

  /// \throws UsageError where there is no block
  static std::uint64_t checked(std::uint64_t vectors) {
    if (vectors < kLanes)
      throw UsageError(
          "--memory: has no room for blocks of 32 vectors and the values of their pairs; allow more");
    return vectors;
  }

  std::uint64_t rows_at_once(std::uint64_t vectors, std::uint64_t columns) const {
    if (how_.of_a_value == 0) return vectors;
    const auto cells = static_cast<double>(engine::n_cells(how_.vectors.metric(), kWay));
    const double of_a_row = how_.of_a_value * cells * static_cast<double>(columns);
    return checked(std::min(vectors, static_cast<std::uint64_t>(how_.memory / 2 / of_a_row)));
  }

  /// Rows with columns before them; without columns, with one another.
  void compare(const Range& rows, const Range& columns) const {
    std::vector<Range> ranges;
    if (columns.size() > 0) ranges.push_back(columns);
    ranges.push_back(rows);
    const LoadedVectors loaded = how_.vectors.load(ranges);
    const engine::VectorPlanes& planes = loaded.planes();
    const auto n_rows = static_cast<std::uint32_t>(rows.size()), n_columns = planes.n - n_rows;
    const auto engine = loaded.engine_on(how_.device, rows.size() * planes.n);
    const bool chooses = how_.chooses(planes);
    const auto small = chooses && !planes.all_called ? loaded.small_engine(how_.device) : nullptr;
    const pipeline::MomentCounter moments(*engine, planes, how_.vectors.metric(), kWay, small.get());
    const auto row_shift = static_cast<std::uint32_t>(rows.first - n_columns);
    const auto first = static_cast<std::uint32_t>(columns.size() > 0 ? columns.first : rows.first);
    const pipeline::AllValues all{
        .moments = moments, .pool = how_.pool, .progress = how_.progress, .shift = {first, row_shift, 0}};
    pipeline::stream_rectangle(all, {n_columns, planes.n, 0, n_columns > 0 ? n_columns : planes.n}, sinks_,
                               chooses ? &choosing_ : nullptr);
  }

  const Blockwise& how_;
  std::span<pipeline::ValueSink* const> sinks_;
  pipeline::ChoosingSink& choosing_;
};

}  // namespace

void stream_blockwise(const Blockwise& how, const Range& last, std::span<pipeline::ValueSink* const> sinks,
                      pipeline::ChoosingSink& choosing) {
  Blocks(how, sinks, choosing).stream(last);
}

}  // namespace fastid::similarity
