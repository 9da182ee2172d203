#include "import/reads/known_variants.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "import/io/line_reader.hpp"
#include "panel/panel.hpp"

namespace fastid::imports {
namespace {

constexpr std::size_t kLeastColumns = 5;  // CHROM POS ID REF ALT

bool is_short_sequence(std::string_view bases) {
  return !bases.empty() && bases.size() <= KnownVariant::kMost &&
         std::ranges::all_of(bases, [](char base) { return complement(base) != 0; });
}

std::uint32_t distance(const KnownVariant& variant, std::uint32_t site) {
  return variant.pos > site ? variant.pos - site : site - (variant.end() - 1);
}

}  // namespace

KnownVariants::KnownVariants(const std::string& path) {
  const Source source(path);
  LineReader lines(source);
  std::string_view line;
  if (!lines.next(line) || !line.starts_with("##fileformat=VCF"))
    throw InputError(source.name(), "", "is no VCF", "write one of it: bcftools view");
  while (lines.next(line)) {
    if (lines.number() % 4096 == 0) check_interrupt();
    if (line.starts_with('#') || line.empty()) continue;
    const std::vector<std::string_view> columns = split(line, '\t');
    if (columns.size() < kLeastColumns)
      throw InputError(source.name(), lines.place(), fmt::format("has {}", counted(columns.size(), "column")),
                       "check it with bcftools view");
    const auto pos = parse_number<std::uint32_t>(columns[1]);
    if (!pos || *pos > INT32_MAX)
      throw InputError(source.name(), lines.place(),
                       fmt::format("the position '{}' is no number", printable(columns[1])),
                       "check it with bcftools view");
    const std::string reference = ascii_upper(columns[3]);
    if (!is_short_sequence(reference)) continue;
    for (const std::string_view other : split(columns[4], ','))
      if (std::string bases = ascii_upper(other); is_short_sequence(bases) && bases != reference)
        by_chromosome_[std::string(place_chromosome(normal_chromosome(columns[0])))].push_back(
            {*pos, reference, std::move(bases)});
  }
  for (auto& [chrom, variants] : by_chromosome_) std::ranges::stable_sort(variants, {}, &KnownVariant::pos);
}

std::vector<KnownVariant> KnownVariants::beside(std::string_view chrom, std::uint32_t first,
                                                std::uint32_t last, std::uint32_t site,
                                                std::size_t most) const {
  const auto of_chrom = by_chromosome_.find(std::string(place_chromosome(chrom)));
  if (of_chrom == by_chromosome_.end()) return {};
  std::vector<KnownVariant> near;
  for (auto at = std::ranges::lower_bound(of_chrom->second, first, {}, &KnownVariant::pos);
       at != of_chrom->second.end() && at->end() <= last + 1; ++at)
    if (at->pos > site || at->end() <= site) near.push_back(*at);
  std::ranges::stable_sort(near, {}, [site](const KnownVariant& v) { return distance(v, site); });
  std::vector<KnownVariant> taken;
  for (const KnownVariant& variant : near) {
    const bool apart = std::ranges::all_of(taken, [&](const KnownVariant& other) {
      return variant.end() <= other.pos || other.end() <= variant.pos;
    });
    if (apart && taken.size() < most) taken.push_back(variant);
  }
  std::ranges::sort(taken, {}, &KnownVariant::pos);
  return taken;
}

}  // namespace fastid::imports
