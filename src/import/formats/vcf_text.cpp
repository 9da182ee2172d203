// VCF as text, a line per record: CHROM POS ID REF ALT QUAL FILTER INFO FORMAT, then a column per sample.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "import/formats/spelled_alleles.hpp"
#include "import/formats/variant_file.hpp"
#include "import/formats/vcf_header.hpp"
#include "import/io/line_reader.hpp"
#include "import/match/file_alleles.hpp"
#include "import/match/genotype_scan.hpp"

namespace fastid::imports {
namespace {

constexpr std::size_t kMostHeaderBytes = std::size_t{1} << 28;  // a million samples have names of 20 MB
constexpr std::uint64_t kMostHeaderLines = 100'000;             // htslib takes a second for so many contigs
constexpr std::size_t kLineBytes = std::size_t{1} << 24;        // of a record without its samples
constexpr std::size_t kLineBytesOfSample = 4096;
constexpr std::size_t kFixedColumns = 9;
constexpr std::size_t kMostAlleles = 1 << 16;
constexpr std::size_t kMostAllelesWithDepths = 256;  // no SNP has as many; depths take memory
enum Column : std::size_t { kChrom, kPos, kId, kRef, kAlt, kQual, kFilter, kInfo, kFormat };

/// The value of `key` in an INFO column; "" where it has none.
std::string_view info_value(std::string_view info, std::string_view key) {
  for (std::size_t at = info.find(key); at != std::string_view::npos; at = info.find(key, at + 1)) {
    const bool begins = at == 0 || info[at - 1] == ';';
    const std::size_t after = at + key.size();
    if (!begins || after >= info.size() || info[after] != '=') continue;
    const std::string_view rest = info.substr(after + 1);
    return rest.substr(0, rest.find(';'));
  }
  return {};
}

/// The piece number `n` of `text` between `separator`s; "" where there are fewer.
std::string_view piece_of(std::string_view text, char separator, std::size_t n) {
  for (; n > 0; --n) {
    const std::size_t end = text.find(separator);
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find(separator));
}

/// "0", "0.0".
bool is_zero(std::string_view text) {
  return text.starts_with('0') && text.find_first_not_of("0.") == std::string_view::npos;
}

class VcfText final : public VariantFile {
 public:
  VcfText(const Source& source, std::size_t threads) : VariantFile(source), lines_(source, threads) {
    lines_.set_longest_line(kMostHeaderBytes);
    std::string header;
    std::string_view line;
    while (lines_.next(line) && line.starts_with("#")) {
      header.append(line).append("\n");
      if (header.size() > kMostHeaderBytes || lines_.number() > kMostHeaderLines)
        throw InputError(name_, lines_.place(), "the header does not end", "is it the right file?");
      if (line.starts_with("#CHROM")) break;
    }
    if (!line.starts_with("#CHROM")) hts::refuse_header(source);
    take_header(source, std::move(header));
    lines_.set_longest_line(kLineBytes + samples_.size() * kLineBytesOfSample);
  }

  bool next(SiteRecord& record) override {
    do {
      if (!lines_.next(line_)) return false;
    } while (trim(line_).empty());
    ++record.number;
    if (!split_columns()) refuse_record(record);
    const auto pos = parse_number<std::int64_t>(columns_[kPos]);
    if (!pos || *pos < 0) refuse_record(record);
    take_chromosome(columns_[kChrom], record);
    record.ids = columns_[kId];
    record.pos = position_of(*pos);
    take_alleles(record);
    const auto end = is_reference_block(record.alleles)
                         ? parse_number<std::int64_t>(info_value(columns_[kInfo], "END"))
                         : std::nullopt;
    record.block_end = end && *end > *pos ? position_of(*end) : 0;
    take_span(record);
    record_ = &record;
    return true;
  }

  void genotypes(Genotypes& into) override {
    into.packed = false;
    into.any_unfounded = false;
    const Format& fields = format();
    into.present = fields.genotype != kNone;
    if (!into.present) return;
    const bool alone = fields.text.size() == 2;
    if (alone && !into.in_order && scan_text_genotypes(samples_text_, samples_.size(), into.row))
      into.packed = into.row_fits(record_->alleles.size());
    if (into.packed) return;
    into.alleles.reset(samples_.size(), 2);
    into.unfounded.clear();
    into.unphased.clear();
    for_each_sample([&](std::size_t sample, std::string_view column) {
      const std::string_view genotype = piece_of(column, ':', fields.genotype);
      take_genotype(sample, genotype, into.alleles);
      if (into.in_order && genotype.find('/', 1) != std::string_view::npos) into.unphased.set(sample);
      if (!lacks_evidence(column, fields.evidence)) return;
      into.unfounded.set(sample);
      into.any_unfounded = true;
    });
  }

