/// \file
/// The options of `fastid bench`, and the measurements that they ask for instead of searches.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "asking/device_options.hpp"
#include "bench/bench.hpp"
#include "bench/similarity.hpp"
#include "cli/accountability.hpp"
#include "cli/common.hpp"
#include "import/text_output.hpp"
#include "main/bench_output.hpp"
#include "opencl/counting_engines.hpp"

namespace fastid::cli {

enum class BenchFormat { kTable, kTsv, kJson, kHtml };

inline const Choices<BenchFormat> kBenchFormats = {{"table", BenchFormat::kTable},
                                                   {"tsv", BenchFormat::kTsv},
                                                   {"json", BenchFormat::kJson},
                                                   {"html", BenchFormat::kHtml}};

/// Lists whose combinations are all measured; a list that is not given has one default value.
struct Grid {
  std::vector<bench::Task> tasks;
  std::vector<bench::Masks> masks;
  std::vector<std::uint64_t> queries, profiles;
  std::vector<std::uint32_t> sites;
  std::vector<bool> from_file;
  std::optional<std::uint32_t> max_count;

  bool asked() const {
    return !(tasks.empty() && masks.empty() && from_file.empty() && queries.empty() && profiles.empty() &&
             sites.empty() && !max_count);
  }
};

struct BenchArguments {
  bench::Options bench;
  asking::DeviceOptions device{.device = "cpu", .engine = {}};  ///< one or several, separated by commas
  std::vector<std::string> queries;                             ///< files
  Grid grid;
  bench::Depth depth = bench::Depth::kUsual;
  bool pair_hmm = false, epistasis = false, linkage = false, pairs = false, similarity = false, rows = false,
       roofline = false;
  std::vector<bench::SimilarityOf> elements;  ///< of --similarity
  std::vector<std::uint32_t> ways;
  std::optional<opencl::BitProducts> kernel;
  Verbosity verbosity;
  std::optional<BenchFormat>
      format;  ///< not set: by the suffix of the output, else table on a terminal, else tsv
  std::string output = "-";
  Accountability account;
};

template <class T>
std::vector<T> or_else(const std::vector<T>& asked, T usual) {
  return asked.empty() ? std::vector<T>(1, usual) : asked;
}

/// Writes a report in the format that is asked for, else as a table on a terminal and as tsv elsewhere.
template <class Report>
ExitCode write(const BenchArguments& arguments, const Report& report, imports::TextOutput& out) {
  const BenchFormat format =
      arguments.format.value_or(out.file().is_terminal() ? BenchFormat::kTable : BenchFormat::kTsv);
  if constexpr (std::is_same_v<Report, bench::RooflineReport>) {
    if (format == BenchFormat::kHtml) {
      out.write(bench_html(report));
      out.commit();
      return ExitCode::kDone;
    }
  }
  out.write(format == BenchFormat::kTable  ? bench_table(report)
            : format == BenchFormat::kJson ? bench_json(report)
                                           : bench_tsv(report));
  out.commit();
  return ExitCode::kDone;
}

/// Each of these measures and prints one kind of rate.
/// \throws UsageError, DeviceError, Interrupted
ExitCode run_hmm_bench(const BenchArguments& arguments);
ExitCode run_epistasis_bench(const BenchArguments& arguments);
ExitCode run_ld_bench(const BenchArguments& arguments);
ExitCode run_pairs_bench(const BenchArguments& arguments);
ExitCode run_similarity_bench(const BenchArguments& arguments);
ExitCode run_rows_bench(const BenchArguments& arguments);
ExitCode run_roofline_bench(const BenchArguments& arguments);

}  // namespace fastid::cli
