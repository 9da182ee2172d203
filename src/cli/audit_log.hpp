/// \file
/// A record of what was done with profiles: who, when, what was asked of which database, and how much was
/// found. Each record is a line of JSON that is appended and chained to the one before by SHA-256, so that an
/// edited or removed line shows.
///
///   {"record":2, ..., "previous":"<sha256 of record 1>","sha256":"<SHA-256 of this line up to here,
///   `,"sha256"` left out>"}
///
/// A crash may leave part of a line, zeros, or an empty line; the next record starts a new line and states
/// how many such lines and bytes are before it ("cut_off_lines_before", "cut_off_before").
///
/// The chain shows changes by anybody who did not compute all later lines again. Lines that are missing at
/// the end show only to somebody who has noted where the log stood: a person (`--head`), a database, or a
/// signed checkpoint (anchor.hpp).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "base/json.hpp"
#include "db/database.hpp"
#include "match/match_table.hpp"

namespace fastid::cli {

/// Where a log's end is noted.
struct Notes {
  std::function<std::vector<db::AuditAnchor>()> read = {};  ///< as it was noted, of any logs
  std::function<void(const db::AuditAnchor&)> write = {};   ///< notes how it stands now
};

/// An audit log that searches are written to. Several programs may write to it at the same time.
class AuditLog {
 public:
  /// Opens the log and creates it where it does not exist (for the owner alone, or as --shared says). It is
  /// opened before a search, since a search that cannot be logged must not be made. \throws Failure.
  explicit AuditLog(const std::string& path);

  /// Appends one line, which says who and when before `facts`, and returns once it is on the disk. Writers
  /// wait for each other, until the log's end is noted. \throws Failure (disk), InputError (the file is not
  /// an audit log, its last record is damaged, or it lacks one that was noted), and what `notes` throws
  db::AuditAnchor append(const Json& facts, const Notes& notes = {}) const;

 private:
  std::string path_;
  FileDescriptor file_;
};

/// What was searched and how much was found, without the content of any profile.
Json facts_of(const match::MatchTable& matches);

/// What verify_audit_log() found.
struct AuditCheck {
  std::uint64_t records = 0;
  bool is_log = true;                 ///< false where no line was ever a record
  std::uint64_t cut_off = 0;          ///< lines that crashes cut off, as stated by the records after them
  std::uint64_t empty = 0;            ///< empty lines that the records after them state
  std::string first, head;            ///< sha256 of the first and of the last record
  bool holds_head = false;            ///< whether the log has the record that was asked for
  std::vector<std::string> problems;  ///< "line 7: was edited"
};

/// Reads and checks a whole log. \param noted  sha256 of a record that must be there; may be empty. \param
/// anchors  where this log stood before; those of other logs count for nothing \throws InputError where the
/// log cannot be read.
AuditCheck verify_audit_log(const std::string& path, const std::string& noted,
                            std::span<const db::AuditAnchor> anchors = {});

}  // namespace fastid::cli
