#include "cli/output_format.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/text.hpp"
#include "import/text_output.hpp"

namespace fastid::cli {

std::string_view word_of_suffix(const std::string& output) {
  struct Suffix {
    std::string_view suffix, word;
  };
  constexpr Suffix kSuffixes[] = {
      {".html", "html"},    {".htm", "html"},  {".json", "json"}, {".jsonl", "jsonl"},
      {".ndjson", "jsonl"}, {".tsv", "tsv"},   {".csv", "csv"},   {".vcf", "vcf"},
      {".bcf", "bcf"},      {".snp", "snp"},   {".bed", "bed"},   {".h5", "hdf5"},
      {".hdf5", "hdf5"},    {".npy", "npy"},   {".svg", "svg"},   {".parquet", "parquet"},
      {".xlsx", "xlsx"},    {".pdf", "pdf"},   {".bam", "bam"},   {".bai", "bai"},
      {".cram", "cram"},    {".crai", "crai"}, {".fai", "fai"},   {".tbi", "tbi"},
      {".csi", "csi"},      {".u8", "bytes"}};
  const std::string name = imports::name_of_text(output);
  for (const auto& [suffix, word] : kSuffixes)
    if (name.ends_with(suffix)) return word;
  return "";
}

void refuse_suffix(const std::string& option, const std::string& path,
                   const std::vector<std::string>& words) {
  throw UsageError(fmt::format("{} {}: {} is none of this {}'s formats ({}); name another file", option,
                               printable(path), word_of_suffix(path), option == "-o" ? "command" : "option",
                               fmt::join(words, ", ")));
}

void check_suffix(const std::string& option, const std::string& path, const std::string& word) {
  const std::string_view asked = word_of_suffix(path);
  if (!asked.empty() && asked != word) refuse_suffix(option, path, {word});
}

void refuse_idle_options(Command command, const std::vector<std::string_view>& formats,
                         const std::vector<FormatOption>& options) {
  for (const FormatOption& option : options) {
    const bool heeded = std::ranges::any_of(formats, [&](std::string_view format) {
      return std::ranges::find(option.formats, format) != option.formats.end();
    });
    if (!heeded && command.option(std::string(option.name)).is_named())
      throw UsageError(fmt::format("{}: is for {} alone; leave it out, or give --format {}", option.name,
                                   fmt::join(option.formats, " and "), option.formats.front()));
  }
}

Option add_output_file(Command command, std::string& output) {
  return command
      .add_option("-o,--output", output,
                  "Write here instead of standard output, in bgzip where it ends in .gz; appears whole or "
                  "not at all")
      .value_name("FILE")
      .brief("Write here instead of standard output");
}

std::string brief_of_formats(const std::vector<std::string>& words) {
  return fmt::format("{}; or by -o's suffix", fmt::join(words, ", "));
}

}  // namespace fastid::cli
