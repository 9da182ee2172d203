#include "simulate/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/process.hpp"
#include "base/staged_file.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "db/database.hpp"
#include "panel/named_panels.hpp"
#include "panel/site_class.hpp"
#include "simulate/internal/cases.hpp"
#include "simulate/internal/disaster.hpp"
#include "simulate/internal/disaster_plan.hpp"
#include "simulate/internal/populations.hpp"
#include "simulate/internal/record.hpp"
#include "simulate/internal/sample.hpp"
#include "simulate/internal/stains.hpp"
#include "simulate/internal/trait.hpp"
#include "simulate/internal/truth.hpp"
#include "simulate/people.hpp"

namespace fastid::simulate {
namespace {

constexpr std::size_t kBatchBytes = std::size_t{8}
                                    << 20;  ///< of one plane; made by all threads, then written

void check_rate(double rate, const char* what) {
  if (!(rate >= 0 && rate < 1)) throw UsageError(std::string(what) + " must be at least 0 and below 1");
}

/// Checks that there are enough rows, since each pair takes two.
void check_pairs(const SimulateOptions& options) {
  std::uint64_t rows = 0;
  for (const std::uint32_t pairs : options.pairs) {
    if (pairs > kMostPairs)
      throw UsageError("at most " + with_commas(kMostPairs) + " pairs of one relation can be planted");
    rows += 2 * std::uint64_t{pairs};
  }
  if (rows > options.profiles && options.profiles > 0)
    throw UsageError("the pairs of relatives take " + counted(rows, "profile") +
                     ", two each; the database has " + with_commas(options.profiles) +
                     ": plant fewer, or simulate more profiles");
}

/// Refuses farther relatives on panels with X, Y and M, whose inheritance is not simulated for them.
void check_planted_classes(const SimulateOptions& options, const SiteClasses& classes) {
  if (!classes.has(SiteClass::kX) && !classes.has(SiteClass::kY) && !classes.has(SiteClass::kM)) return;
  for (const Relation relation : planted_relations())
    if (relation > Relation::kFirstCousins && options.pairs[static_cast<std::size_t>(relation)] > 0)
      throw UsageError(fmt::format(
          "the panel has sites of X, Y or M, which are passed on to duplicates, twins, parents and children, "
          "siblings and first cousins alone: plant no pairs of {}, or simulate on a panel of autosomal sites",
          name_of(relation)));
}

void check_trait(const SimulateOptions& options) {
  const auto& [model, heritability, prevalence] = *options.epistasis;
  if (!(heritability > 0 && heritability < 1))
    throw UsageError("the heritability must be above 0 and below 1");
  if (!(prevalence > 0 && prevalence < 1)) throw UsageError("the prevalence must be above 0 and below 1");
  if (options.populations > 0) throw UsageError("a trait cannot be planted in several populations");
}

void check_planted_disaster(const SimulateOptions& options) {
  const PlantedDisaster& disaster = *options.disaster;
  if (disaster.families == 0) throw UsageError("a disaster needs at least one family");
  if (disaster.families > kMostFamilies || disaster.strangers > kMostStrangers)
    throw UsageError(fmt::format("at most {} families and {} can be simulated", with_commas(kMostFamilies),
                                 counted(kMostStrangers, "stranger")));
  if (std::ranges::any_of(options.pairs, [](std::uint32_t pairs) { return pairs > 0; }) ||
      options.epistasis || options.cases > 0 || options.stains)
    throw UsageError("a disaster is simulated without pairs of relatives, a trait, cases and stains");
  if (options.encoding != Encoding::kAlleles)
    throw UsageError("families need both alleles: simulate a disaster with --encoding alleles");
  simulate::check_disaster(disaster);
}

void check_options(const SimulateOptions& options) {
  if (options.disaster) check_planted_disaster(options);
  if (options.profiles == 0 && !options.disaster)
    throw UsageError("a simulated database needs at least one profile");
  if (options.panel_path.empty() && options.sites == 0) throw UsageError("a panel needs at least one site");
  check_rate(options.no_call_rate, "the no-call rate");
  check_rate(options.error_rate, "the error rate");
  check_rate(options.case_no_call_rate, "the cases' no-call rate");
  check_rate(options.case_error_rate, "the cases' error rate");
  check_rate(options.duplicate_error_rate, "the duplicates' error rate");
  check_rate(options.fst, "the distance of populations (fst)");
  check_pairs(options);
  if (options.populations > kMostPopulations)
    throw UsageError("at most " + std::to_string(kMostPopulations) + " populations can be simulated");
  if (options.epistasis) check_trait(options);
  if (options.cases == 0 && !options.stains) return;
  if (options.cases_dir.empty()) throw UsageError("cases and stains need a folder to be written to");
  if (options.stains) simulate::check_stains(options);
  if (options.cases == 0) return;
  if (options.profiles < kLargestMixture)
    throw UsageError("cases need a database of at least " + std::to_string(kLargestMixture) + " profiles");
}

/// The panel, and the frequencies of each population that people are drawn from.
struct World {
  Panel panel;
  std::vector<std::vector<double>> minor_freqs;
};

World world_for(const SimulateOptions& options) {
  const Panel panel = options.panel_path.empty() ? simulate::simulate_panel(options.sites, options.seed)
                                                 : PanelSource(options.panel_path).read();
  const std::string& source = options.panel_path.empty() ? options.output : options.panel_path;
  const std::vector<double>& common = simulate::frequencies_of(panel, options.population, source);
  if (options.populations == 0) return {panel, {common}};
  World world{simulate::with_drifted(panel, common, options.populations, options.fst, options.seed, source),
              {}};
  for (const Population& population : std::span(world.panel.populations()).last(options.populations))
    world.minor_freqs.push_back(population.minor_freq);
  return world;
}

/// Whether profiles have no plane of sites called.
bool has_one_plane(const People& people, Encoding encoding) {
  return encoding == Encoding::kMinor && people.all_called();
}

/// A buffer for some blocks of both planes, filled by several threads.
class Batch {
 public:
  Batch(const People& people, Encoding encoding, ThreadPool& pool)
      : people_(people),
        encoding_(encoding),
        pool_(pool),
        most_(std::max<std::size_t>(
            1, kBatchBytes / std::max<std::size_t>(1, BlockShape{0, people.n_sites()}.block_bytes()))),
        bits_(checked_mul(most_, BlockShape{0, people.n_sites()}.block_words())),
        second_(bits_.size()) {}

