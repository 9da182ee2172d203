/// \file
/// One person's genotypes as text: 23andMe's columns, and fastid's own `.snp`, which are the same.
///
///   # comments; "#sample NAME" names the person, "build 37" and the like the genome build
///   rsid  chromosome  position  genotype        tab-separated (or, in a line without a tab, by blanks)
#pragma once

#include "import/genotype_reader.hpp"
#include "import/line_reader.hpp"
#include "import/source.hpp"

namespace fastid {

class TextReader final : public GenotypeReader {
 public:
  explicit TextReader(const Source& source);

  const std::vector<std::string>& samples() const override { return samples_; }
  GenomeBuild build() const override { return build_; }
  const SiteRecord* next() override;
  std::optional<Fit> read_onto(const Site& site, std::span<std::uint8_t> calls) override;
  AlleleCounts count_alleles() override;
  std::size_t minor_at_tie() const override { return 0; }
  std::string place(std::uint64_t number) const override;

 private:
  [[noreturn]] void refuse(std::string_view problem, std::string_view cure) const;
  bool next_line(std::string_view& line);
  void take_comment(std::string_view comment);
  bool is_header(std::string_view line) const;
  void parse(std::string_view line);
  void parse_genotype(std::string_view field);

  std::string name_;
  LineReader lines_;
  std::vector<std::string> samples_;
  bool named_ = false;
  GenomeBuild build_ = GenomeBuild::kUnknown;
  std::string first_line_;  ///< read by the constructor, not yet given out
  bool first_pending_ = false;
  bool in_body_ = false;
  SiteRecord record_;
  std::string genotype_;
};

}  // namespace fastid
