/// \file
/// Which people of a cohort are cases, and which are controls, from a text.
///
///   two columns                id phenotype
///   three                      family id phenotype
///   six, as a .fam has them    family id father mother sex phenotype
///
/// Columns are separated by tabs, or else by blanks; a line that begins with # is a comment, and a first line
/// that begins with FID, IID or id names the columns. A phenotype is 1 (control) or 2 (case), where 0 is
/// missing; or, in a file without any 2, 0 (control) or 1 (case). -9, NA and . are missing in both.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/epistasis.hpp"

namespace fastid::epistasis {

struct Phenotypes {
  std::string path, sha256;  ///< SHA-256 of the text
  std::array<std::vector<std::uint64_t>, engine::kClasses>
      people;                   ///< controls, cases: places among the ids, ascending
  std::uint64_t missing = 0;    ///< of the cohort, whose phenotype is not known or who are not in the file
  std::uint64_t strangers = 0;  ///< of the file, who are not in the cohort
};

/// How a file's numbers are to be understood: by whether it has a 2; or always as 1 and 2.
enum class PhenotypeCoding : std::uint8_t { kByContent, kOneTwo };

/// \param ids  of the cohort
/// \throws InputError naming the line: columns, a phenotype that is no class, somebody twice; nobody of the
/// cohort; no controls, or no cases
Phenotypes read_phenotypes(const std::string& path, PhenotypeCoding coding, std::span<const std::string> ids);

}  // namespace fastid::epistasis
