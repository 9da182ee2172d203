/// \file
/// Stored profiles read again as rows, for those that a shortlist holds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/thread_pool.hpp"
#include "bits/blocks.hpp"
#include "bits/rows.hpp"
#include "db/database.hpp"
#include "match/match_table.hpp"

namespace fastid::asking {

/// Reads stored profiles as rows, one at a time.
class StoredProfiles {
 public:
  explicit StoredProfiles(const BlockSource& source) : blocks_(source) {}

  /// Valid until the next call.
  RowView read(std::uint64_t row) {
    const std::uint64_t lane = row % kLanes;
    profile_ = ProfileRows::from_blocks(blocks_.block_of(row), {&lane, 1});
    return profile_.row(0);
  }

 private:
  BlockReader blocks_;
  ProfileRows profile_{0, 0};
};

/// What the profiles of shortlists are read from: the database, or its rows in memory where shortlists would
/// have each of its blocks read several times, and they are few.
class ShortlistSource {
 public:
  /// \throws InputError
  ShortlistSource(const db::Reader& reader, std::span<const match::QueryMatches> shortlists,
                  std::size_t threads);

  const BlockSource& database() const { return *database_; }
  /// Of all profiles; null where they are not in memory.
  const ProfileRows* rows() const { return rows_ ? &*rows_ : nullptr; }

 private:
  const BlockSource* database_;
  std::optional<ProfileRows> rows_;
};

/// How many profiles are read together, so that some may be weighed together.
inline std::size_t profiles_at_once(const BlockSource& source) {
  constexpr std::size_t kMost = 1024, kBytes = std::size_t{16} << 20, kPlanes = 3;
  const std::size_t row_bytes = kPlanes * sizeof(Word) * source.shape().n_words();
  return std::clamp<std::size_t>(kBytes / std::max<std::size_t>(1, row_bytes), 16, kMost);
}

/// visit(some rows) for pieces of rows in the database's order.
template <class Visit>
void for_pieces_in_order(const BlockSource& database, std::span<match::MatchRow> rows, const Visit& visit) {
  const std::size_t at_once = profiles_at_once(database);
  std::vector<match::MatchRow*> in_order;
  for (match::MatchRow& row : rows) in_order.push_back(&row);
  std::ranges::sort(in_order, {}, [](const match::MatchRow* row) { return row->row; });
  for (std::size_t first = 0; first < in_order.size(); first += at_once)
    visit(std::span<match::MatchRow* const>(in_order).subspan(first,
                                                              std::min(at_once, in_order.size() - first)));
}

/// visit(some rows, their stored profiles) until all rows have been visited, in the database's order.
template <class Visit>
void for_some_stored(const BlockSource& source, std::span<match::MatchRow> rows, const Visit& visit) {
  BlockReader blocks(source);
  for_pieces_in_order(source, rows, [&](std::span<match::MatchRow* const> some) {
    ProfileRows profiles(0, source.shape().n_sites, source.shape().encoding);
    for (const match::MatchRow* const row : some) {
      const std::uint64_t lane = row->row % kLanes;
      profiles.append(blocks.block_of(row->row), {&lane, 1});
    }
    std::vector<RowView> stored;
    for (std::size_t i = 0; i < some.size(); ++i) stored.push_back(profiles.row(i));
    visit(some, std::span<const RowView>(stored));
  });
}
template <class Visit>
void for_some_stored(const ShortlistSource& source, std::span<match::MatchRow> rows, const Visit& visit) {
  if (source.rows() == nullptr) return for_some_stored(source.database(), rows, visit);
  for_pieces_in_order(source.database(), rows, [&](std::span<match::MatchRow* const> some) {
    std::vector<RowView> stored;
    for (const match::MatchRow* const row : some)
      stored.push_back(source.rows()->row(static_cast<std::size_t>(row->row)));
    visit(some, std::span<const RowView>(stored));
  });
}

/// visit(row, stored profile) for each row, in the database's order. \param source  either of the above
template <class Source, class Visit>
void for_each_stored(const Source& source, std::span<match::MatchRow> rows, const Visit& visit) {
  for_some_stored(source, rows, [&](std::span<match::MatchRow* const> some, std::span<const RowView> stored) {
    for (std::size_t i = 0; i < some.size(); ++i) visit(*some[i], stored[i]);
  });
}

}  // namespace fastid::asking
