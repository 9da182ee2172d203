#include "asking/frequencies.hpp"

#include "base/log.hpp"
#include "match/wording.hpp"

namespace fastid::asking {

std::optional<std::uint64_t> sampled_cohort(const db::Reader& reader) {
  const std::vector<db::LogRecord> log = reader.log();
  db::check_counted(reader.panel(), log, reader.path());
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
  for (const std::string& text : match::frequencies_texts(facts_of(models)))
    log::note("{}: {}; {}", reader.path(), text, kFrequencyCure);
}

std::vector<match::PopulationFacts> facts_of(std::span<const stats::PopulationModel> models) {
  std::vector<match::PopulationFacts> facts;
  for (const stats::PopulationModel& model : models)
    facts.push_back({model.name(), model.floor(), model.floored_sites(), model.sampled_people()});
  return facts;
}

}  // namespace fastid::asking