  bool numbers(SampleField field, SampleNumbers& into) override {
    const std::size_t at = place_of(tag_of(field));
    if (at == kNone || record_->alleles.size() > kMostAllelesWithDepths) return false;
    into.reset(samples_.size(), field == SampleField::kAlleleDepths ? record_->alleles.size() : 1);
    for_each_sample([&](std::size_t sample, std::string_view column) {
      std::string_view text = piece_of(column, ':', at);
      std::int32_t* to = into.values.data() + sample * into.width;
      for (std::size_t i = 0; i < into.width && !text.empty(); ++i) {
        const std::size_t end = std::min(text.find(','), text.size());
        to[i] = parse_number<std::int32_t>(text.substr(0, end)).value_or(SampleNumbers::kMissing);
        if (to[i] < 0) to[i] = SampleNumbers::kMissing;
        text.remove_prefix(std::min(end + 1, text.size()));
      }
    });
    return true;
  }

  bool reals(std::string_view tag, std::size_t most, SampleReals& into) override {
    const std::size_t at = place_of(tag);
    if (at == kNone) return false;
    into.reset(samples_.size(), most);
    for_each_sample([&](std::size_t sample, std::string_view column) {
      std::string_view text = piece_of(column, ':', at);
      for (std::size_t i = 0; i < most && !text.empty(); ++i) {
        const std::size_t end = std::min(text.find(','), text.size());
        if (const auto number = parse_number<double>(text.substr(0, end)))
          into.values[sample * most + i] = static_cast<float>(*number);
        text.remove_prefix(std::min(end + 1, text.size()));
      }
    });
    return true;
  }

 private:
  static constexpr std::size_t kNone = SIZE_MAX;

  /// The places of fields by the FORMAT column, kept because most records have the same column as the record
  /// before.
  struct Format {
    std::string text;
    std::size_t genotype = kNone;
    std::vector<std::size_t> evidence;  ///< in order
  };

  const Format& format() {
    if (columns_[kFormat] == format_.text) return format_;
    format_ = {std::string(columns_[kFormat]), place_of("GT"), {}};
    const auto tags = split(columns_[kFormat], ':');
    for (std::size_t i = 0; i < tags.size(); ++i)
      if (std::ranges::find(kEvidenceTags, tags[i]) != kEvidenceTags.end()) format_.evidence.push_back(i);
    return format_;
  }

  /// Checks one sample's column, letter by letter, because fields are short.
  static bool lacks_evidence(std::string_view column, const std::vector<std::size_t>& places) {
    std::size_t at = 0, letter = 0;
    for (const std::size_t place : places) {
      for (; at < place; ++at) {
        while (letter < column.size() && column[letter] != ':') ++letter;
        if (letter == column.size()) return false;
        ++letter;
      }
      const std::string_view rest = column.substr(letter);
      if (rest.starts_with('0') && is_zero(rest.substr(0, rest.find(':')))) return true;
    }
    return false;
  }

  /// Splits off the fixed columns; false where a column is missing or there are too many.
  bool split_columns() {
    if (std::memchr(line_.data(), '\0', line_.size()) != nullptr) return false;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < kFixedColumns; ++i) {
      const std::size_t end = line_.find('\t', begin);
      if (end == std::string_view::npos) return false;
      columns_[i] = line_.substr(begin, end - begin);
      begin = end + 1;
    }
    samples_text_ = line_.substr(begin - 1);  // with the tab before the first
    return count_letter(samples_text_, '\t') == samples_.size();
  }

  void take_chromosome(std::string_view name, SiteRecord& record) {
    if (name == chromosome_text_ && !record.chrom.empty()) return;
    chromosome_text_ = name;
    record.chrom = normal_chromosome(name);
  }

  void take_alleles(SiteRecord& record) const {
    record.alleles.clear();
    record.alleles.push_back(file_allele(columns_[kRef]));
    std::string_view rest = columns_[kAlt];
    if (rest == ".") return;
    for (;;) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      record.alleles.push_back(file_allele(rest.substr(0, end)));
      if (record.alleles.size() > kMostAlleles) refuse_record(record);
      if (end == rest.size()) return;
      rest.remove_prefix(end + 1);
    }
  }

