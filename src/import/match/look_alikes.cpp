#include "import/match/look_alikes.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text.hpp"

namespace fastid::imports {
namespace {

using Fields = std::vector<std::string_view>;

bool is_number(std::string_view text) {
  return parse_number<double>(text).has_value();
}
bool is_position(std::string_view text) {
  return parse_number<std::int64_t>(text).has_value();
}

bool is_chromosome(std::string_view text) {
  const auto number = parse_number<unsigned>(text);
  if (number) return *number <= 26;
  const std::string lower = ascii_lower(text);
  return lower.starts_with("chr") || lower == "x" || lower == "y" || lower == "xy" || lower == "m" ||
         lower == "mt";
}

bool is_allele_text(std::string_view text) {
  return std::ranges::all_of(
      text, [](char c) { return std::string_view("ACGTNacgtn0-.*").find(c) != std::string_view::npos; });
}

bool is_markers(const Fields& fields) {
  return fields.size() == 6 && is_number(fields[2]) && is_position(fields[3]) && is_allele_text(fields[4]) &&
         is_allele_text(fields[5]);
}

/// Family, individual, father, mother, sex, phenotype.
bool is_fam(const Fields& fields) {
  const auto sex = fields.size() == 6 ? parse_number<int>(fields[4]) : std::nullopt;
  return sex && *sex >= -9 && *sex <= 2 && is_number(fields[5]);
}

bool is_individuals(const Fields& fields) {
  return fields.size() == 3 && (fields[1] == "M" || fields[1] == "F" || fields[1] == "U");
}

/// A line of a .geno in ANCESTRYMAP's own form: marker, person, copies.
bool is_ancestrymap(const Fields& fields) {
  return fields.size() == 3 &&
         (fields[2] == "0" || fields[2] == "1" || fields[2] == "2" || fields[2] == "9" || fields[2] == "-1");
}

LookAlike marker_list(const Fields& fields) {
  if (is_chromosome(fields[1]) && !is_chromosome(fields[0]))
    return {"is an EIGENSTRAT list of markers (.snp), not a person's genotypes",
            "give the .geno that it belongs to"};
  return {"is a PLINK list of variants (.bim), not genotypes", "give the .bed that it belongs to"};
}

}  // namespace

LookAlike look_alike(std::string_view line) {
  const Fields fields = split_blanks(line);
  if (fields.size() >= 5 && fields[0] == "id" && fields[1] == "chrom" && fields[2] == "pos")
    return {"is a panel, not a person's genotypes", "give it with --panel"};
  if (is_fam(fields))
    return {"is a PLINK list of people (.fam), not genotypes", "give the .bed that it belongs to"};
  if (is_markers(fields)) return marker_list(fields);
  if (ascii_lower(line).starts_with("name,variation,chromosome,position,strand,yourcode"))
    return {
        "is a deCODEme export, whose alleles are on the strand that its column Strand names",
        "write columns rsid, chromosome, position, genotype, with the complements of alleles of strand -"};
  if (is_individuals(fields))
    return {"is an EIGENSTRAT list of individuals (.ind), not genotypes",
            "give the .geno that it belongs to"};
  if (is_ancestrymap(fields))
    return {"is an ANCESTRYMAP .geno, a line a genotype",
            "rewrite it with convertf, outputformat: PACKEDANCESTRYMAP"};
  return {};
}

/// Family, individual, father, mother, sex, phenotype, then two alleles for each variant.
bool is_ped(std::string_view bytes) {
  while (bytes.starts_with('#')) bytes.remove_prefix(std::min(bytes.find('\n'), bytes.size() - 1) + 1);
  const Fields fields = split_blanks(bytes.substr(0, bytes.find_first_of("\r\n")));
  constexpr std::size_t kBeforeAlleles = 6;
  if (fields.size() < kBeforeAlleles + 2 || !is_fam({fields.begin(), fields.begin() + kBeforeAlleles}))
    return false;
  return std::all_of(fields.begin() + kBeforeAlleles, fields.end(), [](std::string_view allele) {
    return allele.size() == 1 && (is_allele_text(allele) || (allele[0] >= '1' && allele[0] <= '4'));
  });
}

bool is_vcf_header(std::string_view comment) {
  return comment.starts_with("#CHROM\tPOS\tID\tREF");
}

}  // namespace fastid::imports
