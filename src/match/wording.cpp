#include "match/wording.hpp"

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

const char* differences(Comparison comparison) {
  if (comparison == Comparison::kKinship) return "kinship";
  return comparison == Comparison::kIdentity ? "mismatches" : "minor alleles not seen";
}

std::string counted_differences(Comparison comparison, std::uint64_t n) {
  if (comparison != Comparison::kIdentity) return counted(n, "minor allele") + " not seen";
  return n == 1 ? "1 mismatch" : with_commas(n) + " mismatches";
}

}  // namespace fastid
