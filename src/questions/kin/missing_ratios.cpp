#include "questions/kin/missing_ratios.hpp"

#include <algorithm>
#include <limits>

#include "match/keep_rule.hpp"

namespace fastid::kin {

MissingRatios::MissingRatios(std::span<const stats::PopulationModel> models,
                             std::span<const stats::Member> members, std::size_t missing,
                             std::string_view source) {
  for (const stats::PopulationModel& model : models) unlinked_.emplace_back(model, members, missing, source);
}

MissingRatios::MissingRatios(std::span<const stats::PopulationModel> models,
                             const asking::LinkedEvidence& map, std::span<const stats::Member> members,
                             std::size_t missing) {
  for (std::size_t p = 0; p < models.size(); ++p)
    linked_.emplace_back(models[p], map.sites(p), members, missing);
}

std::vector<LowestRatio> MissingRatios::of(std::span<const RowView> rows, std::size_t threads) const {
  std::vector<LowestRatio> lowest(rows.size(), {std::numeric_limits<double>::infinity(), 0});
  for (std::size_t p = 0; p < std::max(unlinked_.size(), linked_.size()); ++p) {
    const std::vector<double> ratios =
        linked_.empty() ? unlinked_[p].log10_lr(rows) : linked_[p].log10_lr(rows, threads);
    for (std::size_t r = 0; r < rows.size(); ++r)
      if (ratios[r] < lowest[r].log10_lr) lowest[r] = {ratios[r], p};
  }
  return lowest;
}

std::size_t followed_along_map(unsigned bits, std::uint64_t top) {
  constexpr std::uint64_t kVectors = std::uint64_t{1} << 18, kLeast = 32, kTimes = 2;
  if (top > match::KeepRule::kAll / kTimes) return SIZE_MAX;
  return static_cast<std::size_t>(std::max({kVectors >> bits, kLeast, kTimes * top}));
}

std::string members_to_leave_out(std::span<const stats::Member> members, std::size_t missing, unsigned most) {
  std::string names;
  std::vector<stats::Member> others(members.begin(), members.end());
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (!members[i].typed) continue;
    others[i].typed.reset();
    if (linked::LinkedFamily::can_follow(others, missing, most))
      names += (names.empty() ? "" : ", ") + members[i].name;
    others[i].typed = members[i].typed;
  }
  return names;
}

}  // namespace fastid::kin
