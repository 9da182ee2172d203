#include "analysis/internal/frequencies.hpp"

#include "base/log.hpp"
#include "base/text.hpp"

namespace fastid {
namespace {

constexpr std::uint64_t kFewPeople = 100;  ///< a smaller sample gets a warning

}  // namespace

std::optional<std::uint64_t> sampled_cohort(const db::Reader& reader) {
  const std::vector<db::LogRecord> log = reader.log();
  if (log.empty() || !log.front().derived_panel || log.front().inputs.empty()) return std::nullopt;
  return log.front().inputs.front().profiles;
}

// "all", the default, is not an error where there is none.
std::vector<stats::PopulationModel> models_of(const db::Reader& reader, std::string_view population,
                                              const stats::Parameters& parameters,
                                              const std::shared_ptr<const stats::LinkageBlocks>& blocks) {
  std::vector<stats::PopulationModel> models =
      stats::choose_populations(reader.panel(), population == stats::kAllPopulations ? "" : population,
                                parameters, sampled_cohort(reader), reader.path());
  for (stats::PopulationModel& model : models) model.weigh_by(blocks);
  return models;
}

void say_frequencies(const db::Reader& reader, std::span<const stats::PopulationModel> models) {
  if (models.empty())
    log::note("{}: its panel has no allele frequencies, so that what a match is worth is not known (NA); {}",
              reader.path(), kFrequencyCure);
  for (const stats::PopulationModel& model : models) {
    const std::optional<std::uint64_t> people = model.sampled_people();
    if (!people) continue;
    const bool few = *people < kFewPeople, alone = models.size() == 1;
    if (few || alone)
      log::warn("{}: the frequencies of '{}' were counted in {} people {}; {}", reader.path(), model.name(),
                with_commas(*people),
                alone ? "of the database itself, and it has no others, so that evidence is the less certain"
                      : "only, so that evidence is the less certain",
                kFrequencyCure);
  }
}

std::vector<PopulationFacts> facts_of(std::span<const stats::PopulationModel> models) {
  std::vector<PopulationFacts> facts;
  for (const stats::PopulationModel& model : models)
    facts.push_back({model.name(), model.floor(), model.floored_sites(), model.sampled_people()});
  return facts;
}

}  // namespace fastid
