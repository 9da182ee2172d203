/// \file
/// The result of `fastid epistasis` (docs/output.md):
///
///   rank snp_a snp_b snp_c k2     or mi instead of k2; no snp_c of two sites
///
/// and as json with positions, alleles and the tables of genotypes.
#pragma once

#include <string>

#include "match/epistasis_table.hpp"

namespace fastid::report {

std::string epistasis_table(const EpistasisTable& found);
std::string epistasis_tsv(const EpistasisTable& found);
std::string epistasis_json(const EpistasisTable& found);

}  // namespace fastid::report
