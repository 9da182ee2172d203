/// \file
/// A record of every search: who, when, what was asked of which database, and how much was found. Lines of
/// JSON that are only ever added, each chained to the one before by SHA-256, so that an edited or removed
/// line shows.
///
///   {"record":2, ..., "previous":"<sha256 of record 1>","sha256":"<SHA-256 of this line up to here,
///   `,"sha256"` left out>"}
///
/// A crash may leave part of a line, zeros, or an empty line; the next record stands on a line of its own and
/// tells how many lines and bytes of that are before it ("cut_off_lines_before", "cut_off_before").
///
/// The chain shows what was changed by somebody who did not reckon all later lines anew; and lines that are
/// missing at the end only to who has noted an earlier head (`fastid audit-log verify --head`).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "match/match_table.hpp"

namespace fastid::cli {

/// An audit log that searches are written to. Several programs may do so at once.
class AuditLog {
 public:
  /// Opens it, and makes it where there is none (for the owner alone, or as --shared says): who cannot log a
  /// search must not do it. \throws Failure.
  explicit AuditLog(const std::string& path);

  /// Adds one line, and returns once it is on the disk. Other writers wait for each other. \throws Failure
  /// (disk), InputError (the file is no audit log, or its last record is damaged).
  void append(const MatchTable& matches) const;

 private:
  std::string path_;
  FileDescriptor file_;
};

/// What verify_audit_log() found.
struct AuditCheck {
  std::uint64_t records = 0;
  bool is_log = true;                 ///< false: no line of it was ever a record
  std::uint64_t cut_off = 0;          ///< lines that crashes cut off, as the record after them says
  std::uint64_t empty = 0;            ///< empty lines of which the record after them says so
  std::string head;                   ///< sha256 of the last record
  bool holds_head = false;            ///< of the record that was asked for
  std::vector<std::string> problems;  ///< "line 7: was edited"
};

/// Reads all of a log. \param noted  sha256 of a record that must be there; may be empty.
/// \throws InputError where it cannot be read.
AuditCheck verify_audit_log(const std::string& path, const std::string& noted);

}  // namespace fastid::cli
