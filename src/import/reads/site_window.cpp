#include "import/reads/site_window.hpp"

#include <algorithm>

#include "hmm/pair_hmm.hpp"
#include "panel/allele_code.hpp"

namespace fastid::imports {
namespace {

constexpr std::size_t kMostBeside = 3;  // eight haplotypes for each allele

/// `bases` (from position `first` on) with the chosen variants, and with `allele` at the site.
std::string with_variants(const SiteWindow& window, char allele, unsigned chosen) {
  std::string bases = window.bases;
  bases[window.pos - window.first] = allele;
  for (std::size_t i = window.beside.size(); i-- > 0;) {  // from the right, so that positions stay
    const KnownVariant& variant = window.beside[i];
    if ((chosen >> i & 1) != 0)
      bases.replace(variant.pos - window.first, variant.reference.size(), variant.other);
  }
  return bases;
}

}  // namespace

std::vector<std::vector<std::uint8_t>> SiteWindow::haplotypes(char allele) const {
  std::vector<std::vector<std::uint8_t>> all;
  for (unsigned chosen = 0; chosen < 1U << beside.size(); ++chosen) {
    std::vector<std::uint8_t>& sets = all.emplace_back();
    for (const char base : with_variants(*this, allele, chosen)) sets.push_back(hmm::base_set(base));
  }
  return all;
}

std::optional<SiteWindow> window_of(const Site& site, ReferenceGenome& genome, const KnownVariants& known) {
  if (site.pos == 0) return std::nullopt;
  constexpr std::uint32_t kFlank = kReadFlank + kMoreFlank;
  SiteWindow window{.pos = site.pos, .first = site.pos > kFlank ? site.pos - kFlank : 1};
  window.bases = genome.bases(site.chrom, window.first, site.pos + kFlank);
  if (window.bases.size() <= site.pos - window.first || window.reference() == 'N') return std::nullopt;
  const char reference = window.reference();
  const std::optional<Strand> strand = strand_of(site, {&reference, 1});
  if (!strand) return std::nullopt;
  window.flipped = *strand == Strand::kFlipped;
  window.alleles = {site.major, site.minor};
  if (window.flipped) window.alleles = {complement(site.major), complement(site.minor)};
  const auto last = static_cast<std::uint32_t>(window.first + window.bases.size() - 1);
  window.beside = known.beside(site.chrom, window.first, last, site.pos, kMostBeside);
  std::erase_if(window.beside, [&](const KnownVariant& variant) {  // of another reference genome
    return window.bases.compare(variant.pos - window.first, variant.reference.size(), variant.reference) != 0;
  });
  return window;
}

}  // namespace fastid::imports
