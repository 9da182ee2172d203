#include "report/linkage.hpp"

#include <fmt/format.h>

#include "report/page/figures.hpp"

namespace fastid::report {
namespace {

std::string figure(const std::optional<double>& value) {
  return value ? fmt::format("{:.9g}", *value) : "NA";
}

}  // namespace

std::string linkage_head() {
  return "CHR_A\tBP_A\tSNP_A\tCHR_B\tBP_B\tSNP_B\tR2\tD\tDP\tN\n";
}

std::string linkage_lines(const SiteFacts& facts, std::span<const SitePair> pairs) {
  std::string text;
  for (const SitePair& pair : pairs) {
    const Site &a = facts.sites[pair.sites.first], &b = facts.sites[pair.sites.second];
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{:.9g}\t{}\t{}\t{}\n", a.chrom, a.pos, a.id, b.chrom, b.pos,
                        b.id, pair.r2, figure(pair.d), figure(pair.d_prime), pair.sites.counts.called);
  }
  return text;
}

std::string linkage_blocks(const SiteFacts& facts, std::span<const SiteBlock> blocks,
                           const std::string& rule) {
  std::string text =
      fmt::format("#{}\n#build {}\nblock\tchrom\tfirst\tlast\tsites\n", rule, name_of(facts.build));
  std::size_t number = 0;
  for (const auto& [first, last] : blocks)
    text += fmt::format("{}\t{}\t{}\t{}\t{}\n", ++number, facts.sites[first].chrom, facts.sites[first].pos,
                        facts.sites[last].pos, last - first + 1);
  return text;
}

}  // namespace fastid::report
