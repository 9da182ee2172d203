/// \file
/// The result of `fastid epistasis` (docs/commands/epistasis.md):
///
///   rank snp_a snp_b snp_c k2     or mi instead of k2; no snp_c of two sites, snp_d of
/// four; with permutations p_permutations last
///
/// and as json with positions, alleles and the tables of genotypes.
#pragma once

#include <cstddef>
#include <string>

#include "questions/epistasis/table.hpp"

namespace fastid::epistasis {

std::string epistasis_table(const EpistasisTable& found);
std::string epistasis_tsv(const EpistasisTable& found);
std::string epistasis_json(const EpistasisTable& found);
/// A page, with pictures of the best: the share of cases of each joint genotype.
std::string epistasis_html(const EpistasisTable& found);

/// The score as it is printed.
std::string score_text(const EpistasisTable& found, double score);
/// The share of permutations whose best one is as good, as it is printed.
std::string p_text(const EpistasisRow& row);
/// A cell's genotypes as numbers of minor copies. "021"
std::string genotypes_text(const EpistasisTable& found, std::size_t cell);

}  // namespace fastid::epistasis
