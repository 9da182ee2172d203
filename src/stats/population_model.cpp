#include "stats/population_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"

namespace fastid::stats {
namespace {

constexpr std::string_view kCohort = "cohort";

void check_range(std::string_view option, double value, double highest) {
  if (value >= 0 && value <= highest) return;  // false for what is no number
  throw UsageError(fmt::format("{} is {}; give a number from 0 to {}", option, value, highest));
}

void check_frequency(double freq, std::size_t site, std::string_view population) {
  if (freq >= 0 && freq <= 1) return;
  throw InputError(fmt::format("population '{}'", population), fmt::format("site {}", site + 1),
                   fmt::format("its frequency is {}", freq), "give a number from 0 to 1");
}

std::string names_of(std::span<const Population> populations) {
  std::string names;
  for (const Population& population : populations) {
    if (!names.empty()) names += ", ";
    names += population.name;
  }
  return names;
}

}  // namespace

void check_parameters(const Parameters& parameters) {
  check_range("--theta", parameters.theta, 1);
  check_range("--error-rate", parameters.error_rate, 0.5);
}

PopulationModel::PopulationModel(std::string name, std::span<const double> minor_freq,
                                 const Parameters& parameters, std::optional<std::uint64_t> sampled_people)
    : name_(std::move(name)), parameters_(parameters) {
  check_parameters(parameters);
  for (std::size_t s = 0; s < minor_freq.size(); ++s) check_frequency(minor_freq[s], s, name_);
  floor_ = frequency_floor(minor_freq, sampled_people);
  for (const double stated : minor_freq) {
    const double freq = std::clamp(stated, floor_, 1 - floor_);
    floored_sites_ += freq != stated;
    freq_.push_back(freq);
    carrier_.push_back(carrier_probability(freq, parameters.theta));
    non_carrier_.push_back(non_carrier_probability(freq, parameters.theta));
    identity_.push_back(identity_ratios(freq, parameters.theta, parameters.error_rate));
  }
}

std::vector<PopulationModel> choose_populations(const Panel& panel, std::string_view choice,
                                                const Parameters& parameters,
                                                std::optional<std::uint64_t> sampled_cohort,
                                                std::string_view source) {
  check_parameters(parameters);
  const bool all = choice.empty() || choice == kAllPopulations;
  std::vector<PopulationModel> models;
  for (const auto& [name, minor_freq] : panel.populations())
    if (all || name == choice)
      models.emplace_back(name, minor_freq, parameters,
                          name == kCohort ? sampled_cohort : std::optional<std::uint64_t>());
  if (!models.empty() || choice.empty()) return models;
  if (panel.populations().empty())
    throw InputError(source, "", "the panel has no allele frequencies",
                     "leave --population out, or build the database with a panel that has some");
  throw InputError(source, "", fmt::format("the panel has no population '{}'", printable(choice)),
                   fmt::format("choose one of: {}; or all", names_of(panel.populations())));
}

}  // namespace fastid::stats
