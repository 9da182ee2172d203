#include "import/formats/text_genotypes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/process.hpp"
#include "base/semicolons.hpp"
#include "base/text.hpp"
#include "import/match/look_alikes.hpp"
#include "import/one_bit.hpp"

namespace fastid::imports {
namespace {

constexpr std::string_view kColumns = "expected rsid, chromosome, position and genotype, separated by tabs";
constexpr std::size_t kMostCommentColumns = 8;
constexpr std::uint64_t kMostComments = 100'000;
constexpr std::uint64_t kFewestToJudge = 20;  ///< sites; so many are all heterozygous once in a million

bool is_binary(std::string_view line) {
  return std::ranges::any_of(
      line, [](char c) { return (c >= 0 && c < ' ' && c != '\t' && c != '\r') || c == 0x7F; });
}

bool says_unknown(std::string_view field) {
  return field.empty() || field == "-" || field == "--" || field == "." || field == "NA";
}

}  // namespace

TextReader::TextReader(const Source& source, const ReaderOptions& options)
    : name_(source.name()), options_(options), lines_(source), samples_{source.stem()} {
  std::string_view line;
  if (next_line(line)) skip_report_header(line);
  if (!line.empty() && take_header(line)) next_line(line);
  if (line.empty()) throw InputError(name_, "", "holds no genotypes", kColumns);
  if (!has_header_) layout_ = layout_of_body(line);
  first_line_ = line;
  first_pending_ = in_body_ = true;
}

void TextReader::refuse(std::string_view problem, std::string_view cure) const {
  throw InputError(name_, lines_.place(), problem, cure);
}

std::string TextReader::place(std::uint64_t number) const {
  return fmt::format("line {}", number);
}

/// The next line that is neither blank nor a comment; comments on the way are read. `line` is empty at the
/// end.
bool TextReader::next_line(std::string_view& line) {
  while (lines_.next(line)) {
    if (is_binary(line)) {
      refuse_utf16(line, name_);
      refuse("holds binary junk: not a format that fastid knows",
             "give VCF, BCF, PLINK, EIGENSTRAT or a text of genotypes");
    }
    if (line.starts_with('#') && !in_body_ && ++comments_ > kMostComments)
      refuse("is one comment too many before the first genotype", "is it the right file?");
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
  one_bit_ |= comment.find(kOneBit) != std::string_view::npos;
  if (!comment.starts_with("#sample ") && !comment.starts_with("#sample\t")) {
    if (in_body_) return;
    if (build_ == GenomeBuild::kUnknown) build_ = parse_build(comment.substr(1));
    const auto layout = layout_of_header(trim(comment.substr(1)));
    const bool has_place = layout && layout->chrom != TextLayout::kNone && layout->pos != TextLayout::kNone;
    if (has_place && layout->columns <= kMostCommentColumns) {  // not prose that contains the words
      layout_ = *layout;
      has_header_ = true;
    }
    return;
  }
  if (in_body_) refuse("names the person after the first genotype", "move it to the top; one person a file");
  name_person(std::string(trim(comment.substr(8))));
}

void TextReader::name_person(const std::string& name) {
  if (named_ && name != samples_.front()) refuse("names a second person", "write one file for each person");
  samples_.front() = name;
  named_ = true;
}

/// Illumina's reports begin with [Header], and have their table after [Data].
void TextReader::skip_report_header(std::string_view& line) {
  if (!ascii_lower(line).starts_with("[header]")) return;
  while (next_line(line))
    if (ascii_lower(line).starts_with("[data]")) {
      next_line(line);
      return;
    }
  refuse("is an Illumina report without its [Data]", "restore it from a copy");
}

bool TextReader::take_header(std::string_view line) {
  if (line.find(',') == std::string_view::npos) refuse_semicolons(line, name_, lines_.place());
  const LookAlike other = look_alike(line);
  if (!other.what.empty()) refuse(other.what, other.cure);
  const auto layout = layout_of_header(line);
  if (!layout) {
    const std::string problem = problem_of_header(line);
    if (!problem.empty()) refuse(problem, kColumns);
    return false;
  }
  layout_ = *layout;
  has_header_ = true;
  header_ = ascii_lower(line);
  return true;
}

std::string_view TextReader::sample() const {
  for (const std::size_t column : {layout_.sample, layout_.sample_id}) {
    const std::string_view field = column == TextLayout::kNone ? std::string_view() : fields_[column];
    if (!says_unknown(field) && field != "0") return field;
  }
  return {};
}

const SiteRecord* TextReader::next() {
  std::string_view line = first_line_;
  do {
    if (!first_pending_ && !next_line(line)) {
      check_heterozygous();
      return nullptr;
    }
    first_pending_ = false;
  } while (!header_.empty() && ascii_lower(line) == header_);  // joined files repeat the header
  check_interrupt();
  parse(line);
  return &record_;
}

void TextReader::parse(std::string_view line) {
  split_columns(line, layout_, scratch_, fields_);
  if (fields_.size() != layout_.columns) {
    const LookAlike other = look_alike(line);
    if (!other.what.empty()) refuse(other.what, other.cure);
    refuse_semicolons(line, name_, lines_.place());
    refuse(fmt::format("{} columns where {} are expected", fields_.size(), layout_.columns), kColumns);
  }
  record_.number = lines_.number();
  record_.ids = fields_[layout_.id];
  take_chromosome(layout_.chrom == TextLayout::kNone ? "0" : fields_[layout_.chrom]);
  record_.pos = layout_.pos == TextLayout::kNone ? 0 : position_of_field(fields_[layout_.pos]);
  if (layout_.chrom == TextLayout::kNone && layout_.pos == TextLayout::kNone) take_place_from_id();
  if (layout_.genotype != TextLayout::kNone)
    take_genotype(fields_[layout_.genotype]);
  else
    take_alleles();
  if (genotype_.size() == 1 && lines_.ends_within_line())
    refuse("may be cut off: it ends after one letter of a genotype, without a newline",
           "restore it from a copy, or end it with a newline");
  if (layout_.blank_is_absent && genotype_.size() == 1) genotype_ += genotype_;  // homozygous
}

void TextReader::take_chromosome(std::string_view field) {
  if (field == chromosome_ && !record_.chrom.empty()) return;
  chromosome_ = field;
  record_.chrom = normal_chromosome(field);
}

std::uint32_t TextReader::position_of_field(std::string_view field) const {
  if (says_unknown(field)) return 0;
  const auto pos = parse_number<std::uint32_t>(field);
  if (!pos) refuse(fmt::format("position '{}' is not a number", printable(field)), kColumns);
  return *pos;
}

/// Takes the place from an id such as "1:101", where no column has it.
void TextReader::take_place_from_id() {
  const std::string_view id = record_.ids;
  const std::size_t colon = id.find(':');
  const auto pos =
      colon == std::string_view::npos ? std::nullopt : parse_number<std::uint32_t>(id.substr(colon + 1));
  if (!pos || colon == 0) return;
  take_chromosome(id.substr(0, colon));
  record_.pos = *pos;
}

/// Refuses a genotype; the message says whether it has numbers, which some programs write, or other text.
void TextReader::refuse_letters(std::string_view field) const {
  if (field.find_first_not_of("01234") == std::string_view::npos)
    refuse("alleles are coded as numbers, which do not say what bases they are",
           "write letters of A, C, G, T");
  refuse("the genotype is not letters of A, C, G, T",  // never shown: messages reveal nothing of a profile
         "write two letters, or -- for no call");
}

void TextReader::take_genotype(std::string_view field) {
  genotype_ = field == "NA" ? "--" : field;
  std::erase_if(genotype_, [](char c) { return c == '/' || c == '|'; });  // some write A/G
  if (!are_genotype_letters(genotype_)) refuse_letters(field);
}

bool TextReader::has_heights() const {
  return !layout_.alleles.empty() && layout_.alleles.front().height != TextLayout::kNone;
}

/// Reads columns of alleles. Where they have heights or reads, these say which alleles were seen.
void TextReader::take_alleles() {
  genotype_.clear();
  take_signals();
  if (layout_.reads != TextLayout::kNone && number_of(fields_[layout_.reads]) == 0) return;
  const double least = has_heights() ? least_height() : 0;
  for (const auto& [allele, height] : layout_.alleles) {
    if (height != TextLayout::kNone && number_of(fields_[height]) < least) continue;
    const std::string_view field = fields_[allele];
    if (!layout_.blank_is_absent || !(field.empty() || field == "NA")) genotype_ += allele_of(field);
  }
  called_sites_ += genotype_.find_first_of("ACGTacgt") != std::string::npos;
  heterozygous_sites_ += fastid::imports::has_two_bases(genotype_);
}

void TextReader::take_signals() {
  signals_.clear();
  if (!options_.signals || !has_heights()) return;
  for (const auto& [allele, height] : layout_.alleles) {
    const double number = number_of(fields_[height]);
    if (number > 0) signals_.push_back({allele_of(fields_[allele]), number});
  }
}

/// The least height at which an allele of the current line is seen: any above 0, or, by
/// ReaderOptions::depths, a share of the sum of the heights. No allele is seen where the site has too few
/// reads.
double TextReader::least_height() const {
  if (!options_.depths) return std::numeric_limits<double>::denorm_min();
  double total = 0;
  for (const auto& column : layout_.alleles) total += number_of(fields_[column.height]);
  return options_.depths->least_reads(total);
}

/// A height or a number of reads; 0 where there is none. \throws InputError where it is not a number
double TextReader::number_of(std::string_view height) const {
  if (says_unknown(height)) return 0;
  const auto number = parse_number<double>(height);
  if (!number || !(*number >= 0))
    refuse(fmt::format("height '{}' is {}", printable(height), number ? "below 0" : "not a number"),
           "write 0 for an allele that was not seen");
  return *number;
}

/// A list of the possible alleles of sites looks like a table of genotypes that are all heterozygous.
void TextReader::check_heterozygous() const {
  if (has_heights() || called_sites_ < kFewestToJudge || heterozygous_sites_ < called_sites_) return;
  throw InputError(
      name_, "",
      fmt::format("reads as heterozygous at all of its {} sites: it lists the alleles that sites may "
                  "have, not those that were seen",
                  with_commas(called_sites_)),
      "give the alleles of one person or stain, or columns of heights (Height.1, Height.2 ...) or "
      "reads (Reads.1, Reads.2 ...)");
}

char TextReader::allele_of(std::string_view field) const {
  const auto letter = letter_of_allele(field);
  if (!letter) refuse_letters(field);
  return *letter;
}

std::vector<std::string> TextReader::warnings() const {
  if (!options_.depths || has_heights()) return {};
  return {fmt::format("{}: says nothing of reads: --min-reads and --min-share do not apply to it", name_)};
}

}  // namespace fastid::imports
