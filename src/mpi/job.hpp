/// \file
/// The processes of an MPI job as a team. Process 0 leads: it hands out shards and collects their parts by
/// messages. Each process works on shards in a second thread; only main threads use MPI.
///
///   rank 0, a thread     rank 0, main thread               rank 1, main thread   rank 1, a thread
///     shard 1                                                                       shard 2
///                                  <-- what it has found --
///                                  --- what all have ----->
///     shard 3                      <----- its part --------
///     ...                          ------ shard 4 -------->                         shard 4
///
/// A process that waits for a message polls and sleeps in between, so that a core is free for work, and
/// notices signals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "asking/work.hpp"
#include "match/shared_thresholds.hpp"

namespace fastid::mpi {

class MpiJob final : public asking::Team {
 public:
  /// Joins the job. Called once, by main. \throws Failure
  MpiJob(int& argc, char**& argv);
  /// Leaves the job, together with all processes.
  ~MpiJob() override;
  MpiJob(const MpiJob&) = delete;
  MpiJob& operator=(const MpiJob&) = delete;

  std::uint32_t size() const override { return static_cast<std::uint32_t>(size_); }
  bool leads() const override { return rank_ == 0; }
  std::string name() const override { return name_; }
  std::size_t local_rank() const override { return static_cast<std::size_t>(local_rank_); }
  std::size_t local_size() const override { return static_cast<std::size_t>(local_size_); }
  std::size_t threads() const override { return threads_; }
  std::uint32_t shards() const override;

  void begin() override;
  [[noreturn]] void fail(const std::string& message, int status) override;
  std::string told(std::string text) override;
  std::optional<part::PartSet> share(std::uint32_t shards,
                                     const std::function<std::string(const Shard&)>& work,
                                     match::SharedThresholds* thresholds) override;

 private:
  int rank_ = 0, size_ = 1, local_rank_ = 0, local_size_ = 1;
  std::string name_;
  std::size_t threads_ = 1;
  bool begun_ = false;
};

/// "Open MPI 4.1.4".
std::string mpi_library();

}  // namespace fastid::mpi
