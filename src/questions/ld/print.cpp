#include "questions/ld/print.hpp"

#include <fmt/format.h>

#include "page/figures.hpp"

namespace fastid::report {
namespace {

void append_figure(const std::optional<double>& value, std::string& text) {
  if (value)
    append_significant(*value, 9, text);
  else
    text += "NA";
}

void append_site(const Site& site, std::string& text) {
  text += site.chrom;
  text += '\t';
  append_number(site.pos, text);
  text += '\t';
  text += site.id;
  text += '\t';
}

}  // namespace

std::string linkage_head() {
  return "CHR_A\tBP_A\tSNP_A\tCHR_B\tBP_B\tSNP_B\tR2\tD\tDP\tN\n";
}

std::string linkage_lines(const SiteFacts& facts, std::span<const SitePair> pairs) {
  std::string text;
  for (const SitePair& pair : pairs) {
    append_site(facts.sites[pair.sites.first], text);
    append_site(facts.sites[pair.sites.second], text);
    for (const std::optional<double>& value : {std::optional(pair.r2), pair.d, pair.d_prime}) {
      append_figure(value, text);
      text += '\t';
    }
    append_number(pair.sites.counts.called, text);
    text += '\n';
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
