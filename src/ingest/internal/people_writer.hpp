/// \file
/// Gathered people into a database: each person's rows are merged, and written a group of people at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "db/database.hpp"
#include "ingest/internal/roster.hpp"
#include "ingest/internal/spool.hpp"
#include "panel/site_class.hpp"

namespace fastid::ingest {

class PeopleWriter {
 public:
  /// Is called with each group before it is written; `first` is the group's first row.
  using Look = std::function<void(std::uint64_t first, const BlocksView& people)>;

  /// \param panel, encoding  of the spool and of the database
  PeopleWriter(const ProfileSpool& spool, db::Writer& writer, const Panel& panel, Encoding encoding,
               std::string target)
      : spool_(spool), writer_(writer), classes_(panel), encoding_(encoding), target_(std::move(target)) {}

  /// \param look  may be null
  /// \throws InputError where a person's rows differ too often to be of one person; Interrupted; Failure
  void write(std::span<const Roster::Person> people, const Look& look = nullptr);

 private:
  BitBlocks blocks_of(std::span<const Roster::Person> people);
  void fill_block(BitBlocks& blocks, std::uint64_t block, std::span<const Roster::Person> people);
  void read_person(const Roster::Person& person, std::span<Word> row);

  const ProfileSpool& spool_;
  db::Writer& writer_;
  SiteClasses classes_;
  Encoding encoding_;
  std::string target_;
  std::vector<Word> rows_;
};

}  // namespace fastid::ingest
