#include "match/wording.hpp"

#include <fmt/format.h>

#include "base/text.hpp"

namespace fastid {

const char* name_of(Comparison comparison) {
  switch (comparison) {
    case Comparison::kIdentity:
      return "identity";
    case Comparison::kMixture:
      return "mixture";
    case Comparison::kReverseMixture:
      return "reverse-mixture";
    case Comparison::kKinship:
      break;
  }
  return "kinship";
}

const char* asked(Comparison comparison) {
  switch (comparison) {
    case Comparison::kMixture:
      return "mixture";
    case Comparison::kReverseMixture:
      return "profile";
    case Comparison::kIdentity:
    case Comparison::kKinship:
      break;
  }
  return "query";
}

std::string counted_asked(Comparison comparison, std::uint64_t n) {
  const std::string_view what = asked(comparison);
  return what == "query" && n != 1 ? with_commas(n) + " queries" : counted(n, what);
}

const char* stored(Comparison comparison) {
  return comparison == Comparison::kReverseMixture ? "mixture" : "profile";
}

const char* name_of_compared(Encoding by) {
  return by == Encoding::kAlleles ? "alleles" : "bits";
}

const char* differences(Comparison comparison, Encoding by) {
  const bool alleles = by == Encoding::kAlleles;
  if (comparison == Comparison::kIdentity) return alleles ? "alleles that differ" : "mismatches";
  return alleles ? "alleles not seen" : "minor alleles not seen";
}

std::string counted_differences(Comparison comparison, Encoding by, std::uint64_t n) {
  if (comparison != Comparison::kIdentity) return counted_alleles(by, n) + " not seen";
  if (by == Encoding::kAlleles) return counted(n, "allele") + (n == 1 ? " that differs" : " that differ");
  return n == 1 ? "1 mismatch" : with_commas(n) + " mismatches";
}

std::string counted_alleles(Encoding by, std::uint64_t n) {
  return counted(n, by == Encoding::kAlleles ? "allele" : "minor allele");
}

std::string alleles_text(const DifferingLocus& locus, Seen seen, bool mixture) {
  if (seen == kBothSeen) return {locus.major, locus.minor};
  return std::string(mixture ? 1 : 2, seen == kMinorSeen ? locus.minor : locus.major);
}

std::string member_line(const MatchRow& row) {
  return fmt::format("{} (row {}) is the profile of the typed member {}, or of an identical twin: not ranked",
                     row.profile, row.row, row.kin->member);
}

std::string limits_text(const PairsFacts& facts) {
  std::string text;
  if (facts.min_kinship) text = fmt::format("a kinship of at least {}", *facts.min_kinship);
  if (facts.max_mismatch_rate)
    text +=
        fmt::format("{}a mismatch rate of at most {}", text.empty() ? "" : " and ", *facts.max_mismatch_rate);
  return text;
}

}  // namespace fastid
