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

#include "questions/pairs/cohort.hpp"

namespace fastid::pairs {

/// A profile's number: its row, and for the second database its row after all of the first one's.
using Node = std::uint64_t;

class Roster {
 public:
  /// \param options  must outlive this object, as must the ids
  explicit Roster(const CohortOptions& options) : options_(options) {}

  bool has_two() const { return options_.facts.second.has_value(); }
  Node node(std::size_t database, std::uint64_t row) const;
  std::size_t database_of(Node node) const;
  std::uint64_t row_of(Node node) const;
  const std::string& id(Node node) const;
  /// "people.h5", "a.h5 or b.h5".
  std::string databases() const;

  /// The nodes of each of these names, found by one pass over all ids; names that no profile has are left
  /// out.
  using Places = std::unordered_map<std::string_view, std::vector<Node>>;
  Places find(std::span<const std::string_view> names) const;

  /// The ids that both databases have, in the order of their rows in the first one.
  std::vector<std::string_view> in_both() const;

 private:
  std::span<const std::string> ids(std::size_t database) const {
    return database == 0 ? options_.ids : options_.second_ids;
  }

  const CohortOptions& options_;
};

}  // namespace fastid::pairs
