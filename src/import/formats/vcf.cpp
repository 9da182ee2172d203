#include "import/formats/vcf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "import/formats/genotype_quality.hpp"
#include "import/formats/spelled_alleles.hpp"
#include "import/formats/stated_likelihoods.hpp"
#include "import/formats/variant_file.hpp"
#include "import/match/file_alleles.hpp"

namespace fastid::imports {
namespace {

using Numbers = std::span<const std::int32_t>;

constexpr std::string_view kProbabilities = "GP";
/// Fields that say how sure a genotype is; the first that is there counts.
constexpr std::array<std::string_view, 3> kQualityTags = {"GQ", "RGQ", kProbabilities};
constexpr std::size_t kMostGenotypes = 4096;  ///< of a site, whose probabilities are read

/// True where every allele of the genotype is called; half calls are not.
bool is_called(Numbers genotype) {
  return !genotype.empty() && std::ranges::none_of(genotype, [](std::int32_t v) { return v < 0; });
}

bool is_reference(Numbers genotype) {
  return std::ranges::all_of(genotype, [](std::int32_t v) { return v == 0; });
}

void add_signal(AlleleCode allele, double reads, AlleleSignal& to) {
  if (allele == AlleleCode::kMajor) to.major += reads;
  if (allele == AlleleCode::kMinor) to.minor += reads;
}

/// The sum of all reads; a missing depth counts as 0.
std::uint64_t sum_of(Numbers depths) {
  std::uint64_t total = 0;
  for (const std::int32_t depth : depths) total += depth > 0 ? static_cast<std::uint64_t>(depth) : 0;
  return total;
}

class VcfReader final : public GenotypeReader {
 public:
  VcfReader(const Source& source, bool binary, const ReaderOptions& given)
      : name_(source.name()),
        options_(given),
        file_(open(source, binary, given)),
        row_(file_->samples().size()),
        ploidy_(file_->samples().size()) {
    genotypes_.row = AlleleRow(file_->samples().size());
    genotypes_.unfounded = SampleBits(file_->samples().size());
    if (options_.depths && !file_->declares("AD"))
      throw InputError(name_, "header", "holds no allele depths (AD)",
                       "leave --min-reads and --min-share out to read genotypes (GT)");
    if (!options_.min_quality) return;
    if (options_.depths)
      throw UsageError("--min-gq goes not with --min-reads and --min-share, which read no genotypes");
    if (std::ranges::none_of(kQualityTags, [&](std::string_view tag) { return file_->declares(tag); }))
      throw InputError(name_, "header", "holds no qualities of genotypes (GQ, RGQ, GP)",
                       "leave --min-gq out to read all genotypes");
  }

  const std::vector<std::string>& samples() const override { return file_->samples(); }
  GenomeBuild build() const override { return file_->build(); }
  const SiteRecord* next() override;
  bool says_alleles() const override { return !file_->one_bit(); }
  std::optional<Fit> read_onto(const Site& site, CallRow& calls) override;
  bool read_likelihoods(const Site& site, std::vector<StatedLikelihoods>& into) override;
  bool read_span(const Site& site, SpanCalls& into) override;
  bool read_block(const Site& site, char base, CallRow& calls) override;
  const Ploidy* odd_ploidy() override;
  bool carriers_of_third(const Site& site, SampleBits& carriers) override;
  AlleleCounts count_alleles() override;
  AlleleCounts count_alleles_without(const SampleBits& who) override;
  std::size_t minor_at_tie() const override { return 1; }  ///< the alternative allele
  bool read_signals(const Site& site, std::vector<AlleleSignal>& into) override;
  bool read_block_signals(const Site& site, char base, std::vector<AlleleSignal>& into) override;
  /// True where genotypes are read, not depths, unless `fastid call` wrote the file.
  bool may_hold_variants_only() const override { return !options_.depths && !file_->of_call(); }
  bool deconvolved() const override { return file_->deconvolved(); }
  std::vector<std::string> warnings() const override;
  std::string place(std::uint64_t number) const override { return fmt::format("record {}", number); }

