#include "asking/family_check.hpp"

#include <cmath>

#include "base/log.hpp"
#include "base/text.hpp"

namespace fastid::asking {

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

}  // namespace fastid::asking
