#include "questions/dvi/event/event.hpp"

#include <utility>

#include "questions/dvi/event/components.hpp"
#include "questions/dvi/event/conclusions.hpp"
#include "questions/dvi/event/pooling.hpp"
#include "questions/dvi/event/state.hpp"
#include "questions/dvi/event/suspects.hpp"
#include "questions/dvi/event/undisputed.hpp"

namespace fastid::dvi {

Event::Event(const stats::AlleleModel& model, const std::vector<Family>& families,
             const std::vector<Remains>& remains, const Rules& rules, const std::string& source)
    : input_{&model, &families, &remains, &rules} {
  for (const Family& family : families)
    likelihoods_.emplace_back(model, family.members, family.missing, source);
}

std::vector<std::vector<std::size_t>> Event::pooled(std::size_t threads) const {
  if (input_.rules->pool)
    return fastid::dvi::pooled(*input_.model, *input_.remains, input_.rules->bar, threads);
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < n_remains(); ++i) groups.push_back({i});
  return groups;
}

FirstFigures Event::first(const std::vector<std::vector<std::size_t>>& groups, const Range& some,
                          std::size_t threads, bool power, ProgressMode progress) const {
  return first_figures(input_, likelihoods_, groups, some, power, threads, progress);
}

Findings Event::findings(FirstFigures first, std::size_t threads) const {
  EventState state(input_, likelihoods_, std::move(first), threads);
  while (find_undisputed(state)) {
  }
  Assigned assigned = assign_rest(state);
  conclude(state, assigned);
  find_suspects(state);
  Findings findings = state.take();
  findings.components = std::move(assigned.components);
  return findings;
}

}  // namespace fastid::dvi
