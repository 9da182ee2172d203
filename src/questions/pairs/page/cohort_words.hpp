/// \file
/// Texts about a cohort's table, the same in messages, on the page and for MultiQC. Plain text.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "questions/pairs/cohort_table.hpp"

namespace fastid::pairs {

/// The relations that pairs can have, the closest first, and what each is called in a sentence.
struct RelationWords {
  std::string_view name;
  const char* words;
};
std::span<const RelationWords> relation_words();
/// The place of a relation in relation_words().
std::size_t place_of(std::string_view relation);

/// The id of a profile, followed by " [2]" where it is of a second database.
std::string label_of(const CohortTable& cohort, std::size_t profile);
std::string labels_of(const CohortTable& cohort, const std::vector<std::size_t>& profiles,
                      std::string_view between);

/// How many pairs have each relation, in the order of relation_words().
std::vector<std::uint64_t> pairs_by_relation(const CohortTable& cohort);

/// The headline of the cohort's report: a clause without a full stop.
std::string cohort_headline(const CohortTable& cohort);

/// "31 of 2,000 profiles are in 12 groups of relatives; ..."
std::string groups_sentence(const CohortTable& cohort);
/// How the expectation was met. \param cohort  has an expectation
std::string expectation_sentence(const CohortTable& cohort);
/// "A and B, or else C and D, seem to be exchanged (swapped labels): this repairs 4 of 20 wrong pairs", with
/// the words in brackets only for the first exchange. \param exchange  one of cohort.expectation->exchanges
std::string exchange_sentence(const CohortTable& cohort, const LabelExchange& exchange);
/// "2 of 40 profiles are not of the sex that the pedigree states: A is female (stated male), ..."; "" where
/// there are none. \param cohort  has an expectation
std::string sexes_sentence(const CohortTable& cohort);
/// \param cohort  has a set without relatives
std::string unrelated_sentence(const CohortTable& cohort);
/// A sentence on the pairs that the table does not know.
std::string limits_sentence(const CohortTable& cohort);

}  // namespace fastid::pairs
