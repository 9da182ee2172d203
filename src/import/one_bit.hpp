/// \file
/// The remark by which fastid knows its own exports of databases that say of a site only whether a minor
/// allele was seen.
#pragma once

#include <string_view>

namespace fastid::imports {

/// The remark, in the header of such a file. Its heterozygotes may be homozygotes, so its genotypes must not
/// be read as alleles seen.
inline constexpr std::string_view kOneBit =
    "a minor allele is written as heterozygous: the database does not hold the number of copies";

}  // namespace fastid::imports