  std::uint64_t most_profiles() const { return most_ * kLanes; }

  /// Fills in profiles first .. first + n - 1; `first` must be the first profile of a block.
  BlocksView fill(std::uint64_t first, std::uint64_t n) {
    const BlockShape shape{n, people_.n_sites(), encoding_};
    simulate::observe_blocks(people_, first / kLanes, shape, pool_, bits_.data(), second_.data());
    return {shape, bits_.data(), has_one_plane(people_, encoding_) ? nullptr : second_.data()};
  }

 private:
  const People& people_;
  Encoding encoding_;
  ThreadPool& pool_;
  std::size_t most_;
  WordBuffer bits_, second_;
};

void check_size(const SimulateOptions& options, const People& people) {
  const BlockShape shape{options.profiles, people.n_sites(), options.encoding};
  const double planes = has_one_plane(people, options.encoding) ? 1 : 2;
  check_room(options.output,
             planes * static_cast<double>(shape.n_blocks()) * static_cast<double>(shape.block_bytes()),
             fmt::format("{} of {}", counted(options.profiles, "profile"), counted(shape.n_sites, "site")),
             "simulate fewer profiles, or write where there is room");
}

void write_people(const SimulateOptions& options, const Panel& panel, const People& people) {
  const std::size_t id_bytes = simulate::profile_id(options.profiles - 1).size();
  ThreadPool pool(threads_or_all(options.threads));
  db::Writer writer(
      options.output, panel,
      {.kind = db::Kind::kIndividuals, .encoding = options.encoding, .id_bytes = id_bytes, .pool = &pool});
  Batch batch(people, options.encoding, pool);
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
  writer.finish(simulate::simulation_record(options));
}

}  // namespace

std::string relatives_path(const std::string& output) {
  return output + ".relatives.tsv";
}

std::string sexes_path(const std::string& output) {
  return output + ".sexes.tsv";
}

std::string families_path(const std::string& output) {
  return output + ".families.ped";
}

std::string typed_path(const std::string& output) {
  return output + ".typed.h5";
}

std::string remains_path(const std::string& output) {
  return output + ".remains.tsv";
}

std::string samples_path(const std::string& output) {
  return output + ".samples.tsv";
}

std::string_view name_of(EpistasisModel model) {
  constexpr std::array<std::string_view, 3> kNames = {"threshold", "xor", "majority"};
  return kNames.at(static_cast<std::size_t>(model));
}

std::string phenotypes_path(const std::string& output) {
  return output + ".phenotypes.tsv";
}

std::string populations_path(const std::string& output) {
  return output + ".populations.tsv";
}

void simulate_database(const SimulateOptions& options) {
  check_options(options);
  const World world = world_for(options);
  check_planted_classes(options, SiteClasses(world.panel));
  simulate::remove_tables(options.output);
  if (options.disaster) return simulate::write_disaster(options, world.panel, world.minor_freqs);
  const People people(world.panel, world.minor_freqs,
                      {.no_call = options.no_call_rate,
                       .error = options.error_rate,
                       .duplicate_error = options.duplicate_error_rate},
                      options.seed, {options.pairs, options.profiles, options.seed},
                      options.unlinked_meioses ? simulate::Meioses::kUnlinked : simulate::Meioses::kLinked);
  check_size(options, people);
  std::optional<simulate::Trait> trait;
  if (options.epistasis) trait = simulate::plan_trait(options, people.classes(), world.minor_freqs[0]);
  if (options.cases > 0 || options.stains) simulate::make_cases_folder(options);
  write_people(options, world.panel, people);
  simulate::write_truth(options, people);
  if (trait) simulate::write_phenotypes(options, world.panel, people, *trait);
  if (options.cases > 0) simulate::write_cases(options, world.panel, people);
  if (options.stains) simulate::write_stains(options, world.panel, people);
}

}  // namespace fastid::simulate
