#include "import/formats/genotype_reader.hpp"

#include <algorithm>

#include "import/match/file_alleles.hpp"

namespace fastid::imports {

std::optional<Fit> GenotypeReader::read_onto(const Site& site, CallRow& calls) {
  const auto& alleles = record().alleles;
  const auto strand = strand_of_alleles(site, alleles);
  if (!strand) return std::nullopt;
  calls.assign(*allele_row(), code_of(site, alleles[0], *strand), code_of(site, alleles[1], *strand));
  return Fit{*strand == Strand::kFlipped, false};
}

bool GenotypeReader::has_two_bases() const {
  return std::ranges::count_if(record().alleles, [](char a) { return complement(a) != 0; }) > 1;
}

bool GenotypeReader::read_span(const Site&, SpanCalls&) {
  return false;
}

bool GenotypeReader::read_block(const Site&, char, CallRow&) {
  return false;
}

bool GenotypeReader::carriers_of_third(const Site& site, SampleBits& carriers) {
  const AlleleRow* row = record().alleles.size() == 2 ? allele_row() : nullptr;
  if (row == nullptr) return false;
  const auto third = third_alleles(site, record().alleles);
  if (!third[0] && !third[1]) return false;
  carriers.clear();
  const auto to = carriers.words();
  for (std::size_t i = 0; i < to.size(); ++i)
    to[i] = (third[0] ? row->first.words()[i] : 0) | (third[1] ? row->second.words()[i] : 0);
  return true;
}

GenotypeReader::AlleleCounts GenotypeReader::count_alleles_without(const SampleBits& who) {
  AlleleRow others = *allele_row();
  others.clear(who);
  return count_diploid(others);
}

GenotypeReader::AlleleCounts GenotypeReader::count_letters(const Site& site) {
  const auto& alleles = record().alleles;
  if (alleles.size() != 2) return {};
  const AlleleCounts counts = count_alleles();
  AlleleCounts letters;
  for (const std::size_t i : {0u, 1u}) {
    if (alleles[i] == site.major) letters.first += i == 0 ? counts.first : counts.second;
    if (alleles[i] == site.minor) letters.second += i == 0 ? counts.first : counts.second;
  }
  return letters;
}

GenotypeReader::AlleleCounts GenotypeReader::count_diploid(const AlleleRow& row) {
  const std::uint64_t both = row.first.count_common(row.second);
  return {2 * row.first.count() - both, 2 * row.second.count() - both};
}

}  // namespace fastid::imports
