#include "import/vcf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "import/file_alleles.hpp"
#include "import/hts_handle.hpp"
#include "import/vcf_header.hpp"

namespace fastid {
namespace {

constexpr std::uint64_t kVariantsOnlyAfter = 1000;
constexpr std::string_view kMalformed = "is malformed or cut short";
constexpr std::string_view kRestore = "restore the file from a copy, or check it with bcftools view";
/// Chromosomes and tags that the header does not declare are sloppy but clear; every other error of a record
/// is one.
constexpr int kHarmlessErrors = BCF_ERR_CTG_UNDEF | BCF_ERR_TAG_UNDEF;

hts::Handle<htsFile> open_variants(const Source& source) {
  hts::Handle<hFILE> bytes = hts::open_bytes(source);
  hts::Handle<htsFile> file(hts_hopen(bytes.get(), source.name().c_str(), "r"));
  if (!file) throw InputError(source.name(), "", "cannot be opened as VCF or BCF", "restore it from a copy");
  bytes.release();  // NOLINT(bugprone-unused-return-value): the htsFile closes it
  if (hts_get_format(file.get())->compression == bgzf)
    hts::check_bgzip_end(file->is_bgzf ? file->fp.bgzf : nullptr, source);
  return file;
}

/// CHROM to FORMAT and a column for each sample, the position a number; no zero byte, where a C string ends.
bool has_columns(std::string_view text, std::size_t n_samples) {
  if (text.find('\0') != std::string_view::npos) return false;
  constexpr std::size_t kTabsBeforeFormat = 8;
  const auto tabs = static_cast<std::size_t>(std::ranges::count(text, '\t'));
  if (tabs != kTabsBeforeFormat + n_samples) return false;
  text.remove_prefix(text.find('\t') + 1);
  return parse_number<std::uint64_t>(text.substr(0, text.find('\t'))).has_value();
}

/// The genotypes of one record as htslib hands them out: `ploidy` numbers for each sample.
struct Genotypes {
  const std::int32_t* values = nullptr;
  std::size_t ploidy = 0;

