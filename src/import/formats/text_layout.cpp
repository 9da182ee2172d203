#include "import/formats/text_layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"

namespace fastid::imports {
namespace {

using Names = std::vector<std::string>;

Names names_of(const std::vector<std::string_view>& fields) {
  Names names;
  for (const std::string_view field : fields) names.push_back(plain_name(field));
  while (!names.empty() && names.back().empty()) names.pop_back();
  return names;
}

/// Index of the first of `wanted` that is there.
std::size_t find_name(const Names& names, const std::vector<std::string>& wanted) {
  for (const std::string& name : wanted)
    if (const auto at = std::ranges::find(names, name); at != names.end())
      return static_cast<std::size_t>(at - names.begin());
  return TextLayout::kNone;
}

std::size_t find_height(const Names& names, const std::string& number) {
  const std::string allele = "allele" + number;
  return find_name(
      names, {"height" + number, "reads" + number, "read" + number, "coverage" + number, "depth" + number,
              allele + "height", allele + "reads", "height" + allele, "reads" + allele});
}

/// Columns allele1, allele2 and so on, each with its height where the table has heights.
std::vector<TextLayout::Allele> find_alleles(const Names& names) {
  std::vector<TextLayout::Allele> alleles;
  // Plus is the genome's strand, and Forward nearly always is.
  for (const char* strand : {"", "plus", "forward"}) {
    alleles.clear();
    for (std::size_t n = 1;; ++n) {
      const std::string number = std::to_string(n);
      const std::size_t column = find_name(names, {"allele" + number + strand});
      if (column == TextLayout::kNone) break;
      alleles.push_back({column, find_height(names, number)});
    }
    if (alleles.size() >= 2) return alleles;
  }
  return {};
}

bool has_height(const TextLayout::Allele& allele) {
  return allele.height != TextLayout::kNone;
}

/// Finds the columns that say how strongly each allele, or each site, was seen.
void find_evidence(const Names& names, TextLayout& layout) {
  const std::size_t marker = find_name(names, {"marker", "locus"});
  layout.reads = find_name(names, {"reads", "totalreads", "coverage", "totalcoverage"});
  layout.blank_is_absent =
      std::ranges::any_of(layout.alleles, has_height) ||
      (marker != TextLayout::kNone && layout.id == marker && layout.chrom == TextLayout::kNone);
}

/// Illumina's names of the strands that columns Allele1 are of: "Top and AB"; "" where there are none.
std::string foreign_strands(const Names& names) {
  constexpr std::string_view kFirst = "allele1";
  std::string strands;
  for (const auto& [plain, name] : {std::pair("top", "Top"), {"ab", "AB"}, {"design", "Design"}})
    if (find_name(names, {std::string(kFirst) + plain}) != TextLayout::kNone)
      strands += (strands.empty() ? "" : ", ") + std::string(name);
  if (const std::size_t last = strands.rfind(", "); last != std::string::npos)
    strands.replace(last, 2, " and ");
  const auto other = [&](const std::string& name) { return name.starts_with(kFirst); };
  return strands.empty() && std::ranges::any_of(names, other) ? "other" : strands;
}

std::vector<std::size_t> genotype_columns(const Names& names) {
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].starts_with("genotype") || names[i] == "result" || names[i] == "gt") found.push_back(i);
  return found;
}

std::size_t find_id(const Names& names) {
  return find_name(names, {"rsid", "snpname", "markername", "name", "snpid", "snp", "marker", "locus"});
}

/// Whether only some alleles have heights: nothing then says what the others are worth.
bool lacks_heights(const TextLayout& layout) {
  return std::ranges::any_of(layout.alleles, has_height) && !std::ranges::all_of(layout.alleles, has_height);
}

