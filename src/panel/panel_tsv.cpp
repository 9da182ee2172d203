// The panel as a text that people can edit: one line for each site, one column for each population.
#include "panel/internal/panel_tsv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/semicolons.hpp"
#include "base/text.hpp"
#include "panel/panel.hpp"

namespace fastid {
namespace {

using Columns = std::vector<std::string_view>;

const Columns kColumns = {"id", "chrom", "pos", "major", "minor"};
const Columns kColumnsOfTwo = {"id", "chrom", "pos_GRCh37", "pos_GRCh38", "major", "minor"};
constexpr std::uint64_t kMostBytes = std::uint64_t{8} << 30;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
constexpr std::string_view kHeaderCure = "begin with a header line of tab-separated id chrom pos major minor";

/// Parses the lines of a panel one by one.
class Parser {
 public:
  Parser(const std::string& path, GenomeBuild wanted) : path_(path), wanted_(wanted) {}

  void take(std::string_view line) {
    ++number_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with('#')) return take_comment(line.substr(1));
    if (trim(line).empty()) return;
    const auto fields = split(line, '\t');
    if (seen_header_)
      take_site(fields);
    else
      take_header(line, fields);
  }

  Panel finish() && {
    if (!seen_header_) throw InputError(path_, "", "is empty, or all comments", kHeaderCure);
    return Panel(std::move(sites_), std::move(populations_), build_, path_);
  }

 private:
  [[noreturn]] void refuse(std::string_view problem, std::string_view cure) const {
    throw InputError(path_, fmt::format("line {}", number_), problem, cure);
  }

  void take_comment(std::string_view comment) {
    const auto words = split_blanks(trim(comment));
    if (words.size() != 2 || words[0] != "build") return;
    build_ = parse_build(words[1]);
    if (build_ == GenomeBuild::kUnknown && words[1] != "unknown")
      refuse(fmt::format("build '{}' is not known", printable(words[1])), "write NCBI36, GRCh37 or GRCh38");
  }

  void take_header(std::string_view line, const std::vector<std::string_view>& fields) {
    const auto begins_with = [&](const Columns& columns) {
      return fields.size() >= columns.size() &&
             std::ranges::equal(columns, std::span(fields).first(columns.size()));
    };
    of_two_ = begins_with(kColumnsOfTwo);
    if (!of_two_ && !begins_with(kColumns)) {
      refuse_semicolons(line, path_, fmt::format("line {}", number_));
      if (line.find("HDF") != std::string_view::npos && line.starts_with('\x89'))
        throw InputError(path_, "", "is an HDF5 file, not a panel",
                         "`fastid db export DB --what panel` writes the panel of a database");
      refuse("is not the header of a panel", kHeaderCure);
    }
    if (of_two_ && build_ != GenomeBuild::kUnknown)
      refuse("has the positions of two builds below a line #build of one", "remove that line");
    if (of_two_) build_ = wanted_;
    if (fields.size() - columns().size() > kMostPanelPopulations)
      refuse(fmt::format("has {} columns of frequencies", with_commas(fields.size() - columns().size())),
             fmt::format("leave some out: fastid takes at most {}", with_commas(kMostPanelPopulations)));
    for (const std::string_view name : std::span(fields).subspan(columns().size())) {
      if (name == "all") refuse("a population cannot be named 'all', which means all of them", "rename it");
      populations_.push_back({std::string(name), {}});
    }
    seen_header_ = true;
  }

  void take_site(const std::vector<std::string_view>& fields) {
    const std::size_t first = columns().size(), all = first + populations_.size();
    if (fields.size() != all)
      refuse(fmt::format("{} columns where the header has {}", fields.size(), all), "mend the line");
    sites_.push_back({std::string(fields[0]), normal_chromosome(fields[1]), position(fields),
                      allele(fields[first - 2]), allele(fields[first - 1])});
    for (std::size_t p = 0; p < populations_.size(); ++p)
      populations_[p].minor_freq.push_back(frequency(fields[first + p]));
  }

  const Columns& columns() const { return of_two_ ? kColumnsOfTwo : kColumns; }

  /// The position in the wanted build; the positions in both builds must be numbers.
  std::uint32_t position(const std::vector<std::string_view>& fields) const {
    std::uint32_t wanted = 0;
    for (std::size_t i = 2; i < columns().size() - 2; ++i) {
      const auto pos = parse_number<std::uint32_t>(fields[i]);
      if (!pos)
        refuse(fmt::format("position '{}' is not a number", printable(fields[i])), "write 0 for unknown");
      if (!of_two_ || (i == 3) == (wanted_ == GenomeBuild::kGRCh38)) wanted = *pos;
    }
    return wanted;
  }

  char allele(std::string_view field) const {
    const std::string upper = ascii_upper(field);
    if (upper.size() != 1 || complement(upper[0]) == 0)
      refuse(fmt::format("allele '{}' is not one of A, C, G, T", printable(field)),
             "a panel holds biallelic SNPs only: leave the site out");
    return upper[0];
  }

  double frequency(std::string_view field) const {
    const auto value = parse_number<double>(field);
    if (!value || !(*value >= 0 && *value <= 1))
      refuse(fmt::format("frequency '{}' is not a number between 0 and 1", printable(field)),
             "fill it in or leave the site or the column out");
    return *value;
  }

  const std::string& path_;
  GenomeBuild wanted_;
  bool of_two_ = false;  ///< the text has the positions of two builds
  std::uint64_t number_ = 0;
  bool seen_header_ = false;
  GenomeBuild build_ = GenomeBuild::kUnknown;
  std::vector<Site> sites_;
  std::vector<Population> populations_;
};

}  // namespace

Panel read_panel_tsv(const std::string& path, GenomeBuild build) {
  return parse_panel_tsv(without_encoding_mark(read_whole_file(path, kMostBytes), path), path, build);
}

Panel parse_panel_tsv(std::string_view rest, const std::string& source, GenomeBuild build) {
  if (rest.starts_with(kByteOrderMark)) rest.remove_prefix(kByteOrderMark.size());
  Parser parser(source, build);
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    parser.take(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return std::move(parser).finish();
}

std::string write_panel_tsv(const Panel& panel) {
  std::string text = fmt::format("#build {}\n{}", name_of(panel.build()), fmt::join(kColumns, "\t"));
  for (const Population& population : panel.populations()) text += "\t" + population.name;
  text += '\n';
  for (std::uint32_t s = 0; s < panel.n_sites(); ++s) {
    const Site& site = panel.sites()[s];
    fmt::format_to(std::back_inserter(text), "{}\t{}\t{}\t{}\t{}", site.id, site.chrom, site.pos, site.major,
                   site.minor);
    for (const Population& population : panel.populations())
      fmt::format_to(std::back_inserter(text), "\t{}", population.minor_freq[s]);
    text += '\n';
  }
  return text;
}

}  // namespace fastid
