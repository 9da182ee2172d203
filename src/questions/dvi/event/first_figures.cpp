#include "questions/dvi/event/first_figures.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/thread_pool.hpp"

namespace fastid::dvi {
namespace {

constexpr double kForbidden = std::numeric_limits<double>::quiet_NaN();

/// The missing members of some families, each as a place among its family's missing members.
std::vector<AskedMember> asked_of(std::span<const stats::FamilyLikelihood> likelihoods, const Range& some) {
  std::vector<AskedMember> asked;
  for (std::size_t f = some.first; f < some.end; ++f)
    for (std::size_t m = 0; m < likelihoods[f].missing().size(); ++m) asked.push_back({&likelihoods[f], m});
  return asked;
}

}  // namespace

std::vector<Missing> missing_of(const std::vector<Family>& families) {
  std::vector<Missing> missing;
  for (std::size_t f = 0; f < families.size(); ++f)
    for (const std::size_t member : families[f].missing)
      missing.push_back({.family = f, .member = member, .log10_lr = {}});
  return missing;
}

Range missing_of(const std::vector<Family>& families, const Range& some) {
  Range missing;
  for (std::size_t f = 0; f < some.end; ++f)
    (f < some.first ? missing.first : missing.end) += families[f].missing.size();
  missing.end += missing.first;
  return missing;
}

EventPeople::EventPeople(const EventInput& input, const std::vector<std::vector<std::size_t>>& groups)
    : input_(input), missing_(missing_of(*input.families)) {
  for (const std::vector<std::size_t>& group : groups) {
    Person person{.remains = group, .sex = {}};
    stats::PersonReadings readings(input.model->n_sites());
    for (const std::size_t i : group) {
      const Remains& of = (*input.remains)[i];
      readings.add(of.readings);
      if (of.sex && person.sex && *person.sex != *of.sex) person.sexes_differ = true;
      if (of.sex) person.sex = of.sex;
    }
    if (person.sexes_differ) person.sex.reset();
    person.called = readings.called();
    readings_.push_back(std::move(readings));
    people_.push_back(std::move(person));
  }
  matrix_ = std::make_unique<stats::PeopleFound>(readings_, input.model->n_sites());
}

double EventPeople::factor_of(std::size_t missing, std::size_t person) const {
  double sum = 0;
  const auto& factors = input_.rules->factors;
  if (factors.empty()) return sum;
  const Missing& of = missing_[missing];
  const std::string& name = (*input_.families)[of.family].members[of.member].name;
  for (const std::size_t i : people_[person].remains)
    if (const auto at = factors.find({name, (*input_.remains)[i].id}); at != factors.end())
      sum += std::log10(at->second);
  return sum;
}

bool EventPeople::is_allowed(std::size_t missing, std::size_t person) const {
  const Missing& of = missing_[missing];
  const std::optional<Sex> sex = (*input_.families)[of.family].sexes[of.member],
                           of_person = people_[person].sex;
  return (!sex || !of_person || *sex == *of_person) && std::isfinite(factor_of(missing, person));
}

std::vector<std::vector<double>> EventPeople::ratios_of(std::span<const AskedMember> asked) const {
  std::vector<std::vector<double>> lowest;
  if (input_.model->blocks() != nullptr) {
    for (const auto& [family, missing] : asked) {
      lowest.emplace_back();
      for (const stats::PersonReadings& person : readings_) {
        const stats::AssignedPerson pair{missing, &person};
        lowest.back().push_back(family->log10_lr({&pair, 1}));
      }
    }
    return lowest;
  }
  std::vector<std::vector<stats::MissingWeights>> weights;
  for (const auto& [family, missing] : asked) weights.push_back(family->weights(missing));
  for (std::size_t population = 0; population < input_.model->n_populations(); ++population) {
    std::vector<const stats::MissingWeights*> views;
    for (const auto& of_one : weights) views.push_back(&of_one[population]);
    const std::vector<std::vector<double>> ratios = matrix_->log10_lr(*input_.model, views);
    if (lowest.empty()) lowest = ratios;
    for (std::size_t k = 0; k < ratios.size(); ++k)
      std::ranges::transform(ratios[k], lowest[k], lowest[k].begin(),
                             [](double a, double b) { return std::min(a, b); });
  }
  return lowest;
}

void EventPeople::forbid(std::size_t missing, std::vector<double>& ratios) const {
  for (std::size_t v = 0; v < ratios.size(); ++v)
    if (!is_allowed(missing, v)) ratios[v] = kForbidden;
}

FirstFigures first_figures(const EventInput& input, std::span<const stats::FamilyLikelihood> likelihoods,
                           const std::vector<std::vector<std::size_t>>& groups, const Range& some, bool power,
                           std::size_t threads, ProgressMode progress) {
  constexpr std::size_t kTogether = stats::PeopleFound::kTogether;
  FirstFigures first{.groups = groups, .consistency = {}, .power = {}, .ratios = {}};
  const EventPeople people(input, first.groups);
  const std::vector<AskedMember> asked = asked_of(likelihoods, some);
  Progress said(progress, "weighing families", "steps", some.size() + asked.size());
  first.consistency.resize(some.size());
  in_parallel(some.size(), threads, [&](std::size_t i) {
    first.consistency[i] = likelihoods[some.first + i].consistency();
    said.add(1);
  });
  first.power.resize(asked.size());
  if (power)
    in_parallel(asked.size(), threads,
                [&](std::size_t m) { first.power[m] = asked[m].family->power(asked[m].missing); });
  first.ratios.resize(asked.size());
  const std::size_t first_missing = missing_of(*input.families, some).first;
  in_parallel((asked.size() + kTogether - 1) / kTogether, threads, [&](std::size_t batch) {
    const std::size_t begin = batch * kTogether, n = std::min(kTogether, asked.size() - begin);
    std::vector<std::vector<double>> ratios = people.ratios_of(std::span(asked).subspan(begin, n));
    for (std::size_t k = 0; k < n; ++k) {
      people.forbid(first_missing + begin + k, ratios[k]);
      first.ratios[begin + k] = std::move(ratios[k]);
    }
    said.add(n);
  });
  return first;
}

}  // namespace fastid::dvi
