/// \file
/// Where audit logs stood, noted outside of them, so that a log whose end was cut off shows: DB.anchor beside
/// a database whose policy demands a log, and, with a key, LOG.checkpoint beside the log. Each has a line of
/// JSON for each log, the latest:
///
///   {"log":"<SHA-256 of its first record>","records":17,"head":"<SHA-256 of record 17>","hmac":"..."}
///
/// hmac is the HMAC-SHA-256 of "log records head" by the key, so that nobody without it can write such a
/// line; it is not there where there was no key. An old line that somebody has kept stays valid: keep the
/// key, and copies of checkpoints, where those who may write to the log cannot.
#pragma once

#include <string>
#include <vector>

#include "db/database.hpp"

namespace fastid::cli {

/// Its path, beside the file that a link leads to: "people.h5.anchor".
std::string anchor_of_database(const std::string& database);
std::string checkpoint_of_log(const std::string& log);  ///< its path: "searches.jsonl.checkpoint"

/// Notes an anchor in a file, in place of the log's earlier one. Writers wait for each other. \param key  "":
/// not signed \param of  the database or the log: whoever may read it may note in a new file too; else only
/// its owner \throws Failure
void note_anchor(const std::string& path, const db::AuditAnchor& anchor, const std::string& key,
                 const std::string& of);

/// The anchors of a file; none where it does not exist. \param key  ""; else every line must be signed by it
/// \throws InputError: it is not what note_anchor() writes, or not signed by the key
std::vector<db::AuditAnchor> read_anchors(const std::string& path, const std::string& key);

/// The key of a file. \throws InputError where it is shorter than 16 bytes
std::string read_key(const std::string& path);

}  // namespace fastid::cli
