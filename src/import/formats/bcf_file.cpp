// BCF 2: the binary form of a VCF.
//
//   "BCF" 2 1|2, u32 length, header text; then for each record
//   u32 shared length, u32 samples' length,
//   shared:   i32 chromosome, i32 position (from 0), i32 length on the reference, f32 quality,
//             u32 alleles << 16 | infos, u32 formats << 24 | samples, id, alleles, filters, infos
//   samples:  for each format its tag (a number of the header's dictionary), a type, each sample's values
//   a value:  a byte, length << 4 | type (15: the length follows as a number), then that many of the type
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "import/formats/spelled_alleles.hpp"
#include "import/formats/variant_file.hpp"
#include "import/formats/vcf_header.hpp"
#include "import/io/byte_stream.hpp"
#include "import/match/file_alleles.hpp"
#include "import/match/genotype_scan.hpp"

namespace fastid::imports {
namespace {

constexpr std::size_t kPiece = std::size_t{1} << 20;
constexpr std::uint32_t kMostHeaderBytes = std::uint32_t{1} << 28;
constexpr std::size_t kMostPloidy = 64;
enum Type : unsigned { kVoid = 0, kInt8 = 1, kInt16 = 2, kInt32 = 3, kFloat = 5, kChar = 7 };

std::size_t size_of(unsigned type) {
  switch (type) {
    case kInt8:
    case kChar:
      return 1;
    case kInt16:
      return 2;
    case kInt32:
    case kFloat:
      return 4;
    default:
      return 0;
  }
}

/// Reads bytes and never past their end: `ok` becomes false instead.
struct Cursor {
  const std::uint8_t* at = nullptr;
  std::size_t left = 0;
  bool ok = true;

  const std::uint8_t* take(std::size_t bytes) {
    if (bytes > left) {
      ok = false;
      left = 0;
      return nullptr;
    }
    const std::uint8_t* begin = at;
    at += bytes;
    left -= bytes;
    return begin;
  }
  template <class T>
  T number() {
    T value{};
    if (const std::uint8_t* from = take(sizeof(T))) std::memcpy(&value, from, sizeof(T));
    return value;
  }
  std::int64_t integer(unsigned type) {
    switch (type) {
      case kInt8:
        return number<std::int8_t>();
      case kInt16:
        return number<std::int16_t>();
      case kInt32:
        return number<std::int32_t>();
      default:
        ok = false;
        return 0;
    }
  }

  struct Shape {
    unsigned type = kVoid;
    std::size_t length = 0;
  };
  /// The shape of the value that follows.
  Shape shape() {
    const unsigned byte = number<std::uint8_t>();
    Shape found{byte & 0xF, byte >> 4};
    if (found.length == 15) {
      const unsigned next = number<std::uint8_t>();
      const std::int64_t length = next >> 4 == 1 ? integer(next & 0xF) : -1;
      if (length < 0) ok = false;
      found.length = length < 0 ? 0 : static_cast<std::size_t>(length);
    }
    if (found.type != kVoid && size_of(found.type) == 0) ok = false;
    return found;
  }
  std::string_view text() {
    const Shape found = shape();
    if (found.length > 0 && found.type != kChar) ok = false;
    const std::uint8_t* from = ok ? take(found.length) : nullptr;
    return from == nullptr ? std::string_view()
                           : std::string_view(reinterpret_cast<const char*>(from), found.length);
  }
};

/// One number of a sample, in the terms of SampleNumbers.
template <class T>
std::int32_t plain_number(T value) {
  if (value == std::numeric_limits<T>::min()) return SampleNumbers::kMissing;
  if (value == std::numeric_limits<T>::min() + 1) return SampleNumbers::kEndOfRow;
  return value < 0 ? SampleNumbers::kMissing : static_cast<std::int32_t>(value);
}

/// Whether a number of `type` stands for no number, or for the end of a row.
bool is_missing(unsigned type, std::int64_t value) {
  const std::int64_t least = type == kInt8 ? INT8_MIN : type == kInt16 ? INT16_MIN : INT32_MIN;
  return value <= least + 1;
}

/// Sets in `who` the samples whose first of `length` values is 0; false where there are none.
template <class T>
bool note_zeros(const std::uint8_t* values, std::size_t length, std::size_t n_samples, SampleBits& who) {
  if (sizeof(T) == 1 && length == 1 && std::memchr(values, 0, n_samples) == nullptr)
    return false;  // the usual case
  bool any = false;
  for (std::size_t sample = 0; sample < n_samples; ++sample) {
    T value;
    std::memcpy(&value, values + sample * length * sizeof(T), sizeof(T));
    if (value != 0) continue;
    who.set(sample);
    any = true;
  }
  return any;
}

class BcfFile final : public VariantFile {
 public:
  BcfFile(const Source& source, std::size_t threads)
      : VariantFile(source), stream_(open_stream(source, threads)) {
    read_header(source);
  }

