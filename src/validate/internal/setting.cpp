#include "validate/internal/setting.hpp"

#include <filesystem>

#include "base/text.hpp"
#include "db/database.hpp"

namespace fastid::validate {

simulate::SimulateOptions Setting::people(const std::string& name, std::uint64_t profiles) const {
  return {.output = folder.file(name),
          .profiles = profiles,
          .panel_path = panel_path,
          .population = population,
          .seed = options.seed,
          .encoding = Encoding::kAlleles,
          .threads = pool.threads(),
          .command = options.command};
}

std::string Setting::simulate(const simulate::SimulateOptions& people, const std::string& what) const {
  simulate::simulate_database(people);
  const db::Reader reader(people.output);
  materials.push_back({what,
                       counted(reader.shape().n_profiles, "simulated profile") + ", " +
                           counted(reader.shape().n_sites, "site"),
                       reader.header().content_sha256});
  return people.output;
}

asking::SearchOptions Setting::search(const std::string& file, const std::string& database) const {
  asking::SearchOptions search;
  search.queries = {file};
  search.database = database;
  search.import.encoding = Encoding::kAlleles;
  search.evidence.population = population;
  search.threads = pool.threads();
  search.progress = ProgressMode::kNever;
  return search;
}

stats::PopulationModel Setting::counted_model(const stats::Parameters& parameters) const {
  std::vector<double> counted;
  for (const std::uint32_t s : classes.sites(SiteClass::kAutosomal)) counted.push_back(freq[s]);
  return subject.model(counted, parameters);
}

std::unique_ptr<engine::Engine> Setting::engine() const {
  return subject.make_engine("cpu", {.threads = pool.threads()});
}

}  // namespace fastid::validate
