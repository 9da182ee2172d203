#include "panel/allele_code.hpp"

#include <algorithm>
#include <functional>
#include <string>

#include "base/text.hpp"

namespace fastid {
namespace {

bool is_missing(char letter) {
  return letter == '-' || letter == '0' || letter == '.';
}

bool is_allele(const Site& site, char letter) {
  return letter == site.major || letter == site.minor;
}

/// How many of `letters` are alleles of the site on `strand`.
std::ptrdiff_t known_letters(const Site& site, std::string_view letters, Strand strand) {
  return std::ranges::count_if(
      letters, [&](char letter) { return code_of(site, letter, strand) != AlleleCode::kUnknown; });
}

/// What all of `alleles` show, whose codes are given by code().
template <class Alleles, class Code>
Seen seen_of_all(const Alleles& alleles, const Code& code) {
  Seen seen = kNoneSeen;
  for (const auto& each : alleles) {
    const AlleleCode allele = code(each);
    if (allele == AlleleCode::kUnknown) return kNoneSeen;
    seen |= allele == AlleleCode::kMinor ? kMinorSeen : kMajorSeen;
  }
  return seen;
}

Coded code_alleles(const Site& site, std::string_view letters, Strand strand) {
  const auto code = [&](char letter) { return code_of(site, letter, strand); };
  return {seen_of_all(letters, code), strand == Strand::kFlipped, false};
}

Coded code_person(const Site& site, std::string_view letters, bool half_call) {
  const std::optional<Strand> strand = strand_of(site, letters);
  if (!strand) return {kNoneSeen, false, true};
  Coded coded = code_alleles(site, letters, *strand);
  if (half_call) coded.seen = kNoneSeen;
  return coded;
}

Coded code_mixture(const Site& site, std::string letters) {
  const std::ptrdiff_t all = std::ssize(letters), as_they_are = known_letters(site, letters, Strand::kSame),
                       flipped = site.palindromic() ? 0 : known_letters(site, letters, Strand::kFlipped);
  // Neither strand explains all letters, but the other one explains more of them, so the strand would be a
  // guess.
  if (flipped > as_they_are && flipped < all) return {kNoneSeen, false, true};
  const Strand strand = flipped == all && as_they_are < all ? Strand::kFlipped : Strand::kSame;
  const auto put_aside = std::erase_if(
      letters, [&](char letter) { return code_of(site, letter, strand) == AlleleCode::kUnknown; });
  Coded coded = code_alleles(site, letters, strand);
  coded.unknown_allele = put_aside > 0;
  return coded;
}

}  // namespace

std::optional<Strand> strand_of(const Site& site, std::string_view letters) {
  const auto fits = [&](char letter) { return is_allele(site, letter); };
  const auto fits_flipped = [&](char letter) { return is_allele(site, complement(letter)); };
  if (std::ranges::all_of(letters, fits)) return Strand::kSame;
  if (!site.palindromic() && std::ranges::all_of(letters, fits_flipped)) return Strand::kFlipped;
  return std::nullopt;
}

AlleleCode code_of(const Site& site, char letter, Strand strand) {
  const char allele = strand == Strand::kFlipped ? complement(letter) : letter;
  if (allele == site.major) return AlleleCode::kMajor;
  return allele == site.minor ? AlleleCode::kMinor : AlleleCode::kUnknown;
}

Seen seen_of(std::span<const AlleleCode> alleles) {
  return seen_of_all(alleles, std::identity());
}

Coded code_genotype(const Site& site, std::string_view letters) {
  const auto is_allele_as_is = [&](char letter) { return is_allele(site, letter); };
  if (letters.size() <= 2 && std::ranges::all_of(letters, is_allele_as_is))  // as most are
    return code_alleles(site, letters, Strand::kSame);
  std::string present = ascii_upper(letters);
  const bool any_missing = std::erase_if(present, is_missing) > 0;
  if (letters.size() > 2) return code_mixture(site, std::move(present));
  return code_person(site, present, any_missing);
}

}  // namespace fastid
