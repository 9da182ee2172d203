/// \file
/// Texts that are not 23andMe-style genotypes but could be taken for them: each is refused by its name.
#pragma once

#include <string_view>

namespace fastid {

/// What to tell a user who gave such a text.
struct LookAlike {
  std::string_view what, cure;  ///< both empty: none that is known
};

/// \param line  the first line that is neither blank nor a comment
LookAlike look_alike(std::string_view line);

/// Of the first bytes of a file: PLINK's .ped, whose lines may be longer than any that a text of genotypes
/// has.
bool is_ped(std::string_view bytes);

/// Of a comment line: a VCF that has lost its first line.
bool is_vcf_header(std::string_view comment);

}  // namespace fastid
