/// \file
/// What searches say of near relatives, by the stretches that they inherit.
#pragma once

#include <span>
#include <string>

#include "asking/linked_evidence.hpp"
#include "bits/likelihoods.hpp"
#include "bits/rows.hpp"
#include "match/match_table.hpp"
#include "stats/evidence.hpp"

namespace fastid::search {

/// A row and what bars it from a suggestion.
struct BarredRow {
  match::MatchRow* row = nullptr;  ///< with its chance matches
  bool relatives = true;           ///< the two may be relatives at all
  bool weak = false;               ///< chance would explain even a row without a mismatch
};

/// The relations that a search weighs, as --relations has them: to the third degree, so that farther
/// relatives are not taken for those of the second.
std::string near_relations();

/// Those of a contributor to a mixture.
std::string sibling_relations();

/// Puts the ratio against full siblings and what each row suggests. \param evidence  available()
/// \param stored  of each row
void suggest_along_map(const asking::LinkedEvidence& evidence, const RowView& asked,
                       std::span<const BarredRow> rows, std::span<const RowView> stored);
/// The same of somebody who goes by likelihoods.
void suggest_along_map(const asking::LinkedEvidence& evidence, const SampleLikelihoods& asked,
                       std::span<const BarredRow> rows, std::span<const RowView> stored);

/// Mixtures: puts the ratios of a contributor's siblings, each in the population that the hit is reported in,
/// and what follows from them. \param evidence  available() \param figures  of the mixture \param people  of
/// each hit
void follow_siblings(const asking::LinkedEvidence& evidence, const stats::Question& question,
                     const stats::QueryEvaluator& figures, const stats::Stain& mixture,
                     std::span<const RowView> people, std::span<stats::HitReport> hits);

}  // namespace fastid::search
