#include "match/wording.hpp"

#include "base/text.hpp"

namespace fastid {

const char* name_of(Comparison comparison) {
  return comparison == Comparison::kIdentity  ? "identity"
         : comparison == Comparison::kMixture ? "mixture"
                                              : "reverse-mixture";
}

const char* asked(Comparison comparison) {
  return comparison == Comparison::kIdentity  ? "query"
         : comparison == Comparison::kMixture ? "mixture"
                                              : "profile";
}

std::string counted_asked(Comparison comparison, std::uint64_t n) {
  if (comparison != Comparison::kIdentity) return counted(n, asked(comparison));
  return n == 1 ? "1 query" : with_commas(n) + " queries";
}

const char* stored(Comparison comparison) {
  return comparison == Comparison::kReverseMixture ? "mixture" : "profile";
}

const char* differences(Comparison comparison) {
  return comparison == Comparison::kIdentity ? "mismatches" : "minor alleles not seen";
}

std::string counted_differences(Comparison comparison, std::uint64_t n) {
  if (comparison != Comparison::kIdentity) return counted(n, "minor allele") + " not seen";
  return n == 1 ? "1 mismatch" : with_commas(n) + " mismatches";
}

}  // namespace fastid