  std::span<const std::int32_t> of(std::size_t sample) const {
    const std::span all(values + sample * ploidy, ploidy);
    const auto end = std::ranges::find(all, bcf_int32_vector_end);  // a haploid call among diploid ones
    return all.first(static_cast<std::size_t>(end - all.begin()));
  }
};

/// ".", or a sample's column that ends before GT.
bool is_missing(std::int32_t value) {
  return value == bcf_int32_missing || bcf_gt_is_missing(value);
}

/// True where every allele of the genotype is called; half calls are not.
bool is_called(std::span<const std::int32_t> genotype) {
  return !genotype.empty() && std::ranges::none_of(genotype, is_missing);
}

bool is_reference(std::span<const std::int32_t> genotype) {
  return std::ranges::all_of(genotype, [](std::int32_t v) { return bcf_gt_allele(v) == 0; });
}

}  // namespace

struct VcfReader::Impl {
  Impl(const Source& source, bool refuse_variants)
      : name(source.name()), refuse_variants_only(refuse_variants), file(open_variants(source)) {
    header.reset(bcf_hdr_read(file.get()));
    if (!header) hts::refuse_header(source);
    build = hts::build_of_header(header.get());
    for (int i = 0; i < bcf_hdr_nsamples(header.get()); ++i) samples.emplace_back(header->samples[i]);
    if (samples.empty())
      throw InputError(name, "header", "holds no samples, only sites", "give a VCF with genotypes (GT)");
    if (bcf_hdr_id2int(header.get(), BCF_DT_ID, "GT") < 0) refuse_no_genotypes();
  }
  ~Impl() { std::free(values); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  std::string name;
  bool refuse_variants_only;
  hts::Handle<htsFile> file;
  hts::Handle<bcf_hdr_t> header;
  hts::Handle<bcf1_t> line{bcf_init()};
  std::vector<std::string> samples;
  GenomeBuild build = GenomeBuild::kUnknown;

  SiteRecord record;
  std::string samples_text;        ///< of VCF: the current line, as long as its samples are not parsed
  std::int32_t* values = nullptr;  ///< htslib's buffer, kept between records
  int n_values = 0;
  std::optional<Genotypes> genotypes;  ///< of the current record, once asked for

  bool any_genotypes = false;
  bool any_reference = false;
  std::uint64_t called_records = 0;

  [[noreturn]] void refuse_no_genotypes() const {
    throw InputError(name, "", "holds no genotypes (GT)", "give a VCF with genotypes");
  }
  [[noreturn]] void refuse_record(std::string_view problem, std::string_view cure) const {
    throw InputError(name,
                     fmt::format("record {} ({}:{})", record.number, printable(record.chrom), record.pos),
                     problem, cure);
  }

  int read_line();
  void parse_samples();
  bool read();
  void fill_record();
  const Genotypes& decode();
  void note_references();
  void check_whole() const;
};

/// 0: a record was read; -1: the end; less: an error. As bcf_read(), which takes a text line of too few
/// columns, or cut by a zero byte, for whole, and "12x" for position 12.
int VcfReader::Impl::read_line() {
  if (hts_get_format(file.get())->format == bcf) return bcf_read(file.get(), header.get(), line.get());
  std::string_view text;
  do {
    const int got = hts_getline(file.get(), '\n', &file->line);
    if (got < 0) return got;
    text = {file->line.s, file->line.l};
  } while (trim(text).empty());
  if (!has_columns(text, samples.size())) return -2;
  samples_text.assign(text);
  line->max_unpack = BCF_UN_STR;  // up to the alleles
  return vcf_parse(&file->line, header.get(), line.get()) < 0 ? -2 : 0;
}

/// Parses all of a text line whose samples were left aside until somebody asked: most records of a large file
/// are of no site of the panel, and their samples are most of the work.
void VcfReader::Impl::parse_samples() {
  if (samples_text.empty()) return;
  std::ranges::copy(samples_text, file->line.s);  // the same line again: parsing wrote into it
  file->line.l = samples_text.size();
  file->line.s[file->line.l] = '\0';
  samples_text.clear();
  line->max_unpack = 0;
  const int result = vcf_parse(&file->line, header.get(), line.get());
  if (result < 0 || (line->errcode & ~kHarmlessErrors) != 0) refuse_record(kMalformed, kRestore);
}

bool VcfReader::Impl::read() {
  const int result = read_line();
  if (result == -1) return false;
  ++record.number;
  if (result < 0 || (line->errcode & ~kHarmlessErrors) != 0) {
    const std::string after =
        record.number == 1 ? "" : fmt::format(", after {}:{}", printable(record.chrom), record.pos);
    throw InputError(name, fmt::format("record {}{}", record.number, after), kMalformed, kRestore);
  }
  return true;
}

void VcfReader::Impl::fill_record() {
  bcf_unpack(line.get(), BCF_UN_STR);
  record.ids = line->d.id == nullptr ? "" : line->d.id;
  const char* chrom = bcf_seqname(header.get(), line.get());
  record.chrom = normal_chromosome(chrom == nullptr ? "" : chrom);
  const std::int64_t pos = line->pos + 1;
  record.pos = std::in_range<std::uint32_t>(pos) ? static_cast<std::uint32_t>(pos) : 0;
  record.alleles.clear();
  for (int i = 0; i < static_cast<int>(line->n_allele); ++i)
    record.alleles.push_back(file_allele(line->d.allele[i]));
  genotypes.reset();
}

/// Fetches the current record's genotypes and checks that each names an allele that the record has.
const Genotypes& VcfReader::Impl::decode() {
  if (genotypes) return *genotypes;
  parse_samples();
  const int got = bcf_get_genotypes(header.get(), line.get(), &values, &n_values);
  genotypes.emplace();
  if (got == -2)
    refuse_record("its genotypes (GT) are not text as the header must say", "re-create the file");
  if (got <= 0 || static_cast<std::size_t>(got) % samples.size() != 0)
    return *genotypes;  // a record without GT
  any_genotypes = true;
  *genotypes = {values, static_cast<std::size_t>(got) / samples.size()};
  for (std::size_t sample = 0; sample < samples.size(); ++sample)
    for (const std::int32_t value : genotypes->of(sample))
      if (!is_missing(value) && !(bcf_gt_allele(value) >= 0 && bcf_gt_allele(value) < line->n_allele))
        refuse_record(fmt::format("a genotype of '{}' names an allele that the record does not have",
                                  printable(samples[sample])),
                      "re-create the file");
  return *genotypes;
}

/// Looks for a homozygous reference until the first was seen.
void VcfReader::Impl::note_references() {
  if (any_reference) return;
  const Genotypes& all = decode();
  bool any_call = false;
  for (std::size_t sample = 0; sample < samples.size() && !any_reference; ++sample) {
    const auto genotype = all.of(sample);
    if (!is_called(genotype)) continue;
    any_call = true;
    any_reference = is_reference(genotype);
  }
  called_records += any_call;
}

void VcfReader::Impl::check_whole() const {
  if (record.number > 0 && !any_genotypes) refuse_no_genotypes();
  if (refuse_variants_only && !any_reference && called_records >= kVariantsOnlyAfter)
    throw InputError(name, "",
                     fmt::format("holds variants only: not one homozygous reference in {} records",
                                 with_commas(called_records)),
                     "call the panel's sites too (for a gVCF: bcftools convert --gvcf2vcf), or give "
                     "--absent-as-reference");
}

VcfReader::VcfReader(const Source& source, bool refuse_variants_only)
    : impl_(std::make_unique<Impl>(source, refuse_variants_only)) {}
VcfReader::~VcfReader() = default;

const std::vector<std::string>& VcfReader::samples() const {
  return impl_->samples;
}
GenomeBuild VcfReader::build() const {
  return impl_->build;
}

std::string VcfReader::place(std::uint64_t number) const {
  return fmt::format("record {}", number);
}

const SiteRecord* VcfReader::next() {
  check_interrupt();
  if (!impl_->read()) {
    impl_->check_whole();
    return nullptr;
  }
  impl_->fill_record();
  impl_->note_references();
  return &impl_->record;
}

std::optional<Fit> VcfReader::read_onto(const Site& site, std::span<std::uint8_t> calls) {
  const auto strand = strand_of_alleles(site, impl_->record.alleles);
  if (!strand) return std::nullopt;
  std::vector<AlleleCode> codes;
  for (const char allele : impl_->record.alleles) codes.push_back(code_of(site, allele, *strand));
  const Genotypes& genotypes = impl_->decode();
  std::vector<AlleleCode> seen;
  for (std::size_t sample = 0; sample < calls.size(); ++sample) {
    const auto genotype = genotypes.of(sample);
    seen.clear();
    if (is_called(genotype))
      for (const std::int32_t value : genotype)
        seen.push_back(codes[static_cast<std::size_t>(bcf_gt_allele(value))]);
    calls[sample] = static_cast<std::uint8_t>(call_of(seen));
  }
  return Fit{*strand == Strand::kFlipped, false};
}

GenotypeReader::AlleleCounts VcfReader::count_alleles() {
  const Genotypes& genotypes = impl_->decode();
  AlleleCounts counts;
  for (std::size_t sample = 0; sample < impl_->samples.size(); ++sample) {
    const auto genotype = genotypes.of(sample);
    if (!is_called(genotype)) continue;
    for (const std::int32_t value : genotype) ++(bcf_gt_allele(value) == 0 ? counts.first : counts.second);
  }
  return counts;
}

}  // namespace fastid
