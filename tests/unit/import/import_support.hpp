/// \file
/// What the importers' tests share: files of each format written by hand, and calls
/// as a string.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "import/import.hpp"
#include "support/refusal.hpp"
#include "support/temp_folder.hpp"

namespace fastid::testing {

namespace fs = std::filesystem;

inline Panel make_panel(std::vector<Site> sites, GenomeBuild build = GenomeBuild::kUnknown) {
  return Panel(std::move(sites), {}, build, "panel");
}

/// Sites rs1, rs2 ... on chromosome 1 at 101, 102 ...: A is major, G minor.
inline Panel plain_panel(std::uint32_t n_sites) {
  std::vector<Site> sites;
  for (std::uint32_t s = 1; s <= n_sites; ++s)
    sites.push_back({"rs" + std::to_string(s), "1", 100 + s, 'A', 'G'});
  return make_panel(std::move(sites));
}

/// One character a site: '1' carries a minor allele, '0' does not, '-' not called.
inline std::string calls_of(const imports::ImportedProfiles& profiles, std::uint64_t profile = 0) {
  std::string text;
  for (std::uint32_t s = 0; s < profiles.blocks.shape().n_sites; ++s)
    text += !profiles.blocks.called(profile, s) ? '-' : profiles.blocks.bit(profile, s) ? '1' : '0';
  return text;
}

inline std::string refusal_to_read(const std::string& path, const Panel& panel,
                                   imports::ImportOptions options = {}) {
  return refusal([&] { imports::read_profiles(path, panel, options); });
}

/// A VCF of `samples`, and `records`: lines from CHROM on, written with blanks for tabs.
inline std::string vcf_text(std::string_view samples, const std::vector<std::string>& records,
                            std::string_view extra_header = "") {
  std::string text = "##fileformat=VCFv4.2\n" + std::string(extra_header) +
                     "##FORMAT=<ID=GT,Number=1,Type=String,Description=\"Genotype\">\n"
                     "##FORMAT=<ID=DP,Number=1,Type=Integer,Description=\"Depth\">\n"
                     "#CHROM POS ID REF ALT QUAL FILTER INFO FORMAT ";
  text.append(samples).append("\n");
  for (const std::string& record : records) text.append(record).append("\n");
  const std::size_t columns = text.find("#CHROM");
  for (std::size_t i = columns; i < text.size(); ++i)
    if (text[i] == ' ') text[i] = '\t';
  return text;
}

/// A PLINK fileset; `genotypes` has a string a variant of one character a person: '1' two copies of allele 1,
/// 'h' one of each, '2' two copies of allele 2, '.' missing. \returns the path of the .bed.
inline std::string write_plink(const TempFolder& folder, const std::string& prefix,
                               const std::vector<std::string>& fam, const std::vector<std::string>& bim,
                               const std::vector<std::string>& genotypes) {
  std::string bed("\x6C\x1B\x01", 3), fam_text, bim_text;
  for (const std::string& variant : genotypes)
    for (std::size_t first = 0; first < variant.size(); first += 4) {
      unsigned byte = 0;
      for (std::size_t i = 0; i < 4 && first + i < variant.size(); ++i) {
        const char c = variant[first + i];
        byte |= (c == '1' ? 0u : c == '.' ? 1u : c == 'h' ? 2u : 3u) << (2 * i);
      }
      bed += static_cast<char>(byte);
    }
  for (const std::string& line : fam) fam_text.append(line).append("\n");
  for (const std::string& line : bim) bim_text.append(line).append("\n");
  folder.write(prefix + ".fam", fam_text);
  folder.write(prefix + ".bim", bim_text);
  return folder.write(prefix + ".bed", bed);
}

enum class Compression { kGzip, kBgzip };
/// Compresses bytes as gzip or bgzip does.
std::string pack(const TempFolder& folder, std::string_view bytes, Compression packing);
/// A VCF's text as BCF; `mode` "wb" (bgzip) or "wbu" (not compressed).
std::string to_bcf(const TempFolder& folder, std::string_view vcf, const char* mode);

}  // namespace fastid::testing
