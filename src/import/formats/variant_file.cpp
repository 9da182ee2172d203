#include "import/formats/variant_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "import/formats/vcf_header.hpp"
#include "import/match/file_alleles.hpp"
#include "import/one_bit.hpp"

namespace fastid::imports {
namespace {

constexpr std::string_view kMalformed = "is malformed or cut short";
constexpr std::string_view kRestore = "restore the file from a copy, or check it with bcftools view";

/// htslib makes a table as long as the largest IDX of a header, which in a valid header never exceeds the
/// header's length.
bool has_sane_indices(std::string_view header) {
  constexpr std::string_view kKey = "IDX=";
  const std::uint64_t most = std::max<std::uint64_t>(header.size(), 1 << 16);
  for (std::size_t at = header.find(kKey); at != std::string_view::npos; at = header.find(kKey, at + 1)) {
    const std::string_view rest = header.substr(at + kKey.size());
    const std::string_view digits =
        rest.substr(0, std::min(rest.find_first_not_of("0123456789"), rest.size()));
    const auto index = parse_number<std::uint64_t>(digits);
    if (!digits.empty() && (!index || *index > most)) return false;
  }
  return true;
}

}  // namespace

void SampleNumbers::reset(std::size_t n_samples, std::size_t new_width) {
  width = new_width;
  values.assign(n_samples * width, kEndOfRow);
}

void SampleReals::reset(std::size_t n_samples, std::size_t new_width) {
  width = new_width;
  values.assign(n_samples * width, std::numeric_limits<float>::quiet_NaN());
}

std::span<const std::int32_t> SampleNumbers::of(std::size_t sample) const {
  const auto row = std::span(values).subspan(sample * width, width);
  return row.first(static_cast<std::size_t>(std::ranges::find(row, kEndOfRow) - row.begin()));
}

bool SampleNumbers::all_pairs() const {
  if (width != 2) return false;
  int odd = 0;  // without a branch, so that many are looked at together
  for (std::size_t i = 0; i + 1 < values.size(); i += 2)
    odd |= static_cast<int>(values[i] != kEndOfRow) & static_cast<int>(values[i + 1] == kEndOfRow);
  return odd == 0;
}

void SampleNumbers::clear(std::size_t sample) {
  std::ranges::fill(std::span(values).subspan(sample * width, width), kEndOfRow);
}

std::string_view tag_of(SampleField field) {
  switch (field) {
    case SampleField::kAlleleDepths:
      return "AD";
    case SampleField::kDepth:
      return "DP";
    case SampleField::kPhaseSet:
      return "PS";
    case SampleField::kLeastDepth:
      break;
  }
  return "MIN_DP";
}

bool VariantFile::declares(std::string_view tag) const {
  return bcf_hdr_id2int(header_.get(), BCF_DT_ID, std::string(tag).c_str()) >= 0;
}

void VariantFile::take_header(const Source& source, std::string text) {
  hts::silence();
  header_.reset(bcf_hdr_init("r"));
  one_bit_ = text.find(kOneBit) != std::string::npos;
  of_fastid_ = text.find("\n##source=fastid ") != std::string::npos;
  deconvolved_ = text.find("\n##fastid_mixture=") != std::string::npos;
  const bool whole = text.find('\0') == std::string::npos && has_sane_indices(text);
  if (!header_ || !whole || bcf_hdr_parse(header_.get(), text.data()) < 0 || bcf_hdr_sync(header_.get()) < 0)
    hts::refuse_header(source);
  build_ = hts::build_of_header(header_.get());
  for (int i = 0; i < bcf_hdr_nsamples(header_.get()); ++i) samples_.emplace_back(header_->samples[i]);
  if (samples_.empty())
    throw InputError(name_, "header", "holds no samples, only sites", "give a VCF with genotypes (GT)");
}

void VariantFile::refuse_record(const SiteRecord& record) const {
  const std::string after =
      record.number == 1 ? "" : fmt::format(", after {}:{}", printable(record.chrom), record.pos);
  throw InputError(name_, fmt::format("record {}{}", record.number, after), kMalformed, kRestore);
}

void VariantFile::refuse_genotype(const SiteRecord& record, std::size_t sample,
                                  std::string_view problem) const {
  throw InputError(
      name_, fmt::format("record {} ({}:{})", record.number, printable(record.chrom), record.pos),
      fmt::format("a genotype of '{}' {}", printable(samples_[sample]), problem), "re-create the file");
}

void VariantFile::refuse_missing_allele(const SiteRecord& record, std::size_t sample) const {
  refuse_genotype(record, sample, "names an allele that the record does not have");
}

std::uint32_t position_of(std::int64_t pos) {
  return std::in_range<std::uint32_t>(pos) ? static_cast<std::uint32_t>(pos) : 0;
}

bool is_reference_block(std::span<const char> alleles) {
  if (alleles.empty() || alleles.front() == kOtherAllele) return false;
  return std::ranges::all_of(alleles.subspan(1), [](char allele) { return allele == kNoAllele; });
}

}  // namespace fastid::imports
