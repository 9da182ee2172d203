// Names of assemblies and chromosomes, as files spell them.
#include <algorithm>
#include <array>
#include <utility>

#include "base/text.hpp"
#include "panel/panel.hpp"

namespace fastid {
namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return c >= 'a' && c <= 'z';
}

/// The build that "hg" or one of the other prefixes and a number stand for.
GenomeBuild build_of(std::string_view prefix, std::string_view number) {
  using enum GenomeBuild;
  constexpr std::array<std::pair<std::string_view, GenomeBuild>, 3> kUcsc = {
      {{"18", kNCBI36}, {"19", kGRCh37}, {"38", kGRCh38}}};
  constexpr std::array<std::pair<std::string_view, GenomeBuild>, 3> kNcbi = {
      {{"36", kNCBI36}, {"37", kGRCh37}, {"38", kGRCh38}}};
  constexpr std::array<std::string_view, 6> kNcbiPrefixes = {"ncbi", "grch", "build", "b", "hs", "g1k_v"};
  const bool ncbi = std::ranges::find(kNcbiPrefixes, prefix) != kNcbiPrefixes.end();
  if (!ncbi && prefix != "hg") return kUnknown;
  for (const auto& [text, build] : ncbi ? kNcbi : kUcsc)
    if (text == number) return build;
  return kUnknown;
}

/// The word before position `end` of `text`: the letters right before it, or before blanks and the like where
/// the word is spelt out ("build 37", "NCBI_36").
std::string_view word_before(std::string_view text, std::size_t end) {
  std::size_t last = end;
  while (last > 0 && std::string_view(" _-.:=").find(text[last - 1]) != std::string_view::npos) --last;
  std::size_t first = last;
  while (first > 0 && is_letter(text[first - 1])) --first;
  const std::string_view word = text.substr(first, last - first);
  if (word == "v" && text.substr(0, last).ends_with("g1k_v")) return "g1k_v";
  const bool touches = last == end;
  return touches || word == "build" || word == "ncbi" || word == "grch" ? word : std::string_view{};
}

/// Lengths of chromosomes 1 to 22, X and Y.
using Lengths = std::array<std::uint32_t, 24>;
constexpr std::array<std::pair<GenomeBuild, Lengths>, 3> kLengths = {{
    {GenomeBuild::kNCBI36,
     {247'249'719, 242'951'149, 199'501'827, 191'273'063, 180'857'866, 170'899'992, 158'821'424, 146'274'826,
      140'273'252, 135'374'737, 134'452'384, 132'349'534, 114'142'980, 106'368'585, 100'338'915, 88'827'254,
      78'774'742,  76'117'153,  63'811'651,  62'435'964,  46'944'323,  49'691'432,  154'913'754, 57'772'954}},
    {GenomeBuild::kGRCh37,
     {249'250'621, 243'199'373, 198'022'430, 191'154'276, 180'915'260, 171'115'067, 159'138'663, 146'364'022,
      141'213'431, 135'534'747, 135'006'516, 133'851'895, 115'169'878, 107'349'540, 102'531'392, 90'354'753,
      81'195'210,  78'077'248,  59'128'983,  63'025'520,  48'129'895,  51'304'566,  155'270'560, 59'373'566}},
    {GenomeBuild::kGRCh38,
     {248'956'422, 242'193'529, 198'295'559, 190'214'555, 181'538'259, 170'805'979, 159'345'973, 145'138'636,
      138'394'717, 133'797'422, 135'086'622, 133'275'309, 114'364'328, 107'043'718, 101'991'189, 90'338'345,
      83'257'441,  80'373'285,  58'617'616,  64'444'167,  46'709'983,  50'818'468,  156'040'895, 57'227'415}},
}};

constexpr std::array<std::string_view, 25> kNumbers = {"1",  "2",  "3",  "4",  "5",  "6",  "7",  "8",  "9",
                                                       "10", "11", "12", "13", "14", "15", "16", "17", "18",
                                                       "19", "20", "21", "22", "23", "24", "26"};

