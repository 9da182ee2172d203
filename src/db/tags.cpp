#include "db/tags.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <numeric>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"

namespace fastid::db {
namespace {

bool is_key(std::string_view key) {
  const auto plain = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  return !key.empty() && key.size() <= kLongestTagKey && key[0] >= 'a' && key[0] <= 'z' &&
         std::ranges::all_of(key, plain);
}

/// "2031-01-31"
bool is_day(std::string_view text) {
  constexpr std::size_t kLength = 10;
  if (text.size() != kLength || text[4] != '-' || text[7] != '-') return false;
  const auto year = parse_number<unsigned>(text.substr(0, 4)),
             month = parse_number<unsigned>(text.substr(5, 2)),
             day = parse_number<unsigned>(text.substr(8, 2));
  return year && month && day &&
         std::chrono::year_month_day(std::chrono::year(static_cast<int>(*year)), std::chrono::month(*month),
                                     std::chrono::day(*day))
             .ok();
}

void add_number(Sha256& sha, std::uint64_t number) {
  unsigned char bytes[8];
  for (std::size_t i = 0; i < sizeof bytes; ++i) bytes[i] = static_cast<unsigned char>(number >> 8 * i);
  sha.update(bytes, sizeof bytes);
}

}  // namespace

void check_tag(const std::string& key, const std::string& value, const std::string& file,
               const std::string& place) {
  if (!is_key(key))
    throw InputError(
        file, place, fmt::format("'{}' is no name of a tag", printable(key)),
        fmt::format("a name is a lower-case letter, then letters, digits and _, {} at most", kLongestTagKey));
  if (value.size() > kLongestTagValue || !is_printable_utf8(value))
    throw InputError(file, place, fmt::format("the value of {} is no text that can be kept", key),
                     fmt::format("use printable UTF-8 of at most {} bytes", kLongestTagValue));
  if (key == kExpiryKey && !value.empty() && !is_day(value))
    throw InputError(file, place, fmt::format("'{}' is no day", printable(value)),
                     "write the last day on which the profile may be searched as 2031-01-31");
}

void check_tag_count(std::size_t keys, const std::string& file, const std::string& place) {
  if (keys > kMostTagKeys)
    throw InputError(file, place, fmt::format("has {} names of tags", keys),
                     fmt::format("keep them within {}", kMostTagKeys));
}

void TagColumn::set(std::uint64_t row, const std::string& value) {
  if (code_of_.empty())
    for (std::size_t code = 0; code < values_.size(); ++code)
      code_of_.emplace(values_[code], static_cast<std::uint32_t>(code));
  const auto [at, is_new] = code_of_.emplace(value, static_cast<std::uint32_t>(values_.size()));
  if (is_new) values_.push_back(value);
  codes_[static_cast<std::size_t>(row)] = at->second;
}

template <class Rows>
TagColumn TagColumn::recoded(std::size_t n, const Rows& row) const {
  std::vector<bool> used(values_.size());
  for (std::size_t i = 0; i < n; ++i) used[codes_[row(i)]] = true;
  std::vector<std::uint32_t> kept;
  for (std::uint32_t code = 1; code < values_.size(); ++code)
    if (used[code]) kept.push_back(code);
  std::ranges::sort(kept, {}, [this](std::uint32_t code) -> const std::string& { return values_[code]; });
  std::vector<std::string> values{""};
  std::vector<std::uint32_t> fresh(values_.size()), codes(n);
  for (const std::uint32_t code : kept) {
    fresh[code] = static_cast<std::uint32_t>(values.size());
    values.push_back(values_[code]);
  }
  for (std::size_t i = 0; i < n; ++i) codes[i] = fresh[codes_[row(i)]];
  return {std::move(values), std::move(codes)};
}

TagColumn TagColumn::of(std::span<const std::uint64_t> rows) const {
  return recoded(rows.size(), [&](std::size_t i) { return static_cast<std::size_t>(rows[i]); });
}

TagColumn TagColumn::of_all() const {
  return recoded(codes_.size(), [](std::size_t i) { return i; });
}

std::string_view Tags::value(const std::string& key, std::uint64_t row) const {
  const auto column = columns_.find(key);
  return column == columns_.end() ? std::string_view() : column->second.value(row);
}

void Tags::set(std::uint64_t row, const std::string& key, const std::string& value) {
  if (value.empty() && !columns_.contains(key)) return;
  columns_.try_emplace(key, rows_).first->second.set(row, value);
}

void Tags::put(const std::string& key, TagColumn column) {
  if (column.codes().size() != rows_)
    throw Failure("tags of another number of profiles (a defect of fastid)");
  columns_.insert_or_assign(key, std::move(column));
}

void Tags::extend(std::uint64_t rows) {
  rows_ += rows;
  for (auto& [key, column] : columns_) column.extend(rows_);
}

void Tags::join(const Tags& more) {
  const std::uint64_t first = rows_;
  extend(more.rows());
  for (const auto& [key, column] : more.columns())
    for (std::uint64_t row = 0; row < more.rows(); ++row) set(first + row, key, column.value(row));
}

Tags Tags::of(std::span<const std::uint64_t> rows) const {
  Tags chosen(rows.size());
  for (const auto& [key, column] : columns_)
    if (TagColumn some = column.of(rows); some.values().size() > 1) chosen.put(key, std::move(some));
  return chosen;
}

Tags Tags::of_all() const {
  Tags all(rows_);
  for (const auto& [key, column] : columns_)
    if (TagColumn tidy = column.of_all(); tidy.values().size() > 1) all.put(key, std::move(tidy));
  return all;
}

std::string Tags::sha256() const {
  if (empty()) return {};
  Sha256 sha;
  for (const auto& [key, column] : columns_) {
    sha.update(key);
    add_number(sha, column.values().size());
    for (const std::string& value : column.values()) {
      add_number(sha, value.size());
      sha.update(value);
    }
    add_number(sha, column.codes().size());
    sha.update(column.codes().data(), column.codes().size() * sizeof(std::uint32_t));
  }
  return sha.hex();
}

}  // namespace fastid::db
