/// \file
/// Tallies of the pairs that a device's lanes have found, by query and share (kernels/bars.h). The lanes of a
/// pass add to the same ones, so that each closes its bars by what all have found.
///
/// OpenCL leaves open what one queue's commands see of another's that run beside them. Here that can only be
/// too little, which closes bars less: words grow, from a 0 that all have waited for. A bar that was closed
/// too far would be noticed (Ranking::broken_promise).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "opencl/device/cl_api.hpp"

namespace fastid {

/// Thread-safe: all lanes of an engine share it.
class PassTallies {
 public:
  /// A tally for each of some queries.
  struct Table {
    cl::Buffer tallies;
  };

  /// Queries of a table, at most.
  static constexpr std::size_t kMostQueries = 4096;
  /// Bytes of a table.
  static std::uint64_t bytes(std::size_t n_queries);

  PassTallies(const cl::Context& context, const cl::Device& device);

  /// The table of a pass (Sought::pass, not 0) of so many queries, kMostQueries at most: empty at first, and
  /// the same for all who ask. From any thread. Others may use a table again that nobody holds any more, so
  /// there are no more than lanes, and one. \throws cl::Error
  std::shared_ptr<const Table> join(std::uint64_t pass, std::size_t n_queries);
  /// A table of nobody else's, with anything in it. From any thread. \throws cl::Error
  std::shared_ptr<const Table> take(std::size_t n_queries);

 private:
  struct Made {
    std::shared_ptr<const Table> table;
    std::size_t n_queries = 0;
    std::uint64_t pass = 0;  ///< that it is for; 0: none
  };
  Made* of_pass(std::uint64_t pass);
  Made& free_table(std::size_t n_queries);

  cl::Context context_;
  cl::CommandQueue queue_;  ///< of its own: in a lane's, a table would wait for that lane's tile
  std::mutex guard_;
  std::vector<Made> tables_;  ///< under the guard
};

}  // namespace fastid
