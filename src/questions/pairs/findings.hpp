/// \file
/// Puts the findings about a pair into the pair as it is listed.
#pragma once

#include <cstdint>
#include <utility>

#include "asking/linked_evidence.hpp"
#include "asking/relation_evidence.hpp"
#include "match/close_pair.hpp"
#include "stats/kinship.hpp"

namespace fastid::pairs {

/// \param n_pairs  number of compared pairs
inline void put_findings(asking::LinkedFindings&& found, std::uint64_t n_pairs, match::ClosePair& pair) {
  pair.relation = std::move(found.relation);
  pair.log10_chance_pairs = stats::log10_expected_strangers(found.log10_any, n_pairs);
  pair.linked = match::ClosePair::AlongMap{std::move(found.figures), found.log10_any, found.margin};
}
inline void put_findings(asking::RelationFindings&& found, std::uint64_t n_pairs, match::ClosePair& pair) {
  pair.log10_lr = found.log10_lr;
  pair.relation = std::move(found.relation);
  pair.log10_chance_pairs =
      stats::log10_expected_strangers(found.log10_best - asking::log10_relations(), n_pairs);
}

}  // namespace fastid::pairs