/// 1 to 24 for NC_000001.11 and CM000663.2 to NC_000024.10 and CM000686.2, 25 for the mitochondrion; 0 for
/// other names.
unsigned number_of_accession(std::string_view upper) {
  constexpr unsigned kChromosomes = 24, kMitochondrion = 25, kFirstOfGenBank = 663;
  const std::size_t dot = upper.find('.');
  const std::string_view accession = upper.substr(0, dot);
  if (dot != std::string_view::npos && !parse_number<unsigned>(upper.substr(dot + 1))) return 0;
  if (accession == "NC_012920" || accession == "J01415") return kMitochondrion;
  const auto numbered = [&](std::string_view prefix, unsigned first) -> unsigned {
    if (!accession.starts_with(prefix) || accession.size() != prefix.size() + 3) return 0;
    const unsigned number = parse_number<unsigned>(accession.substr(prefix.size())).value_or(0);
    return number >= first && number < first + kChromosomes ? number - first + 1 : 0;
  };
  return std::max(numbered("NC_000", 1), numbered("CM000", kFirstOfGenBank));
}

}  // namespace

std::string_view name_of(GenomeBuild build) {
  switch (build) {
    case GenomeBuild::kNCBI36:
      return "NCBI36";
    case GenomeBuild::kGRCh37:
      return "GRCh37";
    case GenomeBuild::kGRCh38:
      return "GRCh38";
    case GenomeBuild::kUnknown:
      break;
  }
  return "unknown";
}

GenomeBuild parse_build(std::string_view given) {
  const std::string text = ascii_lower(trim(given));
  if (text == "36" || text == "37" || text == "38") return build_of("b", text);
  GenomeBuild found = GenomeBuild::kUnknown;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t begin = at;
    while (at < text.size() && is_digit(text[at])) ++at;
    if (at == begin) {
      ++at;
      continue;
    }
    const std::string_view number = std::string_view(text).substr(begin, at - begin);
    const GenomeBuild build = build_of(word_before(text, begin), number);
    if (build == GenomeBuild::kUnknown) continue;
    // The text names two builds.
    if (found != GenomeBuild::kUnknown && found != build) return GenomeBuild::kUnknown;
    found = build;
  }
  return found;
}

GenomeBuild build_of_length(std::string_view chrom, std::uint64_t bases) {
  const unsigned number = chrom == "X" ? 23 : chrom == "Y" ? 24 : parse_number<unsigned>(chrom).value_or(0);
  if (number == 0 || number > kLengths.front().second.size()) return GenomeBuild::kUnknown;
  for (const auto& [build, lengths] : kLengths)
    if (lengths[number - 1] == bases) return build;
  return GenomeBuild::kUnknown;
}

GenomeBuild build_of_accession(std::string_view name) {
  const std::string upper = ascii_upper(name);
  if (upper == "NC_000001.9") return GenomeBuild::kNCBI36;
  if (upper == "NC_000001.10" || upper == "CM000663.1") return GenomeBuild::kGRCh37;
  if (upper == "NC_000001.11" || upper == "CM000663.2") return GenomeBuild::kGRCh38;
  return GenomeBuild::kUnknown;
}

std::string normal_chromosome(std::string_view chromosome) {
  const std::string upper = ascii_upper(chromosome);
  std::string_view name = upper;
  while (name.starts_with("CHR")) name.remove_prefix(3);
  if (const unsigned number = number_of_accession(name); number > 0) name = kNumbers[number - 1];
  if (name.empty() || name == "." || name == "-" || name == "--" || name == "NA") return "0";
  if (name == "MT" || name == "26") return "M";
  if (name == "23") return "X";
  if (name == "24") return "Y";
  if (name == "25" || name == "XY") return "PAR";
  return std::string(name);
}

char complement(char allele) {
  switch (allele) {
    case 'A':
      return 'T';
    case 'T':
      return 'A';
    case 'C':
      return 'G';
    case 'G':
      return 'C';
    default:
      return 0;
  }
}

}  // namespace fastid
