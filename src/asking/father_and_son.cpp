#include "asking/father_and_son.hpp"

#include <fmt/format.h>

#include "base/log.hpp"
#include "base/text.hpp"
#include "panel/site_class.hpp"
#include "stats/haplotype.hpp"
#include "stats/kinship.hpp"

namespace fastid::asking {
namespace {

constexpr std::uint64_t kMostNamed = 5;

}  // namespace

void FathersAndSons::take(std::string_view relation, const Rare<match::BesideFigures>& beside,
                          std::string_view first, std::string_view second) {
  if (relation != stats::name_of(stats::Relation::kParentChild) || !beside || !beside->y) return;
  if (beside->first_sex != name_of(Sex::kMale) || beside->second_sex != name_of(Sex::kMale)) return;
  if (beside->y->word != name_of(stats::HaplotypeWord::kDiffer)) return;
  if (++n_ > kMostNamed) return;
  named_ += fmt::format("{}{} and {} ({} of {} sites)", n_ == 1 ? "" : ", ", printable(first),
                        printable(second), beside->y->mismatches, beside->y->compared);
}

std::string FathersAndSons::sentence() const {
  if (n_ == 0) return "";
  return fmt::format("{} parent-child by autosomal sites, and two men whose Y differs: {}{}",
                     n_ == 1 ? "1 pair is" : counted(n_, "pair") + " are", named_,
                     n_ > kMostNamed ? fmt::format(" and {} more", with_commas(n_ - kMostNamed)) : "");
}

void FathersAndSons::say() const {
  if (const std::string text = sentence(); !text.empty()) log::warn_text(text);
}

}  // namespace fastid::asking