 protected:
  const SiteRecord& record() const override { return record_; }
  const AlleleRow* allele_row() override;

 private:
  static std::unique_ptr<VariantFile> open(const Source& source, bool binary, const ReaderOptions& options) {
    auto file = binary ? open_bcf(source, options.threads) : open_vcf_text(source, options.threads);
    return options.haplotypes ? as_haplotypes(std::move(file), source) : std::move(file);
  }

  std::size_t n_samples() const { return file_->samples().size(); }

  /// Whether there may be likelihoods where there are no genotypes.
  bool declares_likelihoods() const {
    return std::ranges::any_of(likelihood_tags(options_.likelihoods),
                               [&](std::string_view tag) { return file_->declares(tag); });
  }

  [[noreturn]] void refuse_likelihoods(std::string_view tag, std::size_t sample) const {
    throw InputError(
        name_, fmt::format("record {} ({}:{})", record_.number, record_.chrom, record_.pos),
        fmt::format("sample '{}' has a {} that is no likelihood", printable(file_->samples()[sample]), tag),
        "re-create the file, or leave its likelihoods out: --likelihoods off");
  }

  const Genotypes& decode();
  void drop_unfounded();
  void drop_below(double least);
  void called_alleles(std::size_t sample, std::vector<std::int32_t>& alleles) const;
  Numbers genotype_of(std::size_t sample) const;
  std::optional<Strand> code_alleles(const Site& site, std::vector<AlleleCode>& codes) const;
  void call_genotypes(std::span<const AlleleCode> codes, CallRow& calls);
  Fit call_depths(std::span<const AlleleCode> codes, CallRow& calls);
  bool call_span(const Site& site, SpanCalls& into);
  void note_alternatives(std::span<const AlleleCode> codes, const std::vector<bool>& gone, SpanCalls& into);
  bool is_homozygous_reference(std::size_t sample) const;
  void call_reference(AlleleCode reference, CallRow& calls);
  void fetch_reference_depths();
  void reference_signals(AlleleCode reference, std::vector<AlleleSignal>& into);
  Seen see_depth(std::span<const AlleleCode> codes, Numbers sample_depths, bool& put_aside) const;

