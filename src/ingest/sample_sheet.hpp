/// \file
/// A sample sheet: a table whose first column has the ids of profiles, and whose other columns are tags.
///
///   id    kit     consent  expiry
///   P01   FORCE   yes      2031-01-31
///   P02   FORCE
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "db/tags.hpp"

namespace fastid::ingest {

class SampleSheet {
 public:
  /// Columns are separated by tabs or, where the first line has none, by commas; the first line names them.
  /// Empty lines are skipped. \throws InputError naming the line: a column too many, an id twice, no name for
  /// a tag, a value in quotes
  explicit SampleSheet(const std::string& path);

  /// Gives the row of a profile its tags. Returns false where the sheet does not have the profile. An empty
  /// cell changes nothing.
  bool apply(const std::string& id, std::uint64_t row, db::Tags& tags) const;

  const std::vector<std::string>& keys() const { return keys_; }
  const std::vector<std::string>& ids() const { return ids_; }
  const std::string& path() const { return path_; }

 private:
  void add(std::string_view line, std::uint64_t number, char separator);

  std::string path_;
  std::vector<std::string> keys_;
  std::vector<std::string> ids_;
  std::unordered_map<std::string, std::vector<std::string>> values_;  ///< id -> a value for each key
};

/// The tags of profiles that are added, in their order, from the sheet (path "": none). Warns of profiles
/// that are not in the sheet. \throws InputError: the sheet has somebody who is not among the profiles
db::Tags tags_by_sheet(const std::string& sheet, const std::vector<std::string>& ids);

}  // namespace fastid::ingest
