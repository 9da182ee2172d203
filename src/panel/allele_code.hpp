/// \file
/// From letters to alleles seen: the only code in fastid that knows how a genotype becomes bits.
///
///   a major or a minor allele of the panel was seen, or both; neither: not called, because the file has no
///   call, or alleles that are not in the panel.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "bits/blocks.hpp"
#include "panel/panel.hpp"

namespace fastid {

enum class Strand { kSame, kFlipped };

/// An allele of a file in terms of a site of the panel.
enum class AlleleCode : unsigned char { kMajor, kMinor, kUnknown };

/// The strand on which all `letters` are alleles of the site, or no value. They are tried as they are, then
/// as complements, but never as complements at a palindromic site. `letters` are in upper case; empty letters
/// fit kSame.
std::optional<Strand> strand_of(const Site& site, std::string_view letters);

/// What a set of alleles shows: kNoneSeen (no call) where one is unknown or the set is empty.
Seen seen_of(std::span<const AlleleCode> alleles);

/// The code of one letter, read on `strand`.
AlleleCode code_of(const Site& site, char letter, Strand strand);

/// What a genotype of letters shows, and what the counts of the import need to know about it.
struct Coded {
  Seen seen = kNoneSeen;
  bool flipped = false;         ///< read on the other strand
  bool unknown_allele = false;  ///< at least one letter is not an allele of the site on either strand
};

/// Codes a person's genotype (one letter where haploid, else two) or, with three letters or more, all alleles
/// that were seen in a mixture. Letters may be in either case; '-', '0' and '.' stand for an allele that was
/// not called. A person's genotype with an unknown or a missing letter is no call ("--", "-", "00", "A-", "."
/// and "": without unknown_allele): half a call would look like a homozygote. In a mixture such letters are
/// ignored and the others are read on the strand on which more of them are alleles of the site (as they are,
/// where the numbers are equal).
Coded code_genotype(const Site& site, std::string_view letters);

}  // namespace fastid
