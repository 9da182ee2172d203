#include "db/hdf5/tag_store.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "base/error.hpp"
#include "db/hdf5/column.hpp"
#include "db/hdf5/panel_store.hpp"
#include "db/hdf5/profile_ids.hpp"

namespace fastid::db {
namespace {

constexpr std::size_t kByteBits = 8;

const std::string kValues = "/tags/values/", kCodes = "/tags/codes/";

/// Bits of a code: 1, 2, 4, 8, 16 or 32.
std::size_t width_of(std::size_t n_values) {
  std::size_t width = 1;
  while (width < kWordBits && n_values > std::size_t{1} << width) width *= 2;
  return width;
}

std::uint64_t packed_bytes(std::uint64_t rows, std::size_t width) {
  return ceil_div<std::uint64_t>(rows * width, kByteBits);
}

/// Codes one after the other, the first in the lowest bits.
std::vector<std::uint8_t> packed(std::span<const std::uint32_t> codes, std::size_t width) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(packed_bytes(codes.size(), width)));
  for (std::size_t i = 0; i < codes.size(); ++i)
    for (std::size_t bit = i * width, left = codes[i]; left != 0; left >>= kByteBits, bit += kByteBits)
      bytes[bit / kByteBits] |= static_cast<std::uint8_t>(left << bit % kByteBits);
  return bytes;
}

std::uint32_t code_at(const std::uint8_t* bytes, std::size_t i, std::size_t width) {
  std::uint32_t code = 0;
  const std::size_t first = i * width;
  if (width < kByteBits) return bytes[first / kByteBits] >> first % kByteBits & ((1u << width) - 1);
  for (std::size_t byte = 0; byte < width / kByteBits; ++byte)
    code |= std::uint32_t{bytes[first / kByteBits + byte]} << byte * kByteBits;
  return code;
}

bool exists(const h5::File& database, const char* name, const std::string& file) {
  return h5::got(H5Lexists(database.get(), name, H5P_DEFAULT), file, name) > 0;
}

[[noreturn]] void refuse_codes(const std::string& key, const std::string& file) {
  throw InputError(file, kCodes + key, "has a code without a value", "restore it from a copy");
}

extern "C" herr_t note_key(hid_t, const char* name, const H5L_info_t*, void* into) {
  auto& keys = *static_cast<std::vector<std::string>*>(into);
  keys.emplace_back(name);
  return keys.size() > kMostTagKeys ? 1 : 0;
}

}  // namespace

void write_tags(const h5::File& database, const Tags& tags, const std::string& file) {
  const h5::Session session;
  if (exists(database, "/tags", file))
    h5::wrote(H5Ldelete(database.get(), "/tags", H5P_DEFAULT), file, "tags");
  if (tags.empty()) return;
  check_tag_count(tags.columns().size(), file, "");
  const h5::Group group = make_group(database.get(), "tags", file);
  const h5::Group values = make_group(group.get(), "values", file),
                  codes = make_group(group.get(), "codes", file);
  for (const auto& [key, column] : tags.columns()) {
    const std::vector<std::string>& all = column.values();
    write_strings(
        values.get(), key, all.size(), [&](std::size_t i) { return std::string_view(all[i]); }, file);
    const std::vector<std::uint8_t> bytes = packed(column.codes(), width_of(all.size()));
    write_column(codes.get(), key, h5::Type(h5::wrote(H5Tcopy(H5T_STD_U8LE), file, "a type")), bytes.data(),
                 bytes.size(), file);
  }
}

std::vector<std::string> tag_keys(const h5::File& database, const std::string& file) {
  const h5::Session session;
  std::vector<std::string> keys;
  if (!exists(database, "/tags", file)) return keys;
  const h5::Group group(h5::got(H5Gopen2(database.get(), "/tags/values", H5P_DEFAULT), file, "/tags/values"));
  hsize_t start = 0;
  h5::got(H5Literate(group.get(), H5_INDEX_NAME, H5_ITER_INC, &start, note_key, &keys), file, "/tags/values");
  if (keys.size() > kMostTagKeys)
    throw InputError(file, "/tags", fmt::format("has more than {} keys", kMostTagKeys),
                     "restore it from a copy");
  for (const std::string& key : keys) check_tag(key, "", file, "/tags");
  return keys;
}

