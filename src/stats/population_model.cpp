#include "stats/population_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.hpp"
#include "base/text.hpp"
#include "panel/population_name.hpp"

namespace fastid::stats {
namespace {

void check_range(std::string_view option, double value, double highest) {
  if (value >= 0 && value <= highest) return;  // false for NaN
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
                                 const Parameters& parameters, std::optional<std::uint64_t> sampled_people,
                                 const SiteClasses* classes, std::span<const std::uint32_t> counted)
    : name_(std::move(name)), parameters_(parameters), sampled_people_(sampled_people) {
  check_parameters(parameters);
  for (std::size_t s = 0; s < minor_freq.size(); ++s) check_frequency(minor_freq[s], s, name_);
  const auto counts = [&](std::size_t s) {
    return classes == nullptr || classes->of(s) == SiteClass::kAutosomal;
  };
  std::vector<double> autosomal;
  for (std::size_t s = 0; s < minor_freq.size(); ++s)
    if (counts(s)) autosomal.push_back(minor_freq[s]);
  std::uint64_t most =
      sampled_people ? 2 * *sampled_people : 0;  // alleles that a frequency was counted among
  for (std::size_t s = 0; s < counted.size(); ++s)
    if (counts(s)) most = std::max<std::uint64_t>(most, counted[s]);
  floor_ = most > 0 ? counted_frequency(0, most) : frequency_floor(autosomal);
  for (std::size_t s = 0; s < minor_freq.size(); ++s) {
    const double stated = minor_freq[s];
    // Frequencies of X, Y and M are counted by copies, and stated as (x + 1) / (copies + 2).
    freq_.push_back(most > 0 && counts(s) ? counted_frequency(stated, counted.empty() ? most : counted[s])
                                          : std::clamp(stated, floor_, 1 - floor_));
    floored_sites_ += counts(s) && (stated < floor_ || stated > 1 - floor_);
  }
}

PopulationModel PopulationModel::of_sites(std::span<const std::uint32_t> places) const {
  PopulationModel some = *this;
  some.blocks_.reset();
  some.freq_.clear();
  for (const std::uint32_t s : places) some.freq_.push_back(freq_[s]);
  return some;
}

std::vector<PopulationModel> choose_populations(const Panel& panel, std::string_view choice,
                                                const Parameters& parameters,
                                                std::optional<std::uint64_t> sampled_cohort,
                                                std::string_view source) {
  check_parameters(parameters);
  const bool all = choice.empty() || choice == kAllPopulations;
  const std::vector<std::string_view> wanted = split(choice, ',');
  if (!choice.empty() && panel.populations().empty())
    throw InputError(source, "", "the panel has no allele frequencies",
                     "leave --population out, or build the database with a panel that has some");
  std::vector<const Population*> asked;
  for (const std::string_view name : all ? std::vector<std::string_view>() : wanted) {
    asked.push_back(find_population(panel, name));
    if (asked.back() == nullptr)
      throw InputError(source, "", fmt::format("the panel has no population '{}'", printable(name)),
                       fmt::format("choose from: {}; or all", names_of(panel.populations())));
  }
  const SiteClasses classes(panel);
  std::vector<PopulationModel> models;
  for (const Population& population : panel.populations()) {
    if (!all && std::ranges::find(asked, &population) == asked.end()) continue;
    const std::string& name = population.name;
    models.emplace_back(name, population.minor_freq, parameters,
                        name == kCohort ? sampled_cohort : std::optional<std::uint64_t>(), &classes,
                        population.counted);
  }
  return models;
}

}  // namespace fastid::stats
