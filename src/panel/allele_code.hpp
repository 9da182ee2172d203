/// \file
/// From letters to bits: the only code in fastid that knows how a genotype becomes a bit.
///
///   bit 1: at least one copy of the panel's minor allele; bit 0: none; not called: the file does not say, or
///   says something that the panel does not know.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "panel/panel.hpp"

namespace fastid {

enum class Strand { kSame, kFlipped };

/// What one allele of a file is at one site of the panel.
enum class AlleleCode : unsigned char { kMajor, kMinor, kUnknown };

/// What one genotype is at one site: bit 0 called, bit 1 carries a minor allele (as BitBlocks::set_site()
/// takes it).
enum class Call : std::uint8_t { kNoCall = 0, kMajorOnly = 1, kHasMinor = 3 };

/// The strand on which `letters` are alleles of the site, or nothing. All letters must fit: as they are, else
/// as complements, never the latter at a palindromic site. `letters` are upper case; empty fits kSame.
std::optional<Strand> strand_of(const Site& site, std::string_view letters);

/// The call that a set of seen alleles makes: none where any is unknown or there are none.
Call call_of(std::span<const AlleleCode> alleles);

/// One letter, read on `strand`.
AlleleCode code_of(const Site& site, char letter, Strand strand);

/// What a genotype of letters says, with what became of it for the counts.
struct Coded {
  Call call = Call::kNoCall;
  bool flipped = false;         ///< read on the other strand
  bool unknown_allele = false;  ///< at least one letter is no allele of the site on either strand
};

/// A person's genotype (one letter where haploid, two else) or, with three letters or more, all alleles that
/// were seen in a mixture. Letters in any case; '-', '0' and '.' stand for an allele that was not called. A
/// person's genotype with an unknown or a missing letter is no call ("--", "-", "00", "A-", "." and "":
/// without unknown_allele). Of a mixture's, such letters are put aside and the rest is read, on the strand on
/// which more of them are alleles of the site (as they are, where that is equal).
Coded code_genotype(const Site& site, std::string_view letters);

}  // namespace fastid