  bool next(SiteRecord& record) override {
    std::uint32_t sizes[2];
    const std::size_t got = read_fully(*stream_, reinterpret_cast<char*>(sizes), sizeof sizes);
    if (got == 0) return false;
    ++record.number;
    if (got != sizeof sizes || !read_growing(shared_, sizes[0]) || !read_growing(indiv_, sizes[1]))
      refuse_record(record);
    if (!take_shared(record) || !find_formats()) refuse_record(record);
    record_ = &record;
    return true;
  }

  void genotypes(Genotypes& into) override {
    const Format* format = format_of(genotype_tag_);
    note_unfounded(into);
    into.present = format != nullptr && format->shape.length > 0;
    into.packed = false;
    if (!into.present) return;
    if (format->shape.type == kChar || format->shape.type == kFloat)
      throw InputError(name_, fmt_place(), "its genotypes (GT) are not text as the header must say",
                       "re-create the file");
    if (!into.in_order && format->shape.type == kInt8 && format->shape.length == 2 &&
        scan_bcf_genotypes(format->values, samples_.size(), into.row))
      into.packed = into.row_fits(record_->alleles.size());
    if (into.packed) return;
    if (format->shape.length > kMostPloidy) refuse_genotype(*record_, 0, "has more alleles than any genome");
    read_numbers(*format, into.alleles);
    if (into.in_order) note_unphased(into);
    for (std::size_t i = 0; i < into.alleles.values.size(); ++i) check_allele(i, into.alleles);
  }

  bool numbers(SampleField field, SampleNumbers& into) override {
    const Format* format = format_of(number_of(tag_of(field)));
    if (format == nullptr || format->shape.length == 0) return false;
    if (format->shape.type == kChar || format->shape.type == kFloat) return false;
    read_numbers(*format, into);
    return true;
  }

  bool reals(std::string_view tag, std::size_t most, SampleReals& into) override {
    const Format* format = format_of(number_of(tag));
    if (format == nullptr || format->shape.length == 0 || format->shape.type == kChar) return false;
    const std::size_t length = format->shape.length;
    into.reset(samples_.size(), std::min(most, length));
    const auto type = format->shape.type;
    for (std::size_t sample = 0; sample < samples_.size(); ++sample) {
      Cursor cursor{format->values + sample * length * size_of(type), length * size_of(type)};
      for (std::size_t i = 0; i < into.width; ++i) {
        float& value = into.values[sample * into.width + i];
        if (type == kFloat) {
          value = cursor.number<float>();  // missing, and the end of a row, are NaN
        } else if (const std::int64_t number = cursor.integer(type); !is_missing(type, number)) {
          value = static_cast<float>(number);
        }
      }
    }
    return true;
  }

 private:
  struct Format {
    std::int64_t tag = -1;
    Cursor::Shape shape;
    const std::uint8_t* values = nullptr;
  };

  std::string fmt_place() const {
    return "record " + std::to_string(record_->number) + " (" + record_->chrom + ":" +
           std::to_string(record_->pos) + ")";
  }

