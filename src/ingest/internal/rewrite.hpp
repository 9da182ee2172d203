/// \file
/// A database written anew in its own place.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "base/old_content.hpp"
#include "base/progress.hpp"
#include "base/thread_pool.hpp"
#include "db/database.hpp"
#include "ingest/change.hpp"

namespace fastid::ingest {

/// A profile that takes the place of a row.
struct Replacement {
  const BitBlocks* blocks;
  std::uint64_t profile;
};

/// The changed rows: no value where a row is removed. All other rows stay as they are.
using RowChanges = std::map<std::uint64_t, std::optional<Replacement>>;

class Rewrite {
 public:
  /// Opens the database and checks what can be checked without its profiles. \throws InputError
  explicit Rewrite(const ChangeOptions& options);

  const db::Reader& old() const { return *old_; }
  ThreadPool& pool() { return pool_; }

  /// Writes all rows, with the changes. \param longest_id  bytes of the longest id written here or by
  /// writer() \param history  the log so far \throws InputError, Failure, Interrupted
  void copy(const RowChanges& changes, std::size_t longest_id, std::string history, const db::Policy& policy);

  /// Takes further profiles, after copy().
  db::Writer& writer() { return *writer_; }

  /// Puts the new file in place, and overwrites the old one. `profiles_before` is filled in. \throws Failure
  ChangeSummary finish(db::LogRecord record, db::Tags tags);

 private:
  ChangeOptions options_;
  ThreadPool pool_;
  OldContent old_content_;
  std::optional<db::Reader> old_;
  std::optional<db::Writer> writer_;
};

/// The length of the longest id of the rows that are kept. \throws InputError, Interrupted
std::size_t longest_id(const db::Reader& reader, const RowChanges& changes = {});

/// The rows of a database of `n` rows, without the removed ones.
std::vector<std::uint64_t> kept_rows(std::uint64_t n, const RowChanges& changes);

}  // namespace fastid::ingest
