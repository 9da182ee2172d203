#include "questions/dvi/event/suspects.hpp"

#include <algorithm>
#include <span>
#include <vector>

#include "base/thread_pool.hpp"

namespace fastid::dvi {

void find_suspects(EventState& state) {
  struct Left {
    std::size_t missing, member;
  };
  std::vector<Left> all;
  for (const std::size_t m : state.left())
    if (state.wanted(m).conclusion == Conclusion::kNone)
      for (std::size_t member = 0; member < state.family_of(m).members().size(); ++member)
        if (state.family_of(m).members()[member].readings != nullptr) all.push_back({m, member});
  constexpr std::size_t kTogether = stats::PeopleFound::kTogether;
  std::vector<std::vector<Suspect>> suspects(all.size());
  in_parallel((all.size() + kTogether - 1) / kTogether, state.threads(), [&](std::size_t batch) {
    const std::size_t first = batch * kTogether, n = std::min(kTogether, all.size() - first);
    std::vector<stats::FamilyLikelihood> without;
    std::vector<AskedMember> asked;
    for (const auto& [m, member] : std::span(all).subspan(first, n))
      without.push_back(state.family_of(m).without(member));
    for (std::size_t k = 0; k < n; ++k)
      asked.push_back({&without[k], state.place_of(all[first + k].missing)});
    const std::vector<std::vector<double>> ratios = state.ratios_of(asked);
    for (std::size_t k = 0; k < n; ++k) {
      const auto& [m, member] = all[first + k];
      for (std::size_t v = 0; v < state.n_people(); ++v)
        if (state.is_unplaced(v) && state.is_allowed(m, v) && ratios[k][v] >= state.rules().bar)
          suspects[first + k].push_back({member, v, ratios[k][v]});
    }
  });
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::vector<Suspect>& of = state.wanted(all[i].missing).suspects;
    of.insert(of.end(), suspects[i].begin(), suspects[i].end());
  }
}

}  // namespace fastid::dvi