  void take_span(SiteRecord& record) {
    record.span_end = 0;
    record.spelled.clear();
    if (record.block_end != 0 || !may_span(columns_[kRef], columns_[kAlt])) return;
    texts_.assign(1, columns_[kRef]);
    for (std::string_view rest = columns_[kAlt]; texts_.size() < record.alleles.size();) {
      const std::size_t end = std::min(rest.find(','), rest.size());
      texts_.push_back(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    spell_alleles(texts_, deleted_end(record), record);
  }

  /// Last position of a deletion by symbol: END, else by the largest of SVLEN; 0 where neither is stated.
  std::uint32_t deleted_end(const SiteRecord& record) const {
    if (const auto end = parse_number<std::int64_t>(info_value(columns_[kInfo], "END")))
      return position_of(*end);
    std::int64_t length = 0;
    for (const std::string_view text : split(info_value(columns_[kInfo], "SVLEN"), ','))
      if (const auto number = parse_number<std::int32_t>(text))
        length = std::max(length, std::abs(std::int64_t{*number}));
    return length == 0 ? 0 : position_of(record.pos + length);
  }

  /// Place of `tag` in the FORMAT column.
  std::size_t place_of(std::string_view tag) const {
    const auto tags = split(columns_[kFormat], ':');
    const auto found = std::ranges::find(tags, tag);
    return found == tags.end() ? kNone : static_cast<std::size_t>(found - tags.begin());
  }

  template <class Take>
  void for_each_sample(const Take& take) const {
    std::string_view rest = samples_text_;
    for (std::size_t sample = 0; sample < samples_.size(); ++sample) {
      rest.remove_prefix(1);
      const std::size_t end = std::min(rest.find('\t'), rest.size());
      take(sample, rest.substr(0, end));
      rest.remove_prefix(end);
    }
  }

  /// Whether the text is a pair such as "0/1", with alleles that the record has.
  bool is_pair(std::string_view text) const {
    const auto has = [&](char c) {
      return c >= '0' && c <= '9' && static_cast<std::size_t>(c - '0') < record_->alleles.size();
    };
    return text.size() == 3 && has(text[0]) && has(text[2]) && (text[1] == '/' || text[1] == '|');
  }

  /// "0/1", "1|.", "2", "|0|1", "" (a column that ends before GT).
  void take_genotype(std::size_t sample, std::string_view text, SampleNumbers& into) const {
    if (is_pair(text)) {  // most are
      put(sample, 0, text[0] - '0', into);
      put(sample, 1, text[2] - '0', into);
      return;
    }
    if (text.empty()) text = ".";
    if (text.size() > 1 && (text.front() == '/' || text.front() == '|'))
      text.remove_prefix(1);  // phase, VCF 4.4
    std::size_t n = 0;
    for (;; ++n) {
      const std::size_t end = std::min(text.find_first_of("/|"), text.size());
      const std::string_view allele = text.substr(0, end);
      const auto number = parse_number<std::int32_t>(allele);
      if (!number && allele != ".") refuse_genotype(*record_, sample, "cannot be understood");
      if (number && (*number < 0 || static_cast<std::size_t>(*number) >= record_->alleles.size()))
        refuse_missing_allele(*record_, sample);
      put(sample, n, number.value_or(SampleNumbers::kMissing), into);
      if (end == text.size()) return;
      text.remove_prefix(end + 1);
    }
  }

  /// Widens all rows where a sample has more alleles than any before it.
  void put(std::size_t sample, std::size_t n, std::int32_t value, SampleNumbers& into) const {
    if (n >= kMostPloidy) refuse_genotype(*record_, sample, "has more alleles than any genome");
    if (n == into.width) {
      SampleNumbers wider;
      wider.reset(samples_.size(), 2 * into.width);
      for (std::size_t i = 0; i < samples_.size(); ++i)
        std::ranges::copy_n(into.values.begin() + static_cast<std::ptrdiff_t>(i * into.width),
                            static_cast<std::ptrdiff_t>(into.width),
                            wider.values.begin() + static_cast<std::ptrdiff_t>(i * wider.width));
      into = std::move(wider);
    }
    into.values[sample * into.width + n] = value;
  }

  static constexpr std::size_t kMostPloidy = 64;
  LineReader lines_;
  std::string_view line_;
  std::array<std::string_view, kFixedColumns> columns_;
  std::string_view samples_text_;
  std::string chromosome_text_;
  Format format_;
  std::vector<std::string_view> texts_;  ///< of the alleles of a record that may speak for several positions
  const SiteRecord* record_ = nullptr;
};

}  // namespace

std::unique_ptr<VariantFile> open_vcf_text(const Source& source, std::size_t threads) {
  return std::make_unique<VcfText>(source, threads);
}

}  // namespace fastid::imports
