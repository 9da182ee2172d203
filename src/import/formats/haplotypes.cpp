// Phased genotypes as haplotypes: a file of n diploid samples is read as one of 2 n haploid ones.
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "import/formats/variant_file.hpp"

namespace fastid::imports {
namespace {

class Haplotypes final : public VariantFile {
 public:
  Haplotypes(std::unique_ptr<VariantFile> file, const Source& source)
      : VariantFile(source), file_(std::move(file)) {
    for (const std::string& sample : file_->samples()) {
      samples_.push_back(sample + "/1");
      samples_.push_back(sample + "/2");
    }
    build_ = file_->build();
    one_bit_ = file_->one_bit();
    both_.in_order = true;
    both_.unfounded = both_.unphased = SampleBits(file_->samples().size());
  }

  bool declares(std::string_view tag) const override { return file_->declares(tag); }

  bool next(SiteRecord& record) override {
    record_ = &record;
    return file_->next(record);
  }

  void genotypes(Genotypes& into) override {
    file_->genotypes(both_);
    into.present = both_.present;
    into.packed = false;
    into.any_unfounded = both_.any_unfounded;
    if (!into.present) return;
    into.alleles.reset(samples_.size(), 1);
    into.unfounded.clear();
    if (record_->chrom != chrom_) {
      chrom_ = record_->chrom;
      sets_of_.assign(file_->samples().size(), kNoneYet);
    }
    if (!file_->numbers(SampleField::kPhaseSet, sets_)) sets_.reset(file_->samples().size(), 0);
    for (std::size_t sample = 0; sample < file_->samples().size(); ++sample) take(sample, into);
  }

  bool numbers(SampleField, SampleNumbers&) override { return false; }

  /// Numbers of a whole genotype, given to both of its haplotypes.
  bool reals(std::string_view tag, std::size_t most, SampleReals& into) override {
    SampleReals both;
    if (!file_->reals(tag, most, both)) return false;
    into.reset(samples_.size(), both.width);
    for (std::size_t i = 0; i < into.values.size(); ++i)
      into.values[i] = both.values[i / (2 * both.width) * both.width + i % both.width];
    return true;
  }

 private:
  void take(std::size_t sample, Genotypes& into) {
    const std::span<const std::int32_t> alleles = both_.alleles.of(sample);
    if (alleles.size() > 2) refuse(sample, "has more than two alleles");
    if (alleles.size() == 2 && alleles[0] != alleles[1] && both_.unphased.get(sample))
      refuse(sample, "is not phased");
    if (alleles.size() == 2 && alleles[0] != alleles[1] && alleles[0] >= 0 && alleles[1] >= 0)
      hold_to_set(sample);
    for (std::size_t i = 0; i < 2; ++i)
      into.alleles.values[2 * sample + i] = i < alleles.size() ? alleles[i] : SampleNumbers::kMissing;
    if (!both_.any_unfounded || !both_.unfounded.get(sample)) return;
    into.unfounded.set(2 * sample);
    into.unfounded.set(2 * sample + 1);
  }

  /// Checks that a sample stays in one phase set: which haplotype is which is known only within a set.
  void hold_to_set(std::size_t sample) {
    const std::span<const std::int32_t> set = sets_.of(sample);
    const std::int32_t here = set.empty() ? SampleNumbers::kMissing : set.front();
    if (sets_of_[sample] != kNoneYet && sets_of_[sample] != here)
      throw InputError(
          name_, "record " + std::to_string(record_->number),
          "the genotype of " + printable(file_->samples()[sample]) +
              " is of another phase set (PS) than one before it on chromosome " + printable(chrom_),
          "phase whole chromosomes, as SHAPEIT and Beagle do, or read genotypes without --phased");
    sets_of_[sample] = here;
  }

  [[noreturn]] void refuse(std::size_t sample, std::string_view problem) const {
    throw InputError(name_, "record " + std::to_string(record_->number),
                     "the genotype of " + printable(file_->samples()[sample]) + " " + std::string(problem),
                     "give phased genotypes of diploids (0|1), or read genotypes without --phased");
  }

  std::unique_ptr<VariantFile> file_;
  Genotypes both_;
  SampleNumbers sets_;                 ///< of the record
  std::vector<std::int32_t> sets_of_;  ///< of each sample's heterozygotes so far on the chromosome
  std::string chrom_;
  static constexpr std::int32_t kNoneYet = SampleNumbers::kEndOfRow;
  const SiteRecord* record_ = nullptr;
};

}  // namespace

std::unique_ptr<VariantFile> as_haplotypes(std::unique_ptr<VariantFile> file, const Source& source) {
  return std::make_unique<Haplotypes>(std::move(file), source);
}

}  // namespace fastid::imports
