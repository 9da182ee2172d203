/// \file
/// The sites that two databases' panels share, where the panels differ.
#pragma once

#include <optional>
#include <vector>

#include "bits/moved_sites.hpp"
#include "db/database.hpp"

namespace fastid::pairs {

/// Where each site of `first` comes from in `second`: a site of the same id, else of the same position where
/// the builds are known and equal, with the same alleles, or on the other strand where letters tell. Prints
/// the number of shared sites. No value where the two have the same sites and alleles in the same order.
///
/// \param ignore_build  ids alone count \throws InputError: the builds, or the positions of sites with the
/// same id, differ (cure: --ignore-build); no site is shared
std::optional<std::vector<SiteOrigin>> shared_sites(const db::Reader& first, const db::Reader& second,
                                                    bool ignore_build);

}  // namespace fastid::pairs