std::optional<TextLayout> layout_of_names(const Names& names, char separator) {
  TextLayout layout{.separator = separator, .columns = names.size()};
  layout.id = find_id(names);
  layout.chrom = find_name(names, {"chromosome", "chrom", "chr"});
  layout.pos = find_name(names, {"position", "pos"});
  layout.sample = find_name(names, {"samplename", "sampleid"});
  layout.sample_id = find_name(names, {"sampleid"});
  const auto genotypes = genotype_columns(names);
  layout.genotype = genotypes.size() == 1 ? genotypes.front() : TextLayout::kNone;
  if (genotypes.empty()) layout.alleles = find_alleles(names);
  const bool has_genotypes = layout.genotype != TextLayout::kNone || !layout.alleles.empty();
  if (layout.id == TextLayout::kNone || !has_genotypes || lacks_heights(layout)) return std::nullopt;
  find_evidence(names, layout);
  return layout;
}

std::vector<std::pair<Names, char>> readings_of(std::string_view line) {
  std::string text(line);
  std::erase(text, '"');
  std::vector<std::pair<Names, char>> readings;
  if (text.find('\t') != std::string::npos) readings.emplace_back(names_of(split(text, '\t')), '\t');
  if (text.find(',') != std::string::npos) readings.emplace_back(names_of(split(text, ',')), ',');
  // Else "Allele1 - Top" would be three names. The lines that follow may have tabs.
  const auto has_id = [](const auto& reading) { return find_id(reading.first) != TextLayout::kNone; };
  if (std::ranges::none_of(readings, has_id)) readings.emplace_back(names_of(split_blanks(text)), '\t');
  return readings;
}

bool is_allele_column(std::string_view field) {
  return field.size() == 1 && std::string_view("ACGTIDN0-.acgtidn").find(field[0]) != std::string_view::npos;
}

}  // namespace

std::string plain_name(std::string_view name) {
  std::string plain = ascii_lower(name);
  std::erase_if(plain, [](char c) { return !((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')); });
  return plain;
}

std::optional<TextLayout> layout_of_header(std::string_view line) {
  for (const auto& [names, separator] : readings_of(line))
    if (auto layout = layout_of_names(names, separator)) return layout;
  return std::nullopt;
}

std::string problem_of_header(std::string_view line) {
  for (const auto& [names, separator] : readings_of(line)) {
    if (find_id(names) == TextLayout::kNone) continue;
    if (lacks_heights({.alleles = find_alleles(names)})) return "has heights or reads of some alleles only";
    if (genotype_columns(names).size() > 1)
      return "its columns are not those of genotypes: it has more than one of them";
    if (const std::string strands = foreign_strands(names); !strands.empty())
      return fmt::format(
          "has {} alleles alone, and none on the genome's strand: columns Allele1 - Plus and Allele2 - Plus, "
          "or Forward",
          strands);
    if (find_name(names, {"chromosome", "chrom", "chr"}) != TextLayout::kNone)
      return "its columns are not those of genotypes";
  }
  return {};
}

TextLayout layout_of_body(std::string_view line) {
  TextLayout layout;
  if (line.find('\t') == std::string_view::npos)
    layout.separator = std::ranges::count(line, ',') >= 3 ? ',' : ' ';
  std::string scratch;
  std::vector<std::string_view> fields;
  layout.columns = 5;
  split_columns(line, layout, scratch, fields);
  const bool pairs = fields.size() == 5 && is_allele_column(fields[3]) && is_allele_column(fields[4]);
  if (!pairs) {
    layout.columns = 4;
    return layout;
  }
  layout.genotype = TextLayout::kNone;
  layout.alleles = {{3}, {4}};
  return layout;
}

void split_columns(std::string_view line, const TextLayout& layout, std::string& scratch,
                   std::vector<std::string_view>& fields) {
  if (line.find('"') != std::string_view::npos) {
    scratch = line;
    std::erase(scratch, '"');
    line = scratch;
  }
  if (layout.separator != ' ') split(line, layout.separator, fields);
  const bool tabs = layout.separator == '\t' && fields.size() > 1;
  if (layout.separator != ',' && !tabs) fields = split_blanks(line);
  for (std::string_view& field : fields) field = trim(field);
  while (fields.size() > layout.columns && fields.back().empty()) fields.pop_back();
  if (tabs && fields.size() != layout.columns)
    if (auto words = split_blanks(line); words.size() == layout.columns) fields = std::move(words);
}

}  // namespace fastid::imports
