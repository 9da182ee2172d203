/// \file
/// Parts of the outputs of `fastid bench`.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/stage_time.hpp"

namespace fastid::cli {

using BenchCells = std::vector<std::string>;

inline constexpr double kTera = 1e12, kGiga = 1e9, kMilli = 1e3, kPercent = 100;

inline constexpr std::array<std::string_view, kAnswerStages> kStageColumns = {"compare_share", "verify_share",
                                                                              "weigh_share", "print_share"};
inline constexpr std::array<std::string_view, 24> kBenchColumns = {
    "kind",           "name",        "device",         "masks",           "source",         "queries",
    "profiles",       "sites",       "most",           "repeats",         "seconds",        "rate",
    "unit",           "bound",       "share",          "compare_limit_s", "memory_limit_s", "file_limit_s",
    "upload_limit_s", "processor_s", kStageColumns[0], kStageColumns[1],  kStageColumns[2], kStageColumns[3]};

/// A line of tsv, in which columns that are not set are NA.
class BenchLine {
 public:
  BenchLine() : cells_(kBenchColumns.size(), "NA") {}

  BenchLine& set(std::string_view column, const std::string& cell) {
    const auto at = std::ranges::find(kBenchColumns, column) - kBenchColumns.begin();
    cells_.at(static_cast<std::size_t>(at)) = cell;
    return *this;
  }
  BenchLine& set(std::string_view column, double number) {
    return set(column, fmt::format("{:.6g}", number));
  }
  BenchLine& set(std::string_view column, std::uint64_t number) {
    return set(column, std::to_string(number));
  }

  std::string text() const { return fmt::format("{}\n", fmt::join(cells_, "\t")); }

 private:
  BenchCells cells_;
};

/// The names of the columns.
inline std::string bench_head() {
  return fmt::format("{}\n", fmt::join(kBenchColumns, "\t"));
}

/// What every JSON document begins with.
Json bench_document(const std::vector<std::string>& engines);

}  // namespace fastid::cli
