/// \file
/// The words for what a search is about: the same in messages and in every report.
#pragma once

#include <cstdint>
#include <string>

#include "engine/comparison.hpp"

namespace fastid {

/// For programs: "identity", "mixture", "reverse-mixture".
const char* name_of(Comparison comparison);

/// What a query of the search is, and so the column that its name is in: "query", "mixture", "profile".
const char* asked(Comparison comparison);

/// "1 query", "2,000 queries": so many of these.
std::string counted_asked(Comparison comparison, std::uint64_t n);

/// What is searched: "profile", or "mixture" with --reverse.
const char* stored(Comparison comparison);

/// What speaks against a match: "mismatches", "minor alleles not seen".
const char* differences(Comparison comparison);

/// "1 mismatch", "1,004 minor alleles not seen".
std::string counted_differences(Comparison comparison, std::uint64_t n);

}  // namespace fastid
