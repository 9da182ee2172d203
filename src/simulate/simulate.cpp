#include "simulate/simulate.hpp"

#include <algorithm>
#include <atomic>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/threads.hpp"
#include "db/database.hpp"
#include "simulate/cases.hpp"
#include "simulate/people.hpp"

namespace fastid {
namespace {

using simulate::People;

constexpr std::size_t kBatchBytes = std::size_t{8}
                                    << 20;  ///< of one plane, made by all threads, then written

void check_rate(double rate, const char* what) {
  if (!(rate >= 0 && rate < 1)) throw UsageError(std::string(what) + " must be at least 0 and below 1");
}

void check_options(const SimulateOptions& options) {
  if (options.profiles == 0) throw UsageError("a simulated database needs at least one profile");
  if (options.panel_path.empty() && options.sites == 0) throw UsageError("a panel needs at least one site");
  check_rate(options.no_call_rate, "the no-call rate");
  check_rate(options.error_rate, "the error rate");
  check_rate(options.case_no_call_rate, "the cases' no-call rate");
  check_rate(options.case_error_rate, "the cases' error rate");
  if (options.cases == 0) return;
  if (options.cases_dir.empty()) throw UsageError("cases need a folder to be written to");
  if (options.profiles < kLargestMixture)
    throw UsageError("cases need a database of at least " + std::to_string(kLargestMixture) + " profiles");
}

Panel panel_for(const SimulateOptions& options) {
  return options.panel_path.empty() ? simulate::simulate_panel(options.sites, options.seed)
                                    : read_panel_tsv(options.panel_path);
}

/// Room for some blocks of both planes, filled by several threads: whoever is free takes the next block.
class Batch {
 public:
  Batch(const People& people, std::size_t threads)
      : people_(people),
        threads_(threads),
        words_(BlockShape{0, people.n_sites()}.block_words()),
        most_(std::max<std::size_t>(1, kBatchBytes / (words_ * sizeof(Word)))),
        bits_(checked_mul(most_, words_)),
        called_(bits_.size()) {}

  std::uint64_t most_profiles() const { return most_ * kLanes; }

  /// Profiles first .. first + n - 1; `first` starts a block.
  BlocksView fill(std::uint64_t first, std::uint64_t n) {
    const BlockShape shape{n, people_.n_sites()};
    std::atomic<std::uint64_t> next{0};
    run_crew(threads_, [&](std::size_t, const std::atomic<bool>& failed) {
      for (std::uint64_t b = 0; !failed && (b = next++) < shape.n_blocks();)
        people_.observe(first / kLanes + b, static_cast<std::uint32_t>(std::min(kLanes, n - b * kLanes)),
                        bits_.data() + b * words_, called_.data() + b * words_);
    });
    return {shape, bits_.data(), people_.all_called() ? nullptr : called_.data()};
  }

 private:
  const People& people_;
  std::size_t threads_, words_, most_;
  WordBuffer bits_, called_;
};

db::LogRecord log_record(const SimulateOptions& options) {
  db::LogRecord record{
      .action = "simulate", .command = options.command, .created_by = "", .utc = "", .inputs = {}};
  if (!options.panel_path.empty())
    record.inputs.push_back({options.panel_path, sha256_of_file(options.panel_path), 0});
  return record;
}

void write_people(const SimulateOptions& options, const Panel& panel, const People& people) {
  const std::size_t id_bytes = simulate::profile_id(options.profiles - 1).size();
  db::Writer writer(options.output, panel, {.kind = db::Kind::kIndividuals, .id_bytes = id_bytes});
  Batch batch(people, options.threads == 0 ? available_cpus() : options.threads);
  Progress progress(options.progress, "simulating", "profiles", options.profiles);
  std::vector<std::string> ids;
  for (std::uint64_t first = 0; first < options.profiles; first += batch.most_profiles()) {
    check_interrupt();
    const std::uint64_t n = std::min(batch.most_profiles(), options.profiles - first);
    ids.clear();
    for (std::uint64_t i = 0; i < n; ++i) ids.push_back(simulate::profile_id(first + i));
    writer.append(ids, batch.fill(first, n));
    progress.add(n);
  }
  writer.finish(log_record(options));
}

}  // namespace

void simulate_database(const SimulateOptions& options) {
  check_options(options);
  const Panel panel = panel_for(options);
  const std::string& source = options.panel_path.empty() ? options.output : options.panel_path;
  const People people(simulate::frequencies_of(panel, options.population, source),
                      {.no_call = options.no_call_rate, .error = options.error_rate}, options.seed);
  if (options.cases > 0) simulate::make_cases_folder(options);
  write_people(options, panel, people);
  if (options.cases > 0) simulate::write_cases(options, panel, people);
}

}  // namespace fastid
