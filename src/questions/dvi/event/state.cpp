#include "questions/dvi/event/state.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/thread_pool.hpp"

namespace fastid::dvi {
namespace {

/// A pair whose ratio lies this many deviations below the one of the member's own remains is somebody else.
constexpr double kFarBelow = 6;
/// Log10 ratios this near 0 say nothing.
constexpr double kSaysNothing = 1e-9;

}  // namespace

EventState::EventState(const EventInput& input, std::vector<stats::FamilyLikelihood> likelihoods,
                       FirstFigures first, std::size_t threads)
    : input_(input),
      threads_(threads),
      at_first_(std::move(likelihoods)),
      likelihoods_(at_first_),
      people_(input, first.groups),
      unplaced_(people_.size(), true),
      ratios_(std::move(first.ratios)) {
  findings_.missing = missing_of(*input.families);
  findings_.people = people_.people();
  findings_.consistency = std::move(first.consistency);
  findings_.power = std::move(first.power);
  const std::size_t most = std::max({findings_.missing.size(), findings_.people.size(), std::size_t{1}});
  findings_.log10_odds = rules().odds ? *rules().odds : -std::log10(static_cast<double>(most));
  for (std::size_t m = 0; m < findings_.missing.size(); ++m) {
    findings_.missing[m].log10_lr = ratios_[m];
    left_.push_back(m);
  }
}

std::size_t EventState::place_of(std::size_t m) const {
  const auto missing = family_of(m).missing();
  return static_cast<std::size_t>(std::ranges::find(missing, wanted(m).member) - missing.begin());
}

std::vector<std::size_t> EventState::candidates_of(std::size_t m, double cut) const {
  std::vector<std::size_t> candidates;
  for (std::size_t v = 0; v < n_people(); ++v)
    if (unplaced_[v] && ratios_[m][v] > cut) candidates.push_back(v);
  return candidates;
}

Candidates EventState::candidates_of(const std::vector<std::size_t>& missing, double cut) const {
  Candidates candidates;
  for (const std::size_t m : missing) candidates.push_back(candidates_of(m, cut));
  return candidates;
}

std::vector<std::size_t> EventState::rivals_of(std::size_t m, double above) const {
  std::vector<std::size_t> likely, rivals;
  std::vector<const stats::PersonReadings*> as;
  for (std::size_t v = 0; v < n_people(); ++v)
    if (unplaced_[v] && ratios_[m][v] >= rules().bar && ratios_[m][v] > above) {
      likely.push_back(v);
      as.push_back(&readings(v));
    }
  if (likely.empty()) return rivals;
  const std::vector<stats::ExpectedRatio> own = family_of(m).expected(place_of(m), as);
  for (std::size_t i = 0; i < likely.size(); ++i)
    if (ratios_[m][likely[i]] > own[i].mean - kFarBelow * own[i].deviation) rivals.push_back(likely[i]);
  return rivals;
}

bool EventState::says_nothing(std::size_t m) const {
  const auto is_allowed_pair = [](double ratio) { return !std::isnan(ratio); };
  return std::ranges::any_of(ratios_[m], is_allowed_pair) &&
         std::ranges::all_of(ratios_[m], [](double ratio) { return !(std::abs(ratio) >= kSaysNothing); });
}

stats::ExpectedRatio EventState::expected_at_first(const Missing& missing, std::size_t person) const {
  const stats::FamilyLikelihood& family = at_first_[missing.family];
  const auto place = std::ranges::find(family.missing(), missing.member) - family.missing().begin();
  const stats::PersonReadings* const as = &readings(person);
  return family.expected(static_cast<std::size_t>(place), {&as, 1})[0];
}

void EventState::place(std::size_t m, std::size_t person) {
  stats::FamilyLikelihood& family = likelihoods_[wanted(m).family];
  family = family.with_found(place_of(m), readings(person));
  unplaced_[person] = false;
  std::erase(left_, m);
}

void EventState::update_ratios(const std::vector<std::size_t>& of) {
  constexpr std::size_t kTogether = stats::PeopleFound::kTogether;
  in_parallel((of.size() + kTogether - 1) / kTogether, threads_, [&](std::size_t batch) {
    const auto some =
        std::span(of).subspan(batch * kTogether, std::min(kTogether, of.size() - batch * kTogether));
    std::vector<AskedMember> asked;
    for (const std::size_t m : some) asked.push_back({&family_of(m), place_of(m)});
    std::vector<std::vector<double>> ratios = ratios_of(asked);
    for (std::size_t k = 0; k < some.size(); ++k) {
      people_.forbid(some[k], ratios[k]);
      ratios_[some[k]] = std::move(ratios[k]);
    }
  });
}

}  // namespace fastid::dvi
