#include "import/match/file_alleles.hpp"

#include <algorithm>
#include <string>

#include "base/text.hpp"

namespace fastid::imports {

char file_allele(std::string_view text) {
  if (text.size() == 1) {
    if (complement(text[0]) != 0) return text[0];  // most are
    const char letter = ascii_upper(text)[0];
    if (complement(letter) != 0) return letter;
    return letter == '.' || letter == '0' || letter == 'N' ? kNoAllele : kOtherAllele;
  }
  return text.empty() || text == "<NON_REF>" || text == "<*>" || text == "<X>" ? kNoAllele : kOtherAllele;
}

std::optional<Strand> strand_of_alleles(const Site& site, std::span<const char> alleles) {
  const char first = alleles.empty() ? kNoAllele : alleles.front();
  const auto alternatives = alleles.empty() ? alleles : alleles.subspan(1);
  if (first == kOtherAllele) return std::nullopt;
  const std::string alone(first == kNoAllele ? 0 : 1, first);
  if (std::ranges::all_of(alternatives, [](char a) { return a == kNoAllele; })) return strand_of(site, alone);
  for (const Strand wanted : {Strand::kSame, Strand::kFlipped})
    for (const char alternative : alternatives)
      if (complement(alternative) != 0 && strand_of(site, alone + alternative) == wanted) return wanted;
  return std::nullopt;
}

std::vector<bool> third_alleles(const Site& site, std::span<const char> alleles) {
  std::vector<bool> third(alleles.size(), false);
  for (const Strand strand : {Strand::kSame, Strand::kFlipped}) {
    if (strand == Strand::kFlipped && site.palindromic()) break;
    const auto known = [&](char a) { return code_of(site, a, strand) != AlleleCode::kUnknown; };
    if (std::ranges::none_of(alleles, known)) continue;
    for (std::size_t i = 0; i < alleles.size(); ++i)
      third[i] = complement(alleles[i]) != 0 && !known(alleles[i]);
    break;
  }
  return third;
}

}  // namespace fastid::imports
