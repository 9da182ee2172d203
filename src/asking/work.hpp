/// \file
/// The work of a question and who does it: one process, a shard, the processes of a job, or whoever joins
/// parts.
///
/// Processes that share the work of one question are copies of the program with the same arguments. All do
/// shards. The leading one also reads the queries, takes the parts of the others, and prints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bits/shard.hpp"
#include "match/shared_thresholds.hpp"
#include "part/part_file.hpp"
#include "part/part_set.hpp"

namespace fastid::asking {

class Team {
 public:
  virtual ~Team() = default;

  virtual bool leads() const = 0;
  /// For messages: "rank 1 of 4 on node7".
  virtual std::string name() const = 0;
  /// The place of this process among those on its host, from 0.
  virtual std::size_t local_rank() const = 0;
  /// How many processes are on its host.
  virtual std::size_t local_size() const = 0;
  /// How many processes there are.
  virtual std::uint32_t size() const = 0;
  /// Threads that each process has of its host's processors, so that they have not more together.
  virtual std::size_t threads() const = 0;
  /// How many shards the work is cut into, so that all have something to do until the end.
  virtual std::uint32_t shards() const = 0;

  /// Called by all, once each has found its arguments right. \throws Interrupted
  virtual void begin() = 0;
  /// Ends all processes, with a message of this one and an exit code. Of arguments that are wrong in all of
  /// them, the leader alone speaks.
  [[noreturn]] virtual void fail(const std::string& message, int status) = 0;

  /// The leader's text, in each process. Called by all, in the same order. \throws Interrupted
  virtual std::string told(std::string text) = 0;

  /// Does all shards: each process takes the next one when it has done one. Called by all. Of as many shards
  /// as processes each does one, which is the same one each time. \param shards  how many: at least size()
  /// \param work  makes a shard's part, in memory; one shard at a time in each process
  /// \param thresholds  which the processes share meanwhile; null: none
  /// \returns all parts, in the leader; no value elsewhere
  /// \throws what `work` throws in this process; Interrupted; InputError: parts do not belong together
  virtual std::optional<part::PartSet> share(std::uint32_t shards,
                                             const std::function<std::string(const Shard&)>& work,
                                             match::SharedThresholds* thresholds = nullptr) = 0;
};

/// What the runs of all parts come to: the engines' names and descriptions, each once, and sums.
part::RunFacts facts_of(const part::PartSet& parts);

/// The work of a question, which machines can share: each question says these four things, and Work has them
/// done.
struct Task {
  std::function<std::vector<part::Basis>()> basis;  ///< what the result rests on besides the options
  std::function<void()> run;                        ///< does all of it
  /// Does the share of head.shard, and writes its part. Notes in head what ran. \return what was found, for a
  /// message: "3 pairs"; "": none
  std::function<std::string(part::Head& head, part::Writer& to)> run_shard;
  std::function<void(const part::PartSet& parts)> merge;  ///< goes on from the parts of all shards
  std::size_t threads = 1;                                ///< of this process
  /// Each process of a team does one shard, and another task may follow; else it takes another shard when one
  /// is done.
  bool one_shard_each = false;
  match::SharedThresholds* thresholds = nullptr;  ///< which processes share meanwhile; null: none
};

/// How much of a question's work is this process's.
class Work {
 public:
  /// All of it.
  Work() = default;
  /// A shard, for its part. \param head  as far as it is known; takes the rest
  Work(part::Head& head, part::Writer& to) : head_(&head), to_(&to) {}
  /// That of one process among several.
  explicit Work(Team& team) : team_(&team) {}
  /// What is left once all shards are done.
  explicit Work(const part::PartSet& parts) : parts_(&parts) {}

  /// Does it. A question may go on with what a team has found more than once. \return whether this process
  /// has the result: not where it does a shard, or follows another one \throws what the task throws;
  /// InputError: parts rest on something else
  bool finish(const Task& task);
  /// Has a team share the next task: what it has found of the last one is dropped.
  void begin_next() { shared_.reset(); }

  part::Head* head() const { return head_; }             ///< null: no shard
  part::Writer* to() const { return to_; }               ///< null: no shard
  Team* team() const { return team_; }                   ///< null: this process is alone
  const part::PartSet* parts() const { return parts_; }  ///< null: none yet

 private:
  part::Head* head_ = nullptr;
  part::Writer* to_ = nullptr;
  Team* team_ = nullptr;
  const part::PartSet* parts_ = nullptr;
  std::optional<part::PartSet> shared_;  ///< what a team has found
  bool said_ = false;                    ///< who is in the team
};

}  // namespace fastid::asking
