/// \file
/// The first blocks of a pass, which the host's own engine compares until a device's first lane is open:
/// every bar is open there, so every pair would be a candidate that the device sends back.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "bits/rows.hpp"
#include "pipeline/lane_loop.hpp"

namespace fastid {

/// A lane of the host's engine for each of some parts of the queries, on a thread of its own, which waits for
/// no other part's bars.
class HostOpening {
 public:
  /// \param pass  the device's, with its helpers, which must outlive this
  explicit HostOpening(const Pass& pass);
  ~HostOpening();

  /// Compares blocks first .. first + n - 1 of the database with all queries that are asked.
  void compare(std::uint64_t first, std::uint64_t n);

  /// Tiles and candidates so far; of the stages' times this is no part.
  StreamStats stats() const;

 private:
  struct Part;

  const Pass& pass_;
  std::vector<std::unique_ptr<Part>> parts_;
};

}  // namespace fastid
