/// \file
/// What VCF as text and BCF have in common, record by record. Only headers go through htslib. Records are
/// parsed here, because fields that are not needed can then be skipped, and because a length in a hostile
/// file is trusted only as far as bytes follow.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "import/formats/genotype_reader.hpp"
#include "import/io/hts_handle.hpp"
#include "import/io/source.hpp"

namespace fastid::imports {

/// One row of `width` numbers for each sample; shorter rows end with kEndOfRow.
struct SampleNumbers {
  static constexpr std::int32_t kMissing = -1;  ///< "."
  static constexpr std::int32_t kEndOfRow = -2;

  std::vector<std::int32_t> values;
  std::size_t width = 0;

  void reset(std::size_t n_samples, std::size_t new_width);
  /// The numbers of one sample, up to the end of its row.
  std::span<const std::int32_t> of(std::size_t sample) const;
  /// Whether every sample has two numbers, or none.
  bool all_pairs() const;
  /// Removes all numbers of one sample.
  void clear(std::size_t sample);
};

/// The genotypes of a record: alleles by their index in it, kMissing where not called.
struct Genotypes {
  bool present = false;  ///< false: the record has no GT
  bool packed = false;   ///< all are diploid with alleles 0 and 1: they are in `row`, not in `alleles`
  AlleleRow row;
  SampleNumbers alleles;
  bool any_unfounded = false;  ///< a field of kEvidenceTags is 0 for the samples that `unfounded` sets
  SampleBits unfounded;
  bool in_order =
      false;            ///< asked for: never packed, and `unphased` says whose order of alleles is not known
  SampleBits unphased;  ///< heterozygotes whose alleles could be in either order; if in_order

  /// Whether a record of `n_alleles` alleles has each allele that `row` sets.
  bool row_fits(std::size_t n_alleles) const {
    return n_alleles >= 2 || (n_alleles == 1 && !row.second.any());
  }
};

/// One row of `width` real numbers for each sample; NaN where there is none.
struct SampleReals {
  std::vector<float> values;
  std::size_t width = 0;
  void reset(std::size_t n_samples, std::size_t new_width);
  std::span<const float> of(std::size_t sample) const {
    return std::span(values).subspan(sample * width, width);
  }
};

/// Which numbers of a sample to fetch.
enum class SampleField { kAlleleDepths, kDepth, kLeastDepth, kPhaseSet };  ///< AD, DP, MIN_DP, PS
std::string_view tag_of(SampleField field);

/// The fields of a sample that are evidence for its genotype: lowest depth, depth, and qualities (RGQ: of
/// reference calls; GQX: Strelka's). A genotype with any of them 0 has no evidence: callers write such
/// genotypes where they know nothing.
inline constexpr std::array<std::string_view, 5> kEvidenceTags = {"MIN_DP", "DP", "GQ", "RGQ", "GQX"};

class VariantFile {
 public:
  virtual ~VariantFile() = default;

  const std::vector<std::string>& samples() const { return samples_; }
  GenomeBuild build() const { return build_; }
  virtual bool declares(std::string_view tag) const;
  /// Whether the header has the remark of one_bit.hpp.
  bool one_bit() const { return one_bit_; }
  /// Whether `fastid call` wrote it, which writes each site of a panel, called or not.
  bool of_call() const { return of_fastid_ && declares("PL"); }
  /// Whether its samples are the contributors of `fastid mixture --deconvolve`.
  bool deconvolved() const { return deconvolved_; }

  /// The next record, whose genotypes are not parsed yet. False at the end. \throws InputError
  virtual bool next(SiteRecord& record) = 0;
  /// The genotypes of the record that next() gave. \throws InputError where they are malformed.
  virtual void genotypes(Genotypes& into) = 0;
  /// False where the record has no such field.
  virtual bool numbers(SampleField field, SampleNumbers& into) = 0;
  /// numbers() for any field of numbers. \param most  wanted numbers of one sample
  virtual bool reals(std::string_view tag, std::size_t most, SampleReals& into) = 0;

 protected:
  explicit VariantFile(const Source& source) : name_(source.name()) {}

  /// Parses the header's text; refuses one that cannot be used.
  void take_header(const Source& source, std::string text);
  [[noreturn]] void refuse_record(const SiteRecord& record) const;
  /// \throws InputError for the current record, whose site is known
  [[noreturn]] void refuse_genotype(const SiteRecord& record, std::size_t sample,
                                    std::string_view problem) const;
  [[noreturn]] void refuse_missing_allele(const SiteRecord& record, std::size_t sample) const;

  std::string name_;
  hts::Handle<bcf_hdr_t> header_;
  std::vector<std::string> samples_;
  GenomeBuild build_ = GenomeBuild::kUnknown;
  bool one_bit_ = false;
  bool of_fastid_ = false, deconvolved_ = false;  ///< by its header
};

/// A file of phased genotypes as one of twice as many samples, each a haplotype: NAME/1 and NAME/2 of each. A
/// heterozygote whose phase is not known is refused when its genotypes are read.
std::unique_ptr<VariantFile> as_haplotypes(std::unique_ptr<VariantFile> file, const Source& source);

/// Position of a record; 0 where it does not fit.
std::uint32_t position_of(std::int64_t pos);

/// True where a record calls all positions up to its end reference: it lists no alternative except <NON_REF>
/// and the like.
bool is_reference_block(std::span<const char> alleles);

/// \param threads  that help to decompress
std::unique_ptr<VariantFile> open_vcf_text(const Source& source, std::size_t threads);
std::unique_ptr<VariantFile> open_bcf(const Source& source, std::size_t threads);

}  // namespace fastid::imports
