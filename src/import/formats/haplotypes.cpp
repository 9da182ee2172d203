// Phased genotypes as haplotypes: a file of n diploid samples is read as one of 2 n haploid ones.
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "import/formats/variant_file.hpp"

namespace fastid {
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
    for (std::size_t sample = 0; sample < file_->samples().size(); ++sample) take(sample, into);
  }

  bool numbers(SampleField, SampleNumbers&) override { return false; }

 private:
  void take(std::size_t sample, Genotypes& into) const {
    const std::span<const std::int32_t> alleles = both_.alleles.of(sample);
    if (alleles.size() > 2) refuse(sample, "has more than two alleles");
    if (alleles.size() == 2 && alleles[0] != alleles[1] && both_.unphased.get(sample))
      refuse(sample, "is not phased");
    for (std::size_t i = 0; i < 2; ++i)
      into.alleles.values[2 * sample + i] = i < alleles.size() ? alleles[i] : SampleNumbers::kMissing;
    if (!both_.any_unfounded || !both_.unfounded.get(sample)) return;
    into.unfounded.set(2 * sample);
    into.unfounded.set(2 * sample + 1);
  }

  [[noreturn]] void refuse(std::size_t sample, std::string_view problem) const {
    throw InputError(name_, "record " + std::to_string(record_->number),
                     "the genotype of " + printable(file_->samples()[sample]) + " " + std::string(problem),
                     "give phased genotypes of diploids (0|1), or read genotypes without --phased");
  }

  std::unique_ptr<VariantFile> file_;
  Genotypes both_;
  const SiteRecord* record_ = nullptr;
};

}  // namespace

std::unique_ptr<VariantFile> as_haplotypes(std::unique_ptr<VariantFile> file, const Source& source) {
  return std::make_unique<Haplotypes>(std::move(file), source);
}

}  // namespace fastid
