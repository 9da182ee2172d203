/// \file
/// What linkage disequilibrium says of a panel: which sites to keep so that none are linked, and which lie in
/// blocks, so that evidence can weigh each block as one site.
#pragma once

#include <cstdint>
#include <vector>

#include "questions/ld/run.hpp"
#include "questions/ld/table.hpp"

namespace fastid::ld {

/// Which of two linked sites is kept.
enum class PruneBy : std::uint8_t {
  kFrequency,  ///< that with the higher minor-allele frequency
  kPower       ///< that with the higher site_power()
};

/// How much each site adds on average to the log10 likelihood ratio of a person who is compared with
/// themselves: stats::site_power() in that of the panel's populations in which it is least (of the sites' own
/// frequencies where the panel has none), times the share of people who are called.
std::vector<double> site_power(const SiteFacts& facts);

/// Sites of which no two have an r2 above `most` within the window: each in turn, that with the highest
/// minor-allele frequency (power) first, is kept unless it is linked to one that is kept already. Sites that
/// do not vary are left out. Returns their places, ascending. \param search  whose min_r2 is at most `most`
std::vector<std::uint32_t> pruned(const LdSearch& search, double most, PruneBy by = PruneBy::kFrequency);

/// Blocks of two sites or more, in the order of the genome. Two neighbours on a chromosome belong to one
/// block if any two sites, one up to the first of them and one from the second on, have an r2 of at least
/// `least` within the window; or if they have one position. So no two sites of different blocks, nor one of a
/// block and one outside, are linked. Sites of unknown position are in none.
/// \param search  whose min_r2 is at most `least`
std::vector<SiteBlock> linkage_blocks(const LdSearch& search, double least);

}  // namespace fastid::ld
