/// \file
/// One person's genotypes as text: exports of 23andMe, AncestryDNA, FTDNA, MyHeritage, LivingDNA and others,
/// GEDmatch PRO's columns, and fastid's own `.snp`, which has 23andMe's columns. Also the lines of tables
/// that name a sample on every line (reports of Illumina, tables of evidence), which SampleTable puts
/// together.
///
///   # comments; "#sample NAME" names the person, "build 37" and the like the genome build
///   rsid  chromosome  position  genotype        in the order and with the separators of the header
#pragma once

#include "import/formats/format.hpp"
#include "import/formats/letter_reader.hpp"
#include "import/formats/text_layout.hpp"
#include "import/io/line_reader.hpp"
#include "import/io/source.hpp"

namespace fastid::imports {

class TextReader final : public LetterReader {
 public:
  TextReader(const Source& source, const ReaderOptions& options);

  const std::vector<std::string>& samples() const override { return samples_; }
  GenomeBuild build() const override { return build_; }
  const SiteRecord* next() override;
  bool says_alleles() const override { return !one_bit_; }
  std::vector<std::string> warnings() const override;
  std::string place(std::uint64_t number) const override;

  /// Its name, for messages.
  const std::string& file() const { return name_; }
  /// Whether each line names its sample; samples() is then the file's name.
  bool names_samples() const { return layout_.sample != TextLayout::kNone && !named_; }
  /// The sample of the current line; "" where the line names none.
  std::string_view sample() const;
  /// The heights or reads of the current line's alleles; none where ReaderOptions::signals does not ask for
  /// them.
  std::span<const LetterSignal> signals() const { return signals_; }
  /// The genotype of the current line.
  const std::string& genotype() const { return genotype_; }

 protected:
  std::span<const std::string> genotypes() const override { return {&genotype_, 1}; }
  std::span<const LetterSignal> letter_signals(std::size_t) const override { return signals_; }
  const SiteRecord& record() const override { return record_; }

 private:
  [[noreturn]] void refuse(std::string_view problem, std::string_view cure) const;
  bool next_line(std::string_view& line);
  void take_comment(std::string_view comment);
  void skip_report_header(std::string_view& line);
  bool take_header(std::string_view line);
  void name_person(const std::string& name);
  void parse(std::string_view line);
  void take_chromosome(std::string_view field);
  std::uint32_t position_of_field(std::string_view field) const;
  void take_place_from_id();
  void take_genotype(std::string_view field);
  void take_alleles();
  void take_signals();
  [[noreturn]] void refuse_letters(std::string_view field) const;
  double number_of(std::string_view height) const;
  double least_height() const;
  bool has_heights() const;
  void check_heterozygous() const;
  char allele_of(std::string_view field) const;

  std::string name_;
  ReaderOptions options_;
  LineReader lines_;
  std::vector<std::string> samples_;
  bool named_ = false;
  bool one_bit_ = false;  ///< the header has the remark of one_bit.hpp
  GenomeBuild build_ = GenomeBuild::kUnknown;
  TextLayout layout_;
  bool has_header_ = false;
  std::string header_;      ///< in lower case; a line equal to it is skipped
  std::string first_line_;  ///< read by the constructor, not yet returned
  bool first_pending_ = false;
  std::uint64_t comments_ = 0;  ///< before the first genotype
  bool in_body_ = false;
  std::vector<std::string_view> fields_;
  std::string scratch_;
  std::string chromosome_;  ///< as the file has it; the record has normal_chromosome()
  SiteRecord record_;
  std::string genotype_;
  std::vector<LetterSignal> signals_;
  std::uint64_t called_sites_ = 0, heterozygous_sites_ = 0;  ///< counted in tables with columns of alleles
};

}  // namespace fastid::imports
