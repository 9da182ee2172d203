/// \file
/// A table that names a sample on every line: tables of evidence and of references, as EuroForMix and MixDeR
/// have them, and reports of Illumina. The samples may come in any order, each with markers of its own.
///
///   Sample.Name  Marker  Allele.1  Allele.2  Allele.3  Height.1  Height.2  Height.3
///   Ref1         rs1     A         G
///   Ref2         rs1     A         A
///
/// Genotypes are put together marker by marker in memory: 20 bytes each, and 16 for each height that is kept.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "import/formats/letter_reader.hpp"
#include "import/formats/text_genotypes.hpp"

namespace fastid::imports {

class SampleTable final : public LetterReader {
 public:
  /// Reads all lines. \throws InputError as TextReader, and where a sample has a marker twice
  explicit SampleTable(std::unique_ptr<TextReader> lines);

  const std::vector<std::string>& samples() const override { return samples_; }
  GenomeBuild build() const override { return lines_->build(); }
  std::uint64_t n_records() const override { return markers_.size(); }
  const SiteRecord* next() override;
  bool says_alleles() const override { return lines_->says_alleles(); }
  std::vector<std::string> warnings() const override { return lines_->warnings(); }
  /// The place of a marker's first line.
  std::string place(std::uint64_t number) const override { return lines_->place(number); }

 protected:
  const SiteRecord& record() const override { return markers_[marker_]; }
  std::span<const std::string> genotypes() const override { return genotypes_; }
  std::span<const LetterSignal> letter_signals(std::size_t sample) const override {
    return current_signals_[sample];
  }

 private:
  /// A line: indices into markers_, samples_ and letters_, the line's number, and in `signals` 1 + an index
  /// into first_signals_ (0: no signals).
  struct Call {
    std::uint32_t marker, sample, letters, line, signals;
  };

  void take(const SiteRecord& record, const std::string& file);
  std::uint32_t sample_number(std::string_view name);
  void sort_calls(const std::string& file);

  std::unique_ptr<TextReader> lines_;
  std::vector<std::string> samples_;
  std::vector<SiteRecord> markers_;  ///< in the order of their first lines
  std::vector<std::string> letters_;
  std::vector<Call> calls_;  ///< by marker, then sample
  std::unordered_map<std::string, std::uint32_t> sample_of_, marker_of_, letters_of_;
  std::size_t marker_ = 0;  ///< the current one, once next() was called
  std::size_t next_call_ = 0;
  bool begun_ = false;
  std::vector<std::string> genotypes_;           ///< of the current marker, one for each sample
  std::vector<LetterSignal> signals_;            ///< the signals of a line lie one after the other
  std::vector<std::uint32_t> first_signals_{0};  ///< [line that has some]; then the end
  std::vector<std::span<const LetterSignal>> current_signals_;  ///< of the current marker and each sample
};

}  // namespace fastid::imports