namespace {

/// A key's values and where its codes are.
struct StoredTag {
  std::vector<std::string> values;
  std::size_t width;
  StoredColumn codes;
};

StoredTag open_tag(const h5::File& database, const std::string& key, std::uint64_t rows,
                   const std::string& file) {
  std::vector<std::string> values =
      StoredColumn(database.get(), kValues + key, file).read_all_strings(kLongestTagValue);
  const std::size_t width = width_of(values.size());
  if (values.empty() || !values[0].empty()) refuse_codes(key, file);
  StoredTag tag{std::move(values), width, StoredColumn(database.get(), kCodes + key, file)};
  tag.codes.expect_rows(packed_bytes(rows, width), "bytes of codes");
  tag.codes.expect_type(H5T_STD_U8LE, "u8");
  return tag;
}

/// visit(first row, number of rows, their packed codes) for successive rows, whole blocks at a time.
template <class Visit>
void for_each_code_slab(const StoredTag& tag, std::uint64_t rows, const Visit& visit) {
  for_each_slab(rows, [&](std::uint64_t first, std::size_t n) {
    const std::uint64_t begin = first * tag.width / kByteBits;
    const std::vector<unsigned char> bytes =
        tag.codes.read(begin, static_cast<std::size_t>(packed_bytes(n, tag.width)));
    visit(first, n, bytes.data());
    return true;
  });
}

/// The rows of a byte, a bit for each of its codes; kBeyond for one that has a code without a value.
constexpr std::uint16_t kBeyond = 0x100;

/// Which of the codes in a byte pass, for each byte.
std::vector<std::uint16_t> passing_in_bytes(const std::vector<std::uint8_t>& passes, std::size_t width) {
  std::vector<std::uint16_t> table(std::size_t{1} << kByteBits);
  for (std::size_t value = 0; value < table.size(); ++value) {
    const auto byte = static_cast<std::uint8_t>(value);
    for (std::size_t i = 0; i < kByteBits / width; ++i) {
      const std::uint32_t code = code_at(&byte, i, width);
      const unsigned bit = code >= passes.size() ? kBeyond : unsigned{passes[code]} << i;
      table[value] = static_cast<std::uint16_t>(table[value] | bit);
    }
  }
  return table;
}

/// Which rows of a block pass, by their codes.
class BlockTest {
 public:
  /// \param passes  whether each code passes
  BlockTest(std::vector<std::uint8_t> passes, std::size_t width)
      : passes_(std::move(passes)), width_(width), in_byte_(width <= kByteBits ? kByteBits / width : 0) {
    if (in_byte_ > 0) in_bytes_ = passing_in_bytes(passes_, width);
  }

  /// Tests `lanes` rows, whose codes begin with code `at`; no value where a code has no value.
  std::optional<Word> operator()(const unsigned char* codes, std::size_t at, std::size_t lanes) const {
    const auto word = in_byte_ > 0 ? by_bytes(codes + at / in_byte_, lanes) : by_codes(codes, at, lanes);
    return word && lanes < kLanes ? *word & ((Word{1} << lanes) - 1) : word;
  }

 private:
  std::optional<Word> by_bytes(const unsigned char* bytes, std::size_t lanes) const {
    Word word = 0;
    for (std::size_t byte = 0; byte < ceil_div(lanes, in_byte_); ++byte) {
      const unsigned found = in_bytes_[bytes[byte]];
      if ((found & kBeyond) != 0) return std::nullopt;
      word |= static_cast<Word>(found) << byte * in_byte_;
    }
    return word;
  }

  std::optional<Word> by_codes(const unsigned char* codes, std::size_t at, std::size_t lanes) const {
    Word word = 0;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const std::uint32_t code = code_at(codes, at + lane, width_);
      if (code >= passes_.size()) return std::nullopt;
      word |= static_cast<Word>(passes_[code]) << lane;
    }
    return word;
  }

  std::vector<std::uint8_t> passes_;
  std::size_t width_, in_byte_;  ///< bits of a code; codes in a byte, 0 where they are longer
  std::vector<std::uint16_t> in_bytes_;
};

}  // namespace

RowMask rows_passing(const h5::File& database, const std::string& key, std::uint64_t rows,
                     const std::function<bool(const std::string& value)>& passes, const std::string& file) {
  const h5::Session session;
  const StoredTag tag = open_tag(database, key, rows, file);
  std::vector<std::uint8_t> of_code;
  for (const std::string& value : tag.values) of_code.push_back(passes(value) ? 1 : 0);
  const BlockTest test(std::move(of_code), tag.width);
  RowMask mask(rows);
  for_each_code_slab(tag, rows, [&](std::uint64_t first, std::size_t n, const unsigned char* codes) {
    for (std::size_t at = 0; at < n; at += kLanes) {
      const auto word = test(codes, at, std::min(kLanes, n - at));
      if (!word) refuse_codes(key, file);
      mask.set_block((first + at) / kLanes, *word);
    }
  });
  return mask;
}

TagColumn read_tag(const h5::File& database, const std::string& key, std::uint64_t rows,
                   const std::string& file) {
  const h5::Session session;
  StoredTag tag = open_tag(database, key, rows, file);
  std::vector<std::uint32_t> codes;
  codes.reserve(static_cast<std::size_t>(rows));
  for_each_code_slab(tag, rows, [&](std::uint64_t, std::size_t n, const unsigned char* bytes) {
    for (std::size_t i = 0; i < n; ++i) codes.push_back(code_at(bytes, i, tag.width));
  });
  const auto known = [n = tag.values.size()](std::uint32_t code) { return code < n; };
  if (!std::ranges::all_of(codes, known)) refuse_codes(key, file);
  return {std::move(tag.values), std::move(codes)};
}

}  // namespace fastid::db
