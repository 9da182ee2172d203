/// \file
/// The interface of all importers: a file of genotypes, one site after another. SiteMatcher puts them all on
/// a panel; a new format needs only a new GenotypeReader.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bits/allele_signal.hpp"
#include "import/match/call_row.hpp"
#include "import/match/likelihood_store.hpp"
#include "panel/panel.hpp"
#include "panel/site_class.hpp"

namespace fastid::imports {

/// One record (line, variant) of a file.
struct SiteRecord {
  std::uint64_t number = 0;     ///< from 1; GenotypeReader::place() gives it as text
  std::string ids;              ///< separated by ';' or ','; "" or "." for none
  std::string chrom;            ///< normal_chromosome()
  std::uint32_t pos = 0;        ///< one-based; 0 where not known
  std::uint32_t block_end = 0;  ///< last position of a block of reference calls that begins at pos; else 0
  std::vector<char> alleles;  ///< as file_alleles.hpp says; empty where the file spells genotypes as letters
  /// Last position that the alleles speak for, where that is after pos; else 0. The alleles are then
  /// `spelled` out, as spelled_alleles.hpp reads them.
  std::uint32_t span_end = 0;
  std::vector<std::string_view> spelled;
};

/// What a record of several positions says of a site among them.
struct SpanCalls {
  explicit SpanCalls(std::size_t n_samples = 0) : calls(n_samples), shown(n_samples), gone(n_samples) {}
  CallRow calls;           ///< calls of people whose alleles all have one of the site's bases there
  CallRow shown;           ///< which of the site's alleles people have in place of the reference
  SampleBits gone;         ///< people with a deletion over the site, or a third base there
  bool says_base = false;  ///< some alternative has a base there, or there is none
  bool flipped = false;
  bool swapped = false;  ///< the reference has the minor allele
};

/// How the genotypes of a record were read onto a site.
struct Fit {
  bool flipped = false;         ///< on the other strand
  bool unknown_allele = false;  ///< letters of a mixture that are not the site's alleles were put aside
};

class GenotypeReader {
 public:
  virtual ~GenotypeReader() = default;

  virtual const std::vector<std::string>& samples() const = 0;
  virtual GenomeBuild build() const = 0;

  /// How many records there are, where that is known before they are read; else 0.
  virtual std::uint64_t n_records() const { return 0; }

  /// The next record, or null at the end; valid until the next call.
  /// \throws InputError where the file is malformed, or at its end where the file as a whole breaks a rule.
  virtual const SiteRecord* next() = 0;

  /// Genotypes of the current record on `site`; nothing where its alleles are not the site's, and `calls` is
  /// then unspecified. The default implementation needs an allele_row().
  virtual std::optional<Fit> read_onto(const Site& site, CallRow& calls);

  /// The likelihoods that the current record states of each sample's genotypes on `site`, which read_onto()
  /// has read it onto, by ReaderOptions::likelihoods. False where it states none. \throws InputError where
  /// they are malformed
  virtual bool read_likelihoods(const Site&, std::vector<StatedLikelihoods>&) { return false; }

  /// The reads or heights of the site's alleles that the current record states of each sample, where
  /// read_onto() has read it onto `site` and ReaderOptions::signals asks for them. False where it has none.
  virtual bool read_signals(const Site&, std::vector<AlleleSignal>&) { return false; }
  /// read_signals() for a record with a block_end, where each site's reads show `base`.
  virtual bool read_block_signals(const Site&, char /*base*/, std::vector<AlleleSignal>&) { return false; }

  /// For a record with a span_end that covers `site`. False where its reference is no allele of the site.
  virtual bool read_span(const Site& site, SpanCalls& into);

  /// For a record with a block_end: who is called reference there, at a site where the reference genome has
  /// `base` (on the panel's strand). False where `base` is no allele of the site.
  virtual bool read_block(const Site& site, char base, CallRow& calls);

  /// For a record that read_onto() refused: who carries a third allele of the site, a base that is neither
  /// its major nor its minor one. False where the record has no such allele.
  virtual bool carriers_of_third(const Site& site, SampleBits& carriers);

  /// Who has one allele in the current record, or more than two, called or not; null where all have two, or
  /// the file does not say how many. Null too where alleles were seen by their reads.
  virtual const Ploidy* odd_ploidy() { return nullptr; }

  /// Copies of the current record's two alleles among the called genotypes. For records of two alleles.
  struct AlleleCounts {
    std::uint64_t first = 0, second = 0;
  };
  virtual AlleleCounts count_alleles() = 0;
  /// count_alleles() without the samples that are set in `who`.
  virtual AlleleCounts count_alleles_without(const SampleBits& who);
  /// Copies of the site's major (first) and minor letter, as the file spells them, in the current record.
  virtual AlleleCounts count_letters(const Site& site);

  /// Genotypes of the current record as in a .bed, four people per byte (bed_codes.hpp), where the file
  /// stores them so; else empty. Codes past the last person are 0.
  virtual std::span<const std::uint8_t> codes() { return {}; }

  /// Which of two equally rare alleles a panel takes for the minor one: 0 or 1.
  virtual std::size_t minor_at_tie() const = 0;
  /// Which of a record's alleles its format takes for the reference: 0 or 1.
  virtual std::size_t reference_allele() const { return 0; }

  /// Whether files of this kind may leave out the sites where everybody is homozygous reference.
  virtual bool may_hold_variants_only() const { return false; }
  /// Whether its samples were not typed, but deconvolved from a mixture: one for each contributor.
  virtual bool deconvolved() const { return false; }

  /// Whether the current record, read or refused by read_onto(), has two different bases. By chance two bases
  /// fit about half of all sites; one base fits any site that is not palindromic.
  virtual bool has_two_bases() const;

  /// False where the file says only who carries a minor allele: its genotypes are a choice of the program
  /// that wrote it (one_bit.hpp). Known before the first record.
  virtual bool says_alleles() const { return true; }

  /// Warnings about the file, after its last record was read.
  virtual std::vector<std::string> warnings() const { return {}; }

  /// What the file says of its samples and where they come from, for the log; "" where it says nothing.
  virtual std::string about() const { return {}; }
  /// The sex that the file states of each of its samples; empty where it states none.
  virtual std::span<const std::optional<Sex>> stated_sexes() const { return {}; }
  /// Whether the file says that its sample is of several people.
  virtual bool of_mixture() const { return false; }

  /// "line 12", "record 7": a record's place for messages.
  virtual std::string place(std::uint64_t number) const = 0;

 protected:
  virtual const SiteRecord& record() const = 0;
  /// Who carries which of the record's two alleles, for the default implementations; null where the record
  /// does not have two.
  virtual const AlleleRow* allele_row() { return nullptr; }
  /// Copies of the two alleles, where everybody is diploid.
  static AlleleCounts count_diploid(const AlleleRow& row);
};

}  // namespace fastid::imports
