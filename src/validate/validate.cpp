#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <ctime>

#include "base/build_info.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "db/database.hpp"
#include "opencl/opencl_engine.hpp"
#include "panel/named_panels.hpp"
#include "panel/site_class.hpp"
#include "simulate/people.hpp"
#include "validate/internal/recommendations.hpp"
#include "validate/internal/setting.hpp"

namespace fastid::validate {
namespace {

enum class Needs { kNothing, kDatabase, kTruth };

struct Listed {
  std::string_view id;
  Test test;
  Needs needs = Needs::kNothing;
};

constexpr Listed kTests[] = {{"vectors", test_vectors},
                             {"theta", test_monotony},
                             {"sensitivity", test_sensitivity},
                             {"few-reads", test_few_reads},
                             {"chance", test_chance},
                             {"strangers", test_strangers},
                             {"relatives", test_relatives},
                             {"mixtures", test_mixtures},
                             {"sex-chromosomes", test_sex_chromosomes},
                             {"repeatability", test_repeatability},
                             {"refusals", test_refusals},
                             {"own-database", test_own_database, Needs::kDatabase},
                             {"own-samples", test_own_samples, Needs::kTruth}};

constexpr std::uint32_t kSites = 1024;  ///< of the simulated panel

void check_options(const Options& options) {
  const std::vector<std::string> known = test_ids();
  for (const std::string& id : options.only)
    if (std::ranges::count(known, id) == 0)
      throw UsageError(fmt::format("--only {}: no test has this name; there are {}", printable(id),
                                   fmt::join(known, ", ")));
  if (!options.truth.empty() && options.database.empty())
    throw UsageError("--truth names samples of a database; name it with --db");
}

double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

std::string system_name() {
  utsname names{};
  if (::uname(&names) != 0) return "not known";
  return fmt::format("{} {} {}", names.sysname, names.release, names.machine);
}

std::vector<std::pair<std::string, std::string>> program_facts() {
  std::vector<std::pair<std::string, std::string>> facts{{"version", std::string(version())},
                                                         {"revision", std::string(revision())},
                                                         {"compiler", std::string(compiler())},
                                                         {"program sha256", sha256_of_file(program_file())},
                                                         {"system", system_name()},
                                                         {"processors", std::to_string(available_cpus())},
                                                         {"instruction set", engine::cpu_engine_units()}};
  try {
    for (const model::DeviceFacts& device : opencl::list_opencl_devices())
      facts.push_back(
          {"opencl:" + device.selector, device.device + ", " + device.version + ", driver " + device.driver});
  } catch (const DeviceError& error) {
    facts.push_back({"opencl", error.what()});
  }
  return facts;
}

/// What a test needs and lacks; "": nothing.
std::string missing_for(Needs needs, const Options& options) {
  if (needs == Needs::kDatabase && options.database.empty()) return "no database was named (--db)";
  if (needs == Needs::kTruth && options.truth.empty()) return "no known samples were named (--truth)";
  return "";
}

report::Result run_test(const Listed& listed, const Setting& setting) {
  report::Result result{.id = std::string(listed.id), .title = {}, .requirement = {}, .method = {}};
  const Stopwatch watch;
  const double processor = processor_seconds();
  try {
    if (result.note = missing_for(listed.needs, setting.options); !result.note.empty()) {
      result.title =
          listed.needs == Needs::kDatabase ? "The laboratory's database" : "The laboratory's known samples";
      return result;
    }
    listed.test(setting, result);
    result.outcome = result.failed_checks() == 0 && !result.checks.empty() ? report::Outcome::kPassed
                                                                           : report::Outcome::kFailed;
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception& error) {
    result.outcome = report::Outcome::kFailed;
    result.note = std::string("ended by an error: ") + error.what();
  }
  result.seconds = watch.seconds();
  result.processor_seconds = processor_seconds() - processor;
  return result;
}

/// Checks that the laboratory's files can be read, before an hour is spent.
void check_inputs(const Options& options) {
  if (!options.database.empty()) db::Reader(options.database);
  if (!options.truth.empty()) open_for_reading(options.truth);
}

}  // namespace

std::vector<std::string> test_ids() {
  std::vector<std::string> ids;
  for (const Listed& listed : kTests) ids.emplace_back(listed.id);
  return ids;
}

report::Validation validate(const Options& options, const Subject& subject) {
  check_options(options);
  check_inputs(options);
  const Stopwatch watch;
  report::Validation validation{.quick = options.quick,
                                .seed = options.seed,
                                .command = options.command,
                                .started_utc = utc_now(),
                                .ended_utc = {},
                                .program = program_facts(),
                                .materials = {},
                                .results = {}};
  ScratchFolder folder(options.scratch);
  const Panel panel = options.panel.empty() ? simulate::simulate_panel(kSites, options.seed)
                                            : PanelSource(options.panel).read();
  const std::vector<double>& freq = simulate::frequencies_of(panel, options.population, options.panel);
  const auto population = std::ranges::find_if(
      panel.populations(), [&](const Population& one) { return &one.minor_freq == &freq; });
  const SiteClasses classes(panel);
  const std::string panel_path = folder.file("panel.tsv");
  OutputFile written(panel_path);
  written.write(write_panel_tsv(panel));
  written.commit();
  validation.materials.push_back({options.panel.empty() ? "simulated panel" : options.panel,
                                  classes.describe() + ", population " + population->name, panel.sha256()});
  if (!options.database.empty()) {
    const db::Reader reader(options.database);
    validation.materials.push_back(
        {options.database,
         counted(reader.shape().n_profiles, "profile") + ", " + counted(reader.shape().n_sites, "site"),
         reader.header().content_sha256});
  }
  ThreadPool pool(threads_or_all(options.threads));
  const Setting setting{options,          subject, panel,  classes, panel_path,
                        population->name, freq,    folder, pool,    validation.materials};
  Progress progress(options.progress, "validating", "tests", std::size(kTests));
  for (const Listed& listed : kTests) {
    if (options.only.empty() || std::ranges::count(options.only, listed.id) > 0)
      validation.results.push_back(run_test(listed, setting));
    progress.add(1);
  }
  validation.recommendations.assign(recommendations().begin(), recommendations().end());
  validation.ended_utc = utc_now();
  validation.seconds = watch.seconds();
  for (const report::Result& result : validation.results)
    validation.processor_seconds += result.processor_seconds;
  return validation;
}

}  // namespace fastid::validate
