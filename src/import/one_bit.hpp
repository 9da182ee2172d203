/// \file
/// The remark by which fastid knows its own exports of databases that say of a site only whether a minor
/// allele was seen.
#pragma once

#include <string_view>

namespace fastid::imports {

/// Stands in the header of such a file. Its heterozygotes may be homozygotes: read as alleles seen, they
/// would be made up.
inline constexpr std::string_view kOneBit =
    "a minor allele is written as heterozygous: the database does not hold the number of copies";

}  // namespace fastid::imports
