/// \file
/// The lines of `fastid pairs`. Columns are documented in docs/commands/pairs.md.
///
/// by alleles: #IID1 IID2 NSNP HETHET IBS0 KINSHIP mismatch_rate relation log10_lr_same log10_lr_parent_child
///             log10_lr_sibling log10_lr_half_sibling log10_lr_cousin chance_pairs row1 row2
/// Without evidence the columns from relation to chance_pairs are left out.
///
/// For a panel with sites of X, Y or M, more columns follow: sex1 sex2 x_compared log10_lr_x y y_mismatches
/// y_compared m m_mismatches m_compared.
///
/// by bits:    #IID1 IID2 NSNP mismatches mismatch_rate row1 row2
///
/// The first six columns are the same as in PLINK 2's .kin0.
#pragma once

#include <span>
#include <string>

#include "match/close_pair.hpp"

namespace fastid::pairs {

enum class PairsFormat { kTable, kTsv, kJsonLines };

/// The text before the pairs; "" for json lines.
std::string pairs_head(const match::PairsFacts& facts, PairsFormat format);

/// A line for each pair.
std::string pair_lines(const match::PairsFacts& facts, std::span<const match::NamedPair> pairs,
                       PairsFormat format);

}  // namespace fastid::pairs
