/// \file
/// Genotypes as text, for exported profiles and for profiles called from reads.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bits/blocks.hpp"
#include "panel/panel.hpp"

namespace fastid::ingest {

/// Names of chromosomes, by the panel's names.
using ChromosomeNames = std::map<std::string, std::string, std::less<>>;
inline const std::string& name_of(const std::string& chrom, const ChromosomeNames& names) {
  const auto found = names.find(chrom);
  return found == names.end() ? chrom : found->second;
}

/// The alleles that a genotype is written with; in Encoding::kMinor, both where a minor one was seen.
Seen shown(const BlocksView& people, std::uint64_t profile, std::uint32_t site);

/// The first profile of `people` in the columns of a 23andMe export.
/// \param made  "exported", "called"
/// \param remark  after the program's version: "; ..."; "": none
std::string snp_text(const Panel& panel, const BlocksView& people, std::string_view sample,
                     std::string_view made, std::string_view remark);

/// The header of a VCF of the panel's sites, with the line of column names.
/// \param formats  its lines ##FORMAT
/// \param names    of chromosomes that are not called as in the panel
std::string vcf_head(const Panel& panel, const std::vector<std::string>& samples, std::string_view formats,
                     std::string_view remark, const ChromosomeNames& names = {});

}  // namespace fastid::ingest
