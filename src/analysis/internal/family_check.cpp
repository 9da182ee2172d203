#include "analysis/internal/family_check.hpp"

#include <cmath>
#include <list>
#include <vector>

#include "base/log.hpp"
#include "base/text.hpp"
#include "stats/family_likelihood.hpp"

namespace fastid {

void warn_of_misfit(std::string_view family, std::string_view member,
                    const std::optional<double>& log10_ratio) {
  constexpr double kFits = -1;
  if (log10_ratio && std::isinf(*log10_ratio))
    log::warn("{}what was read of {} cannot be, with this family: a wrong relation, or another sample",
              family.empty() ? "" : "family " + printable(family) + ": ", printable(member));
  else if (log10_ratio && *log10_ratio < kFits)
    log::warn(
        "{}what was read of {} is 10^{:.1f} times as probable of somebody unrelated: a wrong relation, or "
        "another sample",
        family.empty() ? "" : "family " + printable(family) + ": ", printable(member), -*log10_ratio);
}

void warn_of_misfits(std::span<const stats::PopulationModel> models, std::span<const stats::Member> members,
                     const std::string& source) {
  if (models.empty()) return;
  const stats::AlleleModel alleles(models);
  std::list<stats::PersonReadings> readings;
  std::vector<stats::Relative> relatives;
  for (const stats::Member& member : members) {
    relatives.push_back({member.name, {member.father, member.mother}, nullptr});
    if (member.typed) relatives.back().readings = &readings.emplace_back(*member.typed, alleles.n_sites());
  }
  const auto ratios = stats::FamilyLikelihood(alleles, relatives, {}, source).consistency();
  for (std::size_t i = 0; i < ratios.size(); ++i) warn_of_misfit("", members[i].name, ratios[i]);
}

}  // namespace fastid
