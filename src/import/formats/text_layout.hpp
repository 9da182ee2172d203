/// \file
/// The columns of a genotype text: each vendor names, orders and separates them in its own way.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fastid::imports {

struct TextLayout {
  static constexpr std::size_t kNone = SIZE_MAX;

  char separator = '\t';  ///< '\t' (or blanks, in a line without tabs), ',' or ' ' (blanks)
  std::size_t columns = 4;
  std::size_t id = 0, chrom = 1, pos = 2;  ///< chrom and pos may be kNone
  std::size_t genotype = 3;                ///< kNone where each allele has a column
  /// A column of one allele, and the one with its height or reads (kNone: the table has none).
  struct Allele {
    std::size_t allele = kNone, height = kNone;
  };
  std::vector<Allele> alleles;    ///< two or more where `genotype` is kNone
  std::size_t reads = kNone;      ///< column with the site's reads, beside columns of alleles
  bool blank_is_absent = false;   ///< true: a blank allele was not seen; false: it was not called
  std::size_t sample = kNone;     ///< names the person on every line
  std::size_t sample_id = kNone;  ///< names the person where `sample` is blank
};

/// The layout by a header line (without a leading '#'); nothing where it is not a header of genotypes.
///
/// Known: 23andMe and the like (rsid chromosome position genotype), AncestryDNA (allele1 allele2), FTDNA and
/// MyHeritage (RSID,CHROMOSOME,POSITION,RESULT; name,chromosome,position,allele1,allele2), Illumina reports
/// (SNP Name, Allele1 - Plus or Forward), tables of evidence (Sample.Name, Marker, Allele.1 ..., Height.1 ...
/// or Reads.1 ...), and combinations of these.
std::optional<TextLayout> layout_of_header(std::string_view line);

/// What is wrong with a header of genotypes that cannot be read: two columns of them, or alleles on a strand
/// that is not the genome's (Illumina's Top, AB, Design); "" where nothing is.
std::string problem_of_header(std::string_view line);

/// The layout of a text without a header, by its first line.
TextLayout layout_of_body(std::string_view line);

/// A column's name without case, blanks and signs: "Allele1 - Plus", "Allele1...Plus" and "allele_1 plus" are
/// all "allele1plus".
std::string plain_name(std::string_view name);

/// Splits a line into `layout.columns` fields where it can: quotes are dropped, and a line is split at blanks
/// where tabs give another number of fields. The fields point into `scratch` or `line`.
void split_columns(std::string_view line, const TextLayout& layout, std::string& scratch,
                   std::vector<std::string_view>& fields);

}  // namespace fastid::imports
