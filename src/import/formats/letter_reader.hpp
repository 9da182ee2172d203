/// \file
/// What files have in common that spell genotypes as letters: "AG" of a person, "AGT" of a stain. Panel and
/// strand are found for each sample by its own letters (panel/allele_code.hpp).
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "import/formats/genotype_reader.hpp"

namespace fastid::imports {

/// How many reads an allele has, or how high its peak is.
struct LetterSignal {
  char letter = 0;
  double height = 0;
};

class LetterReader : public GenotypeReader {
 public:
  std::optional<Fit> read_onto(const Site& site, CallRow& calls) override;
  bool read_signals(const Site& site, std::vector<AlleleSignal>& into) override;
  const Ploidy* odd_ploidy() override;
  AlleleCounts count_alleles() override;
  AlleleCounts count_letters(const Site& site) override;
  bool has_two_bases() const override;  ///< a heterozygote
  std::size_t minor_at_tie() const override { return 0; }

 protected:
  /// The genotypes of the current record, one for each sample; "" where a sample has none.
  virtual std::span<const std::string> genotypes() const = 0;
  /// The reads or heights of a sample's letters in the current record; none where the file has none.
  virtual std::span<const LetterSignal> letter_signals(std::size_t /*sample*/) const { return {}; }

 private:
  Ploidy ploidy_;
};

/// Whether letters are of two bases or more.
bool has_two_bases(std::string_view letters);

/// One letter for the text of one allele: an allele of several letters is 'I', no allele of a SNP; an allele
/// that was not called is '-'. No value where the text is no allele.
std::optional<char> letter_of_allele(std::string_view text);

/// Whether `letters` can be a genotype: bases, I, D, N, and signs of no call, 16 at most.
bool are_genotype_letters(std::string_view letters);

}  // namespace fastid::imports
