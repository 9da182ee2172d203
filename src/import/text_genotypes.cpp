#include "import/text_genotypes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/threads.hpp"
#include "import/look_alikes.hpp"
#include "panel/allele_code.hpp"

namespace fastid {
namespace {

constexpr std::string_view kColumns = "expected rsid, chromosome, position and genotype, separated by tabs";
constexpr std::string_view kGenotypeLetters = "ACGTIDNacgtidn-0.";
constexpr std::size_t kLongestGenotype = 16;

bool is_binary(std::string_view line) {
  return std::ranges::any_of(
      line, [](char c) { return (c >= 0 && c < ' ' && c != '\t' && c != '\r') || c == 0x7F; });
}

bool says_unknown(std::string_view field) {
  return field.empty() || field == "-" || field == "--" || field == "." || field == "NA";
}

std::vector<std::string_view> columns_of(std::string_view line) {
  if (line.find('\t') == std::string_view::npos) return split_blanks(line);
  auto fields = split(line, '\t');
  for (std::string_view& field : fields) field = trim(field);
  if (fields.size() == 5 && fields.back().empty()) fields.pop_back();  // a tab at the end of the line
  return fields;
}

}  // namespace

TextReader::TextReader(const Source& source) : name_(source.name()), lines_(source), samples_{source.stem()} {
  std::string_view line;
  if (next_line(line) && is_header(line)) next_line(line);
  if (line.empty()) throw InputError(name_, "", "holds no genotypes", kColumns);
  first_line_ = line;
  first_pending_ = in_body_ = true;
}

void TextReader::refuse(std::string_view problem, std::string_view cure) const {
  throw InputError(name_, lines_.place(), problem, cure);
}

std::string TextReader::place(std::uint64_t number) const {
  return fmt::format("line {}", number);
}

/// The next line that is neither blank nor a comment; comments are heeded on the way. `line` is empty at the
/// end.
bool TextReader::next_line(std::string_view& line) {
  while (lines_.next(line)) {
    if (is_binary(line))
      refuse("holds binary junk: not a format that fastid knows",
             "give VCF, BCF, PLINK or 23andMe-style text");
    if (line.starts_with('#'))
      take_comment(line);
    else if (!trim(line).empty())
      return true;
  }
  line = {};
  return false;
}

void TextReader::take_comment(std::string_view comment) {
  if (is_vcf_header(comment))
    refuse("is a VCF without its first line", "put ##fileformat=VCFv4.2 before all other lines");
  if (!comment.starts_with("#sample ") && !comment.starts_with("#sample\t")) {
    if (build_ == GenomeBuild::kUnknown && !in_body_) build_ = parse_build(comment.substr(1));
    return;
  }
  const std::string_view name = trim(comment.substr(8));
  if (in_body_) refuse("names the person after the first genotype", "move it to the top; one person a file");
  if (named_ && name != samples_.front()) refuse("names a second person", "write one file for each person");
  samples_.front() = name;
  named_ = true;
}

bool TextReader::is_header(std::string_view line) const {
  const LookAlike other = look_alike(line);
  if (!other.what.empty()) refuse(other.what, other.cure);
  const std::string lower = ascii_lower(line);
  const auto names = split_blanks(lower);
  if (names.front() != "rsid") return false;
  if (names.size() != 4 || names[1] != "chromosome" || names[2] != "position" || names[3] != "genotype")
    refuse("its columns are not those of 23andMe", kColumns);
  return true;
}

const SiteRecord* TextReader::next() {
  std::string_view line = first_line_;
  if (!first_pending_ && !next_line(line)) return nullptr;
  first_pending_ = false;
  check_interrupt();
  parse(line);
  return &record_;
}

void TextReader::parse(std::string_view line) {
  const auto fields = columns_of(line);
  if (fields.size() != 4) {
    const LookAlike other = look_alike(line);
    if (!other.what.empty()) refuse(other.what, other.cure);
    refuse(fmt::format("{} columns where 4 are expected", fields.size()), kColumns);
  }
  const auto pos =
      says_unknown(fields[2]) ? std::optional<std::uint32_t>(0) : parse_number<std::uint32_t>(fields[2]);
  if (!pos) refuse(fmt::format("position '{}' is not a number", printable(fields[2])), kColumns);
  record_.number = lines_.number();
  record_.ids = fields[0];
  record_.chrom = normal_chromosome(fields[1]);
  record_.pos = *pos;
  parse_genotype(fields[3]);
}

void TextReader::parse_genotype(std::string_view field) {
  genotype_ = field;
  std::erase_if(genotype_, [](char c) { return c == '/' || c == '|'; });  // some write A/G
  if (genotype_.size() > kLongestGenotype ||
      genotype_.find_first_not_of(kGenotypeLetters) != std::string::npos)
    refuse(fmt::format("genotype '{}' is not letters of A, C, G, T", printable(field)),
           "write two letters, or -- for no call");
}

std::optional<Fit> TextReader::read_onto(const Site& site, std::span<std::uint8_t> calls) {
  const Coded coded = code_genotype(site, genotype_);
  if (coded.unknown_allele && coded.call == Call::kNoCall) return std::nullopt;
  calls[0] = static_cast<std::uint8_t>(coded.call);
  return Fit{coded.flipped, coded.unknown_allele};
}

GenotypeReader::AlleleCounts TextReader::count_alleles() {
  throw Failure("one person's genotypes have no allele counts");
}

}  // namespace fastid
