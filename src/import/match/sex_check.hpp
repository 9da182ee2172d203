/// \file
/// Checks on X, Y and M: heterozygotes where there is one copy, sexes that a file states wrongly, and
/// frequencies by copies.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bits/blocks.hpp"
#include "panel/panel.hpp"
#include "panel/sex.hpp"

namespace fastid::imports {

/// A file's people on a panel.
struct PeopleOnPanel {
  const BitBlocks& blocks;
  const SiteClasses& classes;  ///< of the panel
  std::span<const std::string> ids;
};

/// How many calls are of both alleles where a person has one copy: Y, M, a man's X.
std::uint64_t one_copy_hets(const PeopleOnPanel& people);

/// A warning that names people whose X and Y contradict the sex that `file` states; "" where there are none.
/// \param stated  the stated sex of each person; may be empty
std::string warn_of_sexes(const PeopleOnPanel& people, std::span<const std::optional<Sex>> stated,
                          const std::string& file);

/// The minor alleles' frequencies of the sites of X, Y and M by copies, (x + 1) / (copies + 2): a woman's X
/// counts as two copies, a man's X and Y and anybody's M as one. Calls of both alleles where there is one
/// copy, and people whose copies are not known, do not count. \param minor_freq  of all sites; frequencies of
/// autosomal sites stay
void count_by_copies(const PeopleOnPanel& people, std::vector<double>& minor_freq);

}  // namespace fastid::imports
