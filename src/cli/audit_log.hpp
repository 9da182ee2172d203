/// \file
/// A record of every search: who, when, what was asked of which database, and how much was found. Each record
/// is a line of JSON that is appended and chained to the one before by SHA-256, so that an edited or removed
/// line shows.
///
///   {"record":2, ..., "previous":"<sha256 of record 1>","sha256":"<SHA-256 of this line up to here,
///   `,"sha256"` left out>"}
///
/// A crash may leave part of a line, zeros, or an empty line; the next record starts a new line and states
/// how many such lines and bytes are before it ("cut_off_lines_before", "cut_off_before").
///
/// The chain shows changes by anybody who did not compute all later lines again. Lines that are missing at
/// the end show only to a person who has noted an earlier head (`fastid audit-log verify --head`).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "match/match_table.hpp"

namespace fastid::cli {

/// An audit log that searches are written to. Several programs may write to it at the same time.
class AuditLog {
 public:
  /// Opens the log and creates it where it does not exist (for the owner alone, or as --shared says). It is
  /// opened before a search, since a search that cannot be logged must not be made. \throws Failure.
  explicit AuditLog(const std::string& path);

  /// Appends one line and returns once it is on the disk. Writers wait for each other. \throws Failure
  /// (disk), InputError (the file is not an audit log, or its last record is damaged).
  void append(const MatchTable& matches) const;

 private:
  std::string path_;
  FileDescriptor file_;
};

/// What verify_audit_log() found.
struct AuditCheck {
  std::uint64_t records = 0;
  bool is_log = true;                 ///< false where no line was ever a record
  std::uint64_t cut_off = 0;          ///< lines that crashes cut off, as stated by the records after them
  std::uint64_t empty = 0;            ///< empty lines that the records after them state
  std::string head;                   ///< sha256 of the last record
  bool holds_head = false;            ///< whether the log has the record that was asked for
  std::vector<std::string> problems;  ///< "line 7: was edited"
};

/// Reads and checks a whole log. \param noted  sha256 of a record that must be there; may be empty.
/// \throws InputError where the log cannot be read.
AuditCheck verify_audit_log(const std::string& path, const std::string& noted);

}  // namespace fastid::cli
