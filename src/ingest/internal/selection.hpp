/// \file
/// The profiles that an export asks for, some at a time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "db/database.hpp"
#include "db/row_choice.hpp"

namespace fastid::ingest {

class Selection {
 public:
  /// \param wanted  ids, in the order of the export; empty: the profiles that `rule` chooses. \throws
  /// UsageError (an id
  ///                given twice), InputError (an id that is not there).
  Selection(const db::Reader& reader, const std::vector<std::string>& wanted, const db::RowRule& rule);

  /// The sites and the encoding, with the number of profiles selected.
  const BlockShape& shape() const { return shape_; }

  std::vector<std::string> ids(std::uint64_t first, std::uint64_t n) const;
  BitBlocks profiles(std::uint64_t first, std::uint64_t n) const;

  /// Passes the profiles in order to `take(first, blocks)`, whole blocks at a time, so that memory does not
  /// grow with their number.
  template <class Take>
  void for_each_part(const Take& take) const {
    for (std::uint64_t first = 0; first < shape_.n_profiles; first += part_)
      take(first, profiles(first, std::min(part_, shape_.n_profiles - first)));
  }

 private:
  std::uint64_t row(std::uint64_t i) const { return rows_.empty() ? i : rows_[i]; }

  const db::Reader& reader_;
  std::vector<std::uint64_t> rows_;  ///< empty: all, in order
  BlockShape shape_;
  std::uint64_t part_;  ///< profiles of a part
};

}  // namespace fastid::ingest