  void read_header(const Source& source) {
    char magic[5];
    std::uint32_t length = 0;
    const bool begins =
        read_fully(*stream_, magic, sizeof magic) == sizeof magic && std::string_view(magic, 4) == "BCF\2" &&
        (magic[4] == 1 || magic[4] == 2) &&
        read_fully(*stream_, reinterpret_cast<char*>(&length), sizeof length) == sizeof length;
    std::vector<std::uint8_t> text;
    if (!begins || length > kMostHeaderBytes || !read_growing(text, length))
      throw InputError(name_, "header", "cannot be read: it is malformed or truncated",
                       "check it with bcftools view --header-only");
    while (!text.empty() && text.back() == 0) text.pop_back();
    take_header(source, std::string(text.begin(), text.end()));
    genotype_tag_ = number_of("GT");
    length_tag_ = number_of("SVLEN");
    std::ranges::transform(kEvidenceTags, evidence_tags_.begin(),
                           [this](auto tag) { return number_of(tag); });
  }

  /// Allocates memory only as bytes arrive, whatever length the file claims.
  bool read_growing(std::vector<std::uint8_t>& into, std::size_t bytes) {
    into.clear();
    while (into.size() < bytes) {
      const std::size_t before = into.size(), piece = std::min(kPiece, bytes - before);
      into.resize(before + piece);
      if (read_fully(*stream_, reinterpret_cast<char*>(into.data()) + before, piece) != piece) return false;
    }
    return true;
  }

  bool take_shared(SiteRecord& record) {
    Cursor cursor{shared_.data(), shared_.size()};
    const auto chrom = cursor.number<std::int32_t>(), pos = cursor.number<std::int32_t>(),
               length = cursor.number<std::int32_t>();
    cursor.number<float>();
    const auto counts = cursor.number<std::uint32_t>(), sizes = cursor.number<std::uint32_t>();
    n_formats_ = sizes >> 24;
    const std::uint32_t n_samples = sizes & 0xFFFFFF;
    if (!cursor.ok || n_samples != samples_.size() || !take_chromosome(chrom, record)) return false;
    record.pos = position_of(std::int64_t{pos} + 1);
    const std::string_view ids = cursor.text();
    record.ids = ids;
    record.alleles.clear();
    texts_.clear();
    for (std::uint32_t i = 0; i < counts >> 16 && cursor.ok; ++i) {
      texts_.push_back(cursor.text());
      record.alleles.push_back(file_allele(texts_.back()));
    }
    const bool block = is_reference_block(record.alleles) && length > 1;
    record.block_end = block ? position_of(std::int64_t{pos} + length) : 0;
    record.span_end = 0;
    record.spelled.clear();
    if (!cursor.ok || block || texts_.empty()) return cursor.ok;
    std::int64_t end = std::int64_t{pos} + length;
    const auto is_symbol = [](std::string_view text) { return text.starts_with('<'); };
    if (length <= 1 && std::ranges::any_of(texts_, is_symbol))  // older writers let END alone count
      end += longest_variant(cursor, counts & 0xFFFF);
    spell_alleles(texts_, position_of(end), record);
    return cursor.ok;
  }

  /// The largest length in SVLEN, of `n` fields that follow the filters; 0 where there is none.
  std::int64_t longest_variant(Cursor cursor, std::uint32_t n) const {
    std::int64_t longest = 0;
    if (length_tag_ < 0) return longest;
    const Cursor::Shape filters = cursor.shape();
    cursor.take(filters.length * size_of(filters.type));
    for (std::uint32_t i = 0; i < n && cursor.ok; ++i) {
      const Cursor::Shape key = cursor.shape();
      const bool wanted = cursor.integer(key.type) == length_tag_;
      const Cursor::Shape values = cursor.shape();
      if (!wanted || values.type == kChar || values.type == kFloat) {
        cursor.take(values.length * size_of(values.type));
        continue;
      }
      for (std::size_t k = 0; k < values.length && cursor.ok; ++k) {
        const std::int64_t length = cursor.integer(values.type);
        if (!is_missing(values.type, length)) longest = std::max(longest, std::abs(length));
      }
    }
    return longest;
  }

  bool take_chromosome(std::int32_t id, SiteRecord& record) {
    if (id < 0 || id >= header_->n[BCF_DT_CTG] || header_->id[BCF_DT_CTG][id].key == nullptr) return false;
    if (id != chromosome_ || record.chrom.empty())
      record.chrom = normal_chromosome(header_->id[BCF_DT_CTG][id].key);
    chromosome_ = id;
    return true;
  }

