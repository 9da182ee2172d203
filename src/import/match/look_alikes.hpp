/// \file
/// Texts that could be taken for 23andMe-style genotypes, but are not: each is refused by name.
#pragma once

#include <string_view>

namespace fastid::imports {

/// What to tell a user who gave such a text.
struct LookAlike {
  std::string_view what, cure;  ///< both empty: no known look-alike
};

/// \param line  the first line that is neither blank nor a comment
LookAlike look_alike(std::string_view line);

/// Whether a file begins like a PLINK .ped, whose lines may be longer than the lines of any text of
/// genotypes.
bool is_ped(std::string_view bytes);

/// Whether a comment line is the header of a VCF that lacks its first line.
bool is_vcf_header(std::string_view comment);

}  // namespace fastid::imports
