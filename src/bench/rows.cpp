#include "bench/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "base/clock.hpp"
#include "base/file.hpp"
#include "base/median.hpp"
#include "base/process.hpp"
#include "base/scratch_folder.hpp"
#include "bench/internal/workload.hpp"
#include "simulate/simulate.hpp"

namespace fastid::bench {
namespace {

using Arguments = std::vector<std::string>;

/// A command, and the kind of cases of simulate_database() that are its queries.
struct Asked {
  std::string_view task;
  Arguments arguments;
  std::string_view cases;  ///< "": none
};

const std::vector<Asked>& all_asked() {
  static const std::vector<Asked> kAll = {
      {"pairs", {"pairs", "--min-kinship=-10", "--no-evidence"}, ""},
      {"pairs, evidence", {"pairs", "--min-kinship=-10", "--unlinked"}, ""},
      {"ld", {"ld", "--window=100", "--min-r2=0"}, ""},
      {"search -k 10", {"search", "--top=10"}, "identity"},
      {"search -k 100", {"search", "--top=100"}, "identity"},
      {"mixture -k 10", {"mixture", "--top=10"}, "mixture"}};
  return kAll;
}

std::uint64_t lines_of(const std::string& path) {
  constexpr std::size_t kBytes = std::size_t{1} << 20;
  const FileDescriptor file = open_regular(path);
  std::vector<char> bytes(kBytes);
  std::uint64_t lines = 0;
  while (const std::size_t n = read_some(file.get(), bytes.data(), bytes.size(), path))
    lines += static_cast<std::uint64_t>(
        std::count(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(n), '\n'));
  return lines;
}

/// The people of a shape and the queries, in files.
class RowsData {
 public:
  RowsData(const RowsShape& shape, const RowsOptions& options) : shape_(shape), folder_(options.scratch) {
    simulate::SimulateOptions people;
    people.output = database_ = folder_.file("people.h5");
    people.profiles = shape.people;
    people.sites = shape.sites;
    people.seed = options.seed;
    people.encoding = Encoding::kAlleles;
    people.no_call_rate = kNoCallRate;
    people.cases = shape.queries;
    people.cases_dir = folder_.path();
    people.threads = options.threads;
    people.command = "fastid bench";
    simulate::simulate_database(people);
    answer_ = folder_.file("answer.tsv");
  }

  /// The command that asks.
  Arguments command(const Asked& asked, const std::string& device, std::size_t threads) const {
    Arguments arguments = asked.arguments;
    arguments.insert(arguments.end(), {"--quiet", "--device=" + device, "-o", answer_});
    if (threads > 0) arguments.push_back(fmt::format("--threads={}", threads));
    for (std::uint32_t i = 1; !asked.cases.empty() && i <= shape_.queries; ++i)
      arguments.push_back(fmt::format("{}/{}-{:04}.snp", folder_.path(), asked.cases, i));
    arguments.push_back(database_);
    return arguments;
  }

  /// Rows of the last answer, below its line of names.
  std::uint64_t rows() const { return lines_of(answer_) - 1; }

 private:
  RowsShape shape_;
  ScratchFolder folder_;
  std::string database_, answer_;
};

/// The medians of each number.
ProcessorTime medians(const std::vector<ProcessorTime>& times) {
  const auto median_of = [&](const auto& number) {
    std::vector<double> values;
    for (const ProcessorTime& time : times) values.push_back(number(time));
    return median(std::move(values));
  };
  ProcessorTime time{median_of([](const ProcessorTime& of) { return of.all; }), {}};
  for (std::size_t i = 0; i < kAnswerStages; ++i)
    time.stages[i] = median_of([i](const ProcessorTime& of) { return of.stages[i]; });
  return time;
}

RowsResult measure(const Asked& asked, const std::string& device, const RowsData& data,
                   const RowsOptions& options, const CommandRunner& run_command) {
  const Arguments command = data.command(asked, device, options.threads);
  std::vector<double> seconds;
  std::vector<ProcessorTime> times;
  for (std::size_t i = 0; i < options.repeats; ++i) {
    check_interrupt();
    const Stopwatch watch;
    const ProcessorTime before = processor_time();
    run_command(command);
    times.push_back(processor_time().since(before));
    seconds.push_back(watch.seconds());
  }
  RowsResult result;
  result.device = device;
  result.repeats = options.repeats;
  result.seconds = median(std::move(seconds));
  result.task = asked.task;
  result.rows = data.rows();
  result.rate = static_cast<double>(result.rows) / result.seconds;
  result.processor = medians(times);
  return result;
}

}  // namespace

std::size_t rows_tasks() {
  return all_asked().size();
}

std::vector<RowsResult> run_rows(const RowsOptions& options, const CommandRunner& run_command,
                                 const std::function<void(const RowsResult&)>& on_result) {
  std::vector<RowsResult> results;
  for (const RowsShape& shape : options.shapes) {
    const RowsData data(shape, options);
    for (const std::string& device : options.devices)
      for (const Asked& asked : all_asked()) {
        results.push_back(measure(asked, device, data, options, run_command));
        results.back().shape = shape;
        if (on_result) on_result(results.back());
      }
  }
  return results;
}

}  // namespace fastid::bench