  std::string name_;
  ReaderOptions options_;
  std::unique_ptr<VariantFile> file_;
  SiteRecord record_;
  Genotypes genotypes_;
  bool decoded_ = false;  ///< `genotypes_` holds the current record
  AlleleRow row_;         ///< of a record whose genotypes are not packed
  Ploidy ploidy_;         ///< the same
  SampleNumbers depths_;
  std::optional<SpelledAlleles> spelled_;  ///< of the current record, where they were asked for
  std::vector<char> spanned_;              ///< its alleles at the site that was asked for
  std::vector<std::uint64_t> reads_;       ///< of each sample, at a record without alternatives
  bool any_genotypes_ = false;
  SampleReals stated_;  ///< of the field of likelihoods that was read last
};

const Genotypes& VcfReader::decode() {
  if (decoded_) return genotypes_;
  decoded_ = true;
  file_->genotypes(genotypes_);
  any_genotypes_ |= genotypes_.present;
  drop_unfounded();
  if (options_.min_quality && genotypes_.present) drop_below(*options_.min_quality);
  return genotypes_;
}

/// Makes genotypes of a lower quality, or without a stated one, not called.
void VcfReader::drop_below(double least) {
  std::vector<SampleReals> found(kQualityTags.size());
  for (std::size_t i = 0; i < found.size(); ++i)
    if (!file_->reals(kQualityTags[i], kQualityTags[i] == kProbabilities ? kMostGenotypes : 1, found[i]))
      found[i].reset(n_samples(), 0);
  SampleBits low(n_samples());
  std::vector<std::int32_t> alleles;
  for (std::size_t sample = 0; sample < n_samples(); ++sample) {
    double quality = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t i = 0; i < found.size() && std::isnan(quality); ++i) {
      const auto values = found[i].of(sample);
      if (values.empty()) continue;
      called_alleles(sample, alleles);
      quality =
          kQualityTags[i] == kProbabilities ? quality_by_probabilities(values, alleles) : values.front();
    }
    if (!(quality >= least)) low.set(sample);
  }
  if (genotypes_.packed) return genotypes_.row.clear(low);
  for (std::size_t sample = 0; sample < n_samples(); ++sample)
    if (low.get(sample)) genotypes_.alleles.clear(sample);
}

/// The alleles of a sample's genotype by their numbers; none where it is not called.
void VcfReader::called_alleles(std::size_t sample, std::vector<std::int32_t>& alleles) const {
  alleles.clear();
  if (!genotypes_.packed) {
    const Numbers numbers = genotype_of(sample);
    return alleles.assign(numbers.begin(), numbers.end());
  }
  const bool first = genotypes_.row.first.get(sample), second = genotypes_.row.second.get(sample);
  if (first || second) alleles = {first ? 0 : 1, second ? 1 : 0};
}

/// Makes genotypes without evidence (one of kEvidenceTags is 0) not called. No other place judges this.
void VcfReader::drop_unfounded() {
  if (!genotypes_.present || !genotypes_.any_unfounded) return;
  if (genotypes_.packed) return genotypes_.row.clear(genotypes_.unfounded);
  for (std::size_t sample = 0; sample < n_samples(); ++sample)
    if (genotypes_.unfounded.get(sample)) genotypes_.alleles.clear(sample);
}

Numbers VcfReader::genotype_of(std::size_t sample) const {
  return genotypes_.present ? genotypes_.alleles.of(sample) : Numbers();
}

std::optional<Strand> VcfReader::code_alleles(const Site& site, std::vector<AlleleCode>& codes) const {
  const auto strand = strand_of_alleles(site, record_.alleles);
  codes.clear();
  if (strand)
    for (const char allele : record_.alleles) codes.push_back(code_of(site, allele, *strand));
  return strand;
}

void VcfReader::call_genotypes(std::span<const AlleleCode> codes, CallRow& calls) {
  if (decode().packed)
    return calls.assign(genotypes_.row, codes[0], codes.size() > 1 ? codes[1] : AlleleCode::kUnknown);
  calls.clear();
  std::vector<AlleleCode> seen;
  for (std::size_t sample = 0; sample < n_samples(); ++sample) {
    const Numbers genotype = genotype_of(sample);
    if (!is_called(genotype)) continue;
    seen.clear();
    for (const std::int32_t allele : genotype) seen.push_back(codes[static_cast<std::size_t>(allele)]);
    calls.set(sample, seen_of(seen));
  }
}

/// Reads genotypes by the alleles in `spanned`.
bool VcfReader::call_span(const Site& site, SpanCalls& into) {
  const auto is_base = [](char allele) { return complement(allele) != 0; };
  const auto alternatives = std::span(spanned_).subspan(1);
  auto strand = strand_of_alleles(site, spanned_);
  into.says_base = strand && is_base(spanned_.front()) &&
                   (std::ranges::any_of(alternatives, is_base) || is_reference_block(spanned_));
  if (!strand) strand = strand_of(site, std::string(is_base(spanned_.front()) ? 1 : 0, spanned_.front()));
  if (!strand) return false;
  std::vector<AlleleCode> codes;
  for (const char allele : spanned_) codes.push_back(code_of(site, allele, *strand));
  if (!is_base(spanned_.front())) codes.front() = AlleleCode::kMajor;  // as in blocks
  into.flipped = *strand == Strand::kFlipped;
  into.swapped = codes.front() == AlleleCode::kMinor;
  into.shown.clear();
  into.gone.clear();
  if (options_.depths) {
    call_depths(codes, into.calls);
    return true;
  }
  call_genotypes(codes, into.calls);
  const std::vector<bool> third = third_alleles(site, spanned_);
  std::vector<bool> gone;
  for (std::size_t i = 0; i < spanned_.size(); ++i) gone.push_back(third[i] || spanned_[i] == kDeletedAllele);
  note_alternatives(codes, gone, into);
  return true;
}

/// Notes who carries which allele in place of the reference.
void VcfReader::note_alternatives(std::span<const AlleleCode> codes, const std::vector<bool>& gone,
                                  SpanCalls& into) {
  const auto to = [&](std::size_t allele) -> SampleBits* {
    if (gone[allele]) return &into.gone;
    if (codes[allele] == codes.front() || codes[allele] == AlleleCode::kUnknown) return nullptr;
    return codes[allele] == AlleleCode::kMinor ? &into.shown.minor : &into.shown.major;
  };
  if (decode().packed) {
    for (std::size_t allele = 0; allele < std::min<std::size_t>(codes.size(), 2); ++allele)
      if (SampleBits* const who = to(allele))
        who->add(allele == 0 ? genotypes_.row.first : genotypes_.row.second);
    return;
  }
  for (std::size_t sample = 0; sample < n_samples(); ++sample)
    for (const std::int32_t allele : genotype_of(sample))
      if (allele >= 0)
        if (SampleBits* const who = to(static_cast<std::size_t>(allele))) who->set(sample);
}

/// Whether a sample's genotype is reference alone.
bool VcfReader::is_homozygous_reference(std::size_t sample) const {
  if (genotypes_.packed) return genotypes_.row.first.get(sample) && !genotypes_.row.second.get(sample);
  return is_called(genotype_of(sample)) && is_reference(genotype_of(sample));
}

/// For a record or block that lists no alternative, and so has no depths of alleles: who is called
/// `reference`. Where depths are asked for, they are this record's MIN_DP, DP or AD (variant callers vary).
void VcfReader::call_reference(AlleleCode reference, CallRow& calls) {
  decode();
  const bool by_depth = options_.depths.has_value();
  if (by_depth) fetch_reference_depths();
  calls.clear();
  for (std::size_t sample = 0; sample < n_samples(); ++sample) {
    const bool deep = !by_depth || reads_[sample] >= std::max<std::uint64_t>(1, options_.depths->min_depth);
    if (deep && is_homozygous_reference(sample)) calls.set(sample, seen_of(std::span(&reference, 1)));
  }
}

/// For each sample, the first of MIN_DP, DP and AD that has a value.
void VcfReader::fetch_reference_depths() {
  reads_.assign(n_samples(), 0);
  std::vector<bool> known(n_samples(), false);
  for (const SampleField field :
       {SampleField::kLeastDepth, SampleField::kDepth, SampleField::kAlleleDepths}) {
    if (!file_->numbers(field, depths_)) continue;
    for (std::size_t sample = 0; sample < n_samples(); ++sample) {
      if (known[sample]) continue;
      known[sample] = std::ranges::any_of(depths_.of(sample), [](std::int32_t depth) { return depth >= 0; });
      reads_[sample] = sum_of(depths_.of(sample));
    }
  }
}

/// The reads of samples that a record or block without alternatives calls reference.
void VcfReader::reference_signals(AlleleCode reference, std::vector<AlleleSignal>& into) {
  decode();
  fetch_reference_depths();
  for (std::size_t sample = 0; sample < n_samples(); ++sample)
    if (is_homozygous_reference(sample))
      add_signal(reference, static_cast<double>(reads_[sample]), into[sample]);
}

/// The site's alleles with a large enough share of the depth. \param put_aside  set where others have it
Seen VcfReader::see_depth(std::span<const AlleleCode> codes, Numbers of_sample, bool& put_aside) const {
  const double least = options_.depths->least_reads(static_cast<double>(sum_of(of_sample)));
  std::vector<AlleleCode> seen;
  for (std::size_t i = 0; i < std::min(codes.size(), of_sample.size()); ++i) {
    if (static_cast<double>(of_sample[i]) < least) continue;
    if (codes[i] == AlleleCode::kUnknown)
      put_aside = true;
    else
      seen.push_back(codes[i]);
  }
  return seen_of(seen);
}

Fit VcfReader::call_depths(std::span<const AlleleCode> codes, CallRow& calls) {
  calls.clear();
  Fit fit;
  if (!file_->numbers(SampleField::kAlleleDepths, depths_)) {
    if (is_reference_block(record_.alleles)) call_reference(codes[0], calls);
    return fit;
  }
  for (std::size_t sample = 0; sample < n_samples(); ++sample)
    calls.set(sample, see_depth(codes, depths_.of(sample), fit.unknown_allele));
  return fit;
}

std::vector<std::string> VcfReader::warnings() const {
  if (!any_genotypes_ || file_->declares("GT")) return {};
  return {fmt::format(
      "{}: the header does not declare the genotypes (GT) that the records hold; they are read", name_)};
}

const SiteRecord* VcfReader::next() {
  check_interrupt();
  decoded_ = false;
  spelled_.reset();
  if (!file_->next(record_)) {
    if (record_.number > 0 && !any_genotypes_ && !options_.depths && !declares_likelihoods())
      throw InputError(name_, "", "holds no genotypes (GT)", "give a VCF with genotypes");
    return nullptr;
  }
  if (!any_genotypes_) decode();
  return &record_;
}

std::optional<Fit> VcfReader::read_onto(const Site& site, CallRow& calls) {
  std::vector<AlleleCode> codes;
  const auto strand = code_alleles(site, codes);
  if (!strand) return std::nullopt;
  Fit fit;
  if (options_.depths)
    fit = call_depths(codes, calls);
  else
    call_genotypes(codes, calls);
  fit.flipped = *strand == Strand::kFlipped;
  return fit;
}

bool VcfReader::read_likelihoods(const Site& site, std::vector<StatedLikelihoods>& into) {
  into.assign(n_samples(), {});
  std::vector<AlleleCode> codes;
  if (!code_alleles(site, codes)) return false;
  const auto major = static_cast<std::size_t>(std::ranges::find(codes, AlleleCode::kMajor) - codes.begin()),
             minor = static_cast<std::size_t>(std::ranges::find(codes, AlleleCode::kMinor) - codes.begin());
  const std::size_t n_alleles = codes.size(), n_genotypes = n_alleles * (n_alleles + 1) / 2;
  // A record without an allele of the site says nothing of it; one of too many genotypes is not read.
  const bool usable = major < n_alleles && minor < n_alleles && n_genotypes <= kMostGenotypes;
  const auto places = places_of_genotypes(usable ? major : 0, usable ? minor : 0);
  bool any = false;
  for (const std::string_view tag : likelihood_tags(options_.likelihoods)) {
    if (!file_->reals(tag, (usable ? n_genotypes : 0) + 1, stated_)) continue;
    for (std::size_t sample = 0; sample < into.size(); ++sample) {
      const auto numbers = stated_.of(sample);
      if (into[sample].stated || std::ranges::all_of(numbers, [](float n) { return std::isnan(n); }))
        continue;
      into[sample].stated = any = true;
      if (!usable) continue;
      const auto likelihoods = likelihoods_of(tag, numbers, n_genotypes, places);
      if (!likelihoods) refuse_likelihoods(tag, sample);
      into[sample].values = *likelihoods;
    }
  }
  return any;
}

bool VcfReader::read_signals(const Site& site, std::vector<AlleleSignal>& into) {
  into.assign(n_samples(), {});
  std::vector<AlleleCode> codes;
  if (!options_.signals || !code_alleles(site, codes)) return false;
  if (!file_->numbers(SampleField::kAlleleDepths, depths_)) {
    if (!is_reference_block(record_.alleles)) return false;
    reference_signals(codes.front(), into);
    return true;
  }
  for (std::size_t sample = 0; sample < into.size(); ++sample) {
    const Numbers depths = depths_.of(sample);
    for (std::size_t i = 0; i < std::min(codes.size(), depths.size()); ++i)
      if (depths[i] > 0) add_signal(codes[i], depths[i], into[sample]);
  }
  return true;
}

bool VcfReader::read_block_signals(const Site& site, char base, std::vector<AlleleSignal>& into) {
  into.assign(n_samples(), {});
  const AlleleCode code = code_of(site, base, Strand::kSame);
  if (!options_.signals || code == AlleleCode::kUnknown) return false;
  reference_signals(code, into);
  return true;
}

bool VcfReader::read_span(const Site& site, SpanCalls& into) {
  if (!spelled_) spelled_.emplace(record_);
  spelled_->at(site.pos, spanned_);
  return call_span(site, into);
}

bool VcfReader::read_block(const Site& site, char base, CallRow& calls) {
  const AlleleCode code = code_of(site, base, Strand::kSame);
  if (code == AlleleCode::kUnknown) return false;
  call_reference(code, calls);
  return true;
}

bool VcfReader::carriers_of_third(const Site& site, SampleBits& carriers) {
  const auto third = third_alleles(site, record_.alleles);
  if (std::ranges::none_of(third, [](bool is_third) { return is_third; })) return false;
  carriers.clear();
  if (decode().packed) return GenotypeReader::carriers_of_third(site, carriers);
  for (std::size_t sample = 0; sample < n_samples(); ++sample)
    if (std::ranges::any_of(genotype_of(sample), [&](std::int32_t allele) {
          return allele >= 0 && third[static_cast<std::size_t>(allele)];
        }))
      carriers.set(sample);
  return true;
}

const Ploidy* VcfReader::odd_ploidy() {
  if (options_.depths || options_.haplotypes) return nullptr;
  const Genotypes& genotypes = decode();
  if (!genotypes.present || genotypes.packed || genotypes.alleles.all_pairs()) return nullptr;
  ploidy_.clear();
  for (std::size_t sample = 0; sample < n_samples(); ++sample)
    ploidy_.note(sample, genotype_of(sample).size());
  return &ploidy_;
}

const AlleleRow* VcfReader::allele_row() {
  if (decode().packed) return &genotypes_.row;
  row_.first.clear();
  row_.second.clear();
  for (std::size_t sample = 0; sample < n_samples(); ++sample) {
    const Numbers genotype = genotype_of(sample);
    if (!is_called(genotype)) continue;
    for (const std::int32_t allele : genotype) (allele == 0 ? row_.first : row_.second).set(sample);
  }
  return &row_;
}

GenotypeReader::AlleleCounts VcfReader::count_alleles() {
  const Genotypes& genotypes = decode();
  if (genotypes.packed) return count_diploid(genotypes.row);
  return count_alleles_without(SampleBits(n_samples()));
}

GenotypeReader::AlleleCounts VcfReader::count_alleles_without(const SampleBits& who) {
  if (decode().packed) return GenotypeReader::count_alleles_without(who);
  AlleleCounts counts;
  for (std::size_t sample = 0; sample < n_samples(); ++sample) {
    const Numbers genotype = genotype_of(sample);
    if (!is_called(genotype) || who.get(sample)) continue;
    for (const std::int32_t allele : genotype) ++(allele == 0 ? counts.first : counts.second);
  }
  return counts;
}

}  // namespace

std::unique_ptr<GenotypeReader> open_vcf(const Source& source, bool binary, const ReaderOptions& options) {
  return std::make_unique<VcfReader>(source, binary, options);
}

}  // namespace fastid::imports
