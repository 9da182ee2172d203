/// \file
/// From letters to bits: the only code in fastid that knows how a genotype becomes a bit.
///
///   bit 1: at least one copy of the panel's minor allele; bit 0: none; not called: the file does not say, or says
///   something that the panel does not know.
#pragma once

#include <string_view>

#include "panel/panel.hpp"

namespace fastid {

enum class Strand { kSame, kFlipped };

/// What one allele of a file is at one site of the panel.
enum class AlleleCode : unsigned char { kMajor, kMinor, kUnknown };

/// What one genotype is at one site.
enum class Call : unsigned char { kNoCall, kMajorOnly, kHasMinor };

/// The strand on which `letters` are alleles of the site, or nothing. All letters must fit: as they are, else as
/// complements, never the latter at a palindromic site. `letters` are upper case; empty fits kSame.
std::optional<Strand> strand_of(const Site& site, std::string_view letters);

/// One letter, read on `strand`.
AlleleCode code_of(const Site& site, char letter, Strand strand);

/// What a genotype of letters says, with what became of it for the counts.
struct Coded {
  Call call = Call::kNoCall;
  bool flipped = false;         ///< read on the other strand
  bool unknown_allele = false;  ///< at least one letter is no allele of the site on either strand
};

/// A person's genotype (one letter where haploid, two else) or, with three letters or more, all alleles that were seen
/// in a mixture. Letters in any case. A person's genotype with an unknown letter is no call; of a mixture's, unknown
/// letters are put aside and the rest is read. "--", "-", "00", "0", "." and "" are no calls, without unknown_allele.
Coded code_genotype(const Site& site, std::string_view letters);

}  // namespace fastid
