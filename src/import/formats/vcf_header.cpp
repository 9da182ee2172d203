#include "import/formats/vcf_header.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <unordered_set>

#include "base/error.hpp"
#include "base/semicolons.hpp"
#include "base/text.hpp"
#include "import/io/line_reader.hpp"

namespace fastid::imports::hts {
namespace {

constexpr std::size_t kFixedColumns = 9;  ///< #CHROM to FORMAT; samples follow

/// The text of `key` in a header line such as ##contig=<ID=1,length=249250621>; "" where it has none.
std::string_view value_of(const bcf_hrec_t* line, const char* key) {
  const int at = bcf_hrec_find_key(const_cast<bcf_hrec_t*>(line), key);
  if (at < 0 || line->vals[at] == nullptr) return {};
  std::string_view value = line->vals[at];
  if (value.size() >= 2 && value.front() == '"' && value.back() == '"')
    value = value.substr(1, value.size() - 2);
  return value;
}

void refuse_second_sample(const Source& source, std::string_view columns, const std::string& place) {
  std::unordered_set<std::string_view> seen;
  const auto names = split(columns, '\t');
  for (std::size_t i = kFixedColumns; i < names.size(); ++i)
    if (!seen.insert(names[i]).second)
      throw InputError(source.name(), place, fmt::format("two samples are called '{}'", printable(names[i])),
                       "rename one, for example with bcftools reheader --samples");
}

}  // namespace

GenomeBuild build_of_header(const bcf_hdr_t* header) {
  GenomeBuild named = GenomeBuild::kUnknown;
  for (int i = 0; i < header->nhrec; ++i) {
    const bcf_hrec_t* line = header->hrec[i];
    const std::string_view key = line->key == nullptr ? "" : line->key;
    GenomeBuild build = GenomeBuild::kUnknown;
    if (key == "contig") {
      const auto length = parse_number<std::uint64_t>(value_of(line, "length"));
      const GenomeBuild measured =
          build_of_length(normal_chromosome(value_of(line, "ID")), length.value_or(0));
      if (measured != GenomeBuild::kUnknown) return measured;
      build = build_of_accession(value_of(line, "ID"));
      if (build != GenomeBuild::kUnknown) return build;
      build = parse_build(value_of(line, "assembly"));
    } else if (key == "reference" && line->value != nullptr) {
      build = parse_build(line->value);
    }
    if (named == GenomeBuild::kUnknown) named = build;
  }
  return named;
}

void refuse_header(const Source& source) {
  LineReader lines(source);
  std::string_view line;
  while (lines.next(line) && line.starts_with('#'))
    if (line.starts_with("#CHROM")) {
      refuse_semicolons(line, source.name(), lines.place());
      refuse_second_sample(source, line, lines.place());
    }
  throw InputError(source.name(), "header", "cannot be read: it is malformed or truncated",
                   "check it with bcftools view --header-only");
}

}  // namespace fastid::imports::hts
