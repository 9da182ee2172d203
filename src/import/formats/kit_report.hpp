/// \file
/// Sample reports of ForenSeq's Universal Analysis Software, as they are exported (.xlsx): Kintelligence and
/// Signature Prep, in the layout of UAS 2.5 and in the older one. All sheets with SNPs are read; one report
/// is one sample. A locus is called by its typed alleles: a third allele of a mixture is kept; `INC` and
/// untyped loci are not called. Reports of UAS before 2.5 have some loci on the reverse strand; palindromic
/// ones are turned.
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "import/formats/format.hpp"
#include "import/formats/kit_sheet.hpp"
#include "import/formats/letter_reader.hpp"
#include "import/io/source.hpp"

namespace fastid::imports {

class KitReport final : public LetterReader {
 public:
  /// Reads the whole report. \throws InputError: it is damaged, or no report of a sample that fastid knows
  KitReport(const Source& source, const ReaderOptions& options);

  const std::vector<std::string>& samples() const override { return samples_; }
  GenomeBuild build() const override { return GenomeBuild::kUnknown; }
  std::uint64_t n_records() const override { return loci_.size(); }
  const SiteRecord* next() override;
  std::vector<std::string> warnings() const override;
  std::string about() const override;
  std::span<const std::optional<Sex>> stated_sexes() const override { return {&sex_, 1}; }
  bool of_mixture() const override;
  std::string place(std::uint64_t number) const override;

 protected:
  const SiteRecord& record() const override { return record_; }
  std::span<const std::string> genotypes() const override { return {&loci_[record_.number - 1].letters, 1}; }
  std::span<const LetterSignal> letter_signals(std::size_t) const override {
    return loci_[record_.number - 1].reads;
  }

 private:
  void take_sheet(const KitSheet& sheet, std::vector<KitLocus> loci);
  void add(KitLocus locus);
  std::string fact(const std::string& one, const std::string& other) const;

  std::string file_;
  std::vector<std::string> sheets_, samples_;
  std::vector<KitLocus> loci_;
  std::unordered_map<std::string, std::size_t> locus_at_;
  std::map<std::string, std::string> facts_;
  std::optional<Sex> sex_;       ///< that the report states
  std::size_t read_sheets_ = 0;  ///< with a table of alleles
  std::size_t disagree_ = 0;     ///< loci on which two sheets disagree
  std::size_t turned_ = 0;       ///< loci whose letters were on the reverse strand
  SiteRecord record_;
};

}  // namespace fastid::imports
