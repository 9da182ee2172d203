#include "questions/ld/print.hpp"

#include <fmt/format.h>

#include <iterator>

#include "base/json.hpp"
#include "page/figures.hpp"

namespace fastid::ld {
namespace {

constexpr int kDigits = 9;  // of a figure

void append_figure(const std::optional<double>& value, std::string& text) {
  if (value)
    page::append_significant(*value, kDigits, text);
  else
    text += "NA";
}

void append_site(const Site& site, std::string& text) {
  text += site.chrom;
  text += '\t';
  page::append_number(site.pos, text);
  text += '\t';
  text += site.id;
  text += '\t';
}

}  // namespace

std::string ld_head() {
  return "CHR_A\tBP_A\tSNP_A\tCHR_B\tBP_B\tSNP_B\tR2\tD\tDP\tN\n";
}

std::string ld_lines(const SiteFacts& facts, std::span<const SitePair> pairs) {
  std::string text;
  for (const SitePair& pair : pairs) {
    append_site(facts.sites[pair.sites.first], text);
    append_site(facts.sites[pair.sites.second], text);
    for (const std::optional<double>& value : {std::optional(pair.r2), pair.d, pair.d_prime}) {
      append_figure(value, text);
      text += '\t';
    }
    page::append_number(pair.sites.counts.called, text);
    text += '\n';
  }
  return text;
}

std::string ld_json_lines(const SiteFacts& facts, std::span<const SitePair> pairs) {
  std::string text;
  const auto add_site = [&](const Site& site, char of) {
    fmt::format_to(std::back_inserter(text), "\"CHR_{0}\":{1},\"BP_{0}\":{2},\"SNP_{0}\":{3},", of,
                   Json(site.chrom).dump(), site.pos, Json(site.id).dump());
  };
  const auto add_figure = [&](const char* name, const std::optional<double>& value) {
    fmt::format_to(std::back_inserter(text), "\"{}\":", name);
    if (value)
      page::append_significant(*value, kDigits, text);
    else
      text += "null";
    text += ',';
  };
  for (const SitePair& pair : pairs) {
    text += '{';
    add_site(facts.sites[pair.sites.first], 'A');
    add_site(facts.sites[pair.sites.second], 'B');
    add_figure("R2", pair.r2);
    add_figure("D", pair.d);
    add_figure("DP", pair.d_prime);
    fmt::format_to(std::back_inserter(text), "\"N\":{}}}\n", pair.sites.counts.called);
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

}  // namespace fastid::ld
