/// \file
/// The profiles of a cohort by number and by id, over one database or two.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/cohort.hpp"

namespace fastid::cohort {

/// A profile's number: its row, and for the second database its row after all of the first one's.
using Node = std::uint64_t;

class Roster {
 public:
  /// \param sides  must outlive this object, as must their ids
  explicit Roster(std::span<const CohortSide> sides) : sides_(sides) {}

  std::uint64_t size() const;
  bool has_two() const { return sides_.size() > 1; }
  Node node(std::size_t database, std::uint64_t row) const;
  std::size_t database_of(Node node) const;
  std::uint64_t row_of(Node node) const;
  const std::string& id(Node node) const;
  /// "people.h5", "a.h5 or b.h5".
  std::string databases() const;

  /// The nodes of each of these names, found by one pass over all ids; names of no profile are left out.
  using Places = std::unordered_map<std::string_view, std::vector<Node>>;
  Places find(std::span<const std::string_view> names) const;

 private:
  std::span<const CohortSide> sides_;
};

}  // namespace fastid::cohort
