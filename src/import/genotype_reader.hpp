/// \file
/// What every importer offers: a file of genotypes, one site after another. One mechanism (SiteMatcher) puts
/// them all on a panel; a new format is a new GenotypeReader and nothing else.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "panel/panel.hpp"

namespace fastid {

/// One record (line, variant) of a file.
struct SiteRecord {
  std::uint64_t number = 0;   ///< counts from 1; GenotypeReader::place() makes words of it
  std::string ids;            ///< separated by ';' or ','; "" or "." for none
  std::string chrom;          ///< normal_chromosome()
  std::uint32_t pos = 0;      ///< one-based; 0 where not known
  std::vector<char> alleles;  ///< as file_alleles.hpp says; empty where the file spells genotypes as letters
};

/// How the genotypes of a record were read onto a site.
struct Fit {
  bool flipped = false;         ///< on the other strand
  bool unknown_allele = false;  ///< some letters of a mixture are no alleles of the site and were put aside
};

class GenotypeReader {
 public:
  virtual ~GenotypeReader() = default;

  virtual const std::vector<std::string>& samples() const = 0;
  virtual GenomeBuild build() const = 0;

  /// The next record, or null at the end; it stays until the next call.
  /// \throws InputError where the file is malformed, or at its end where it breaks a rule for the whole.
  virtual const SiteRecord* next() = 0;

  /// Genotypes of the current record on `site`, one Call a sample; nothing where its alleles are not the
  /// site's, and `calls` is then unspecified.
  virtual std::optional<Fit> read_onto(const Site& site, std::span<std::uint8_t> calls) = 0;

  /// Copies of the current record's two alleles among the called genotypes. For records of two alleles.
  struct AlleleCounts {
    std::uint64_t first = 0, second = 0;
  };
  virtual AlleleCounts count_alleles() = 0;
  /// Which of two equally rare alleles a panel takes for the minor one: 0 or 1.
  virtual std::size_t minor_at_tie() const = 0;

  /// "line 12", "record 7": a record's place for messages.
  virtual std::string place(std::uint64_t number) const = 0;
};

}  // namespace fastid