  bool find_formats() {
    formats_.clear();
    Cursor cursor{indiv_.data(), indiv_.size()};
    for (std::uint32_t i = 0; i < n_formats_; ++i) {
      const Cursor::Shape key = cursor.shape();
      if (key.length != 1) return false;
      Format format{.tag = cursor.integer(key.type), .shape = cursor.shape()};
      const std::size_t width = format.shape.length * size_of(format.shape.type);
      if (!cursor.ok || (width > 0 && cursor.left / width < samples_.size())) return false;
      format.values = cursor.take(width * samples_.size());
      formats_.push_back(format);
    }
    return cursor.ok;
  }

  /// The number of a tag in the header's dictionary; negative where it is not there.
  std::int64_t number_of(std::string_view tag) const {
    return bcf_hdr_id2int(header_.get(), BCF_DT_ID, std::string(tag).c_str());
  }

  const Format* format_of(std::int64_t number) const {
    const auto found = std::ranges::find(formats_, number, &Format::tag);
    return number < 0 || found == formats_.end() ? nullptr : &*found;
  }

  /// Notes samples with an evidence field of 0, which is all zero bytes in every type of number.
  void note_unfounded(Genotypes& into) const {
    into.any_unfounded = false;
    if (formats_.size() < 2) return;  // GT alone
    into.unfounded.clear();
    for (const std::int64_t tag : evidence_tags_) {
      const Format* format = format_of(tag);
      if (format == nullptr || format->shape.length == 0 || format->shape.type == kChar) continue;
      const std::size_t bytes = size_of(format->shape.type);
      const auto note = bytes == 1   ? note_zeros<std::uint8_t>
                        : bytes == 2 ? note_zeros<std::uint16_t>
                                     : note_zeros<std::uint32_t>;
      into.any_unfounded |= note(format->values, format->shape.length, samples_.size(), into.unfounded);
    }
  }

  void read_numbers(const Format& format, SampleNumbers& into) const {
    into.reset(samples_.size(), format.shape.length);
    Cursor cursor{format.values, into.values.size() * size_of(format.shape.type)};
    for (std::int32_t& value : into.values) {
      switch (format.shape.type) {
        case kInt8:
          value = plain_number(cursor.number<std::int8_t>());
          break;
        case kInt16:
          value = plain_number(cursor.number<std::int16_t>());
          break;
        default:
          value = plain_number(cursor.number<std::int32_t>());
      }
    }
  }

  /// The second allele of a phased genotype has its lowest bit set.
  void note_unphased(Genotypes& into) const {
    into.unphased.clear();
    for (std::size_t sample = 0; into.alleles.width > 1 && sample < samples_.size(); ++sample) {
      const std::int32_t second = into.alleles.values[sample * into.alleles.width + 1];
      if (second >= 0 && (second & 1) == 0) into.unphased.set(sample);
    }
  }

  /// Converts BCF's (allele + 1) << 1 | phase to the index of the allele.
  void check_allele(std::size_t i, SampleNumbers& alleles) const {
    std::int32_t& value = alleles.values[i];
    if (value == SampleNumbers::kEndOfRow || value == SampleNumbers::kMissing) return;
    value = (value >> 1) - 1;  // -1: missing
    if (value >= 0 && static_cast<std::size_t>(value) >= record_->alleles.size())
      refuse_missing_allele(*record_, i / alleles.width);
  }

  std::unique_ptr<ByteStream> stream_;
  std::vector<std::uint8_t> shared_, indiv_;
  std::uint32_t n_formats_ = 0;
  std::int32_t chromosome_ = -1;
  std::int64_t genotype_tag_ = -1, length_tag_ = -1;
  std::array<std::int64_t, kEvidenceTags.size()> evidence_tags_{};
  std::vector<Format> formats_;
  std::vector<std::string_view> texts_;  ///< of the record's alleles
  const SiteRecord* record_ = nullptr;
};

}  // namespace

std::unique_ptr<VariantFile> open_bcf(const Source& source, std::size_t threads) {
  return std::make_unique<BcfFile>(source, threads);
}

}  // namespace fastid::imports
