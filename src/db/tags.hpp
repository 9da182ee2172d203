/// \file
/// Tags of profiles: for each key a value for each profile that has one, such as kit=FORCE, consent=yes,
/// expiry=2031-01-31.
///
///   key "kit":   values   ""      "FORCE"  "Kintelligence"      the first means that a profile has none
///                code     0       1        2
///                codes    1 1 0 2 1 ...                         one for each row of the database
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "db/limits.hpp"

namespace fastid::db {

/// The key whose value is the last day (YYYY-MM-DD, UTC) on which a profile may be searched.
inline constexpr std::string_view kExpiryKey = "expiry";

/// The key whose value states a person's sex (parse_sex()).
inline constexpr const char* kSexKey = "sex";

/// \throws InputError naming `file` and `place` where the key is not a lower-case letter followed by
/// lower-case letters, digits and '_', or the value is too long, no printable UTF-8, or, of kExpiryKey, no
/// day.
void check_tag(const std::string& key, const std::string& value, const std::string& file,
               const std::string& place);

/// \throws InputError naming `file` and `place` where there are more keys than a database can keep.
void check_tag_count(std::size_t keys, const std::string& file, const std::string& place);

/// One key's values, and the value of each row.
class TagColumn {
 public:
  explicit TagColumn(std::uint64_t rows = 0) : codes_(static_cast<std::size_t>(rows)) {}
  /// \param values  the first is ""; the others differ and are not empty  \param codes  below their number
  TagColumn(std::vector<std::string> values, std::vector<std::uint32_t> codes)
      : values_(std::move(values)), codes_(std::move(codes)) {}

  const std::vector<std::string>& values() const { return values_; }
  const std::vector<std::uint32_t>& codes() const { return codes_; }
  const std::string& value(std::uint64_t row) const { return values_[codes_[static_cast<std::size_t>(row)]]; }

  void set(std::uint64_t row, const std::string& value);
  void extend(std::uint64_t rows) { codes_.resize(static_cast<std::size_t>(rows)); }

  /// The tags of the given rows. Only values that some row has are kept, sorted.
  TagColumn of(std::span<const std::uint64_t> rows) const;
  TagColumn of_all() const;

 private:
  template <class Rows>
  TagColumn recoded(std::size_t n, const Rows& row) const;

  std::vector<std::string> values_{""};
  std::vector<std::uint32_t> codes_;
  std::unordered_map<std::string, std::uint32_t> code_of_;  ///< filled by set()
};

class Tags {
 public:
  explicit Tags(std::uint64_t rows = 0) : rows_(rows) {}

  std::uint64_t rows() const { return rows_; }
  /// True where no profile has a tag.
  bool empty() const { return columns_.empty(); }
  const std::map<std::string, TagColumn>& columns() const { return columns_; }

  /// The value of a row, "" where it has none.
  std::string_view value(const std::string& key, std::uint64_t row) const;

  /// Sets a value; "" takes it away.
  void set(std::uint64_t row, const std::string& key, const std::string& value);
  /// Puts a whole key in place. \throws Failure where it has another number of rows
  void put(const std::string& key, TagColumn column);

  /// Adds rows without tags.
  void extend(std::uint64_t rows);
  /// Adds rows with these tags.
  void join(const Tags& more);
  /// The tags of the given rows, in this order. Keys and values that none of them has are left out.
  Tags of(std::span<const std::uint64_t> rows) const;
  Tags of_all() const;

  /// SHA-256 of all keys, values and codes; "" where there are none.
  std::string sha256() const;

 private:
  std::uint64_t rows_;
  std::map<std::string, TagColumn> columns_;
};

}  // namespace fastid::db
