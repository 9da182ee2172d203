#include "asking/work.hpp"

#include <fmt/format.h>

#include <set>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace fastid::asking {

part::RunFacts facts_of(const part::PartSet& parts) {
  std::set<std::string> engines, descriptions;
  part::RunFacts all;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const part::RunFacts& of_part = parts.part(i).head().run;
    engines.insert(of_part.engine);
    descriptions.insert(of_part.description);
    all.workers += of_part.workers;
    all.search_seconds += of_part.search_seconds;
  }
  const std::string n = counted(parts.size(), "part");
  all.engine = fmt::format("{} ({})", fmt::join(engines, "; "), n);
  all.description = fmt::format("{} ({})", fmt::join(descriptions, "; "), n);
  return all;
}

namespace {

/// What a part says of the process that made it: "rank 1 of 4 on node7, 2 threads: ENGINE".
std::string process_text(const Team& team, std::size_t threads, const std::string& engine) {
  return fmt::format("{}, {}: {}", team.name(), counted(threads, "thread"), engine);
}

/// Says which processes have taken part, with which devices and how many threads.
void say_team(const part::PartSet& parts) {
  constexpr std::size_t kMost = 16;
  std::set<std::string> processes;
  for (std::size_t i = 0; i < parts.size(); ++i) processes.insert(parts.part(i).head().run.description);
  std::size_t said = 0;
  for (const std::string& process : processes)
    if (said++ < kMost || log::verbose()) log::note_text(process);
  if (processes.size() > kMost && !log::verbose())
    log::note("and {} (-v names all)", counted(processes.size() - kMost, "further rank"));
}

/// Has a shard done, and notes when it began and how long it took.
std::string run_shard(const Task& task, part::Head& head, part::Writer& to) {
  const Stopwatch searching;
  head.run.started_utc = utc_now();
  head.basis = task.basis();
  std::string found = task.run_shard(head, to);
  head.run.search_seconds = searching.seconds();
  return found;
}

std::string part_in_memory(const Task& task, const Team& team, const Shard& shard) {
  part::Head head{.shard = shard};
  part::Writer to;
  run_shard(task, head, to);
  head.run.description = process_text(team, task.threads, head.run.description);
  to.finish(head);
  return to.take();
}

}  // namespace

bool Work::finish(const Task& task) {
  if (head_ != nullptr) {
    if (const std::string found = run_shard(task, *head_, *to_); !found.empty())
      log::note("{} in this shard", found);
    return false;
  }
  if (team_ != nullptr && !shared_) {
    shared_ = team_->share(
        task.one_shard_each ? team_->size() : team_->shards(),
        [&](const Shard& shard) { return part_in_memory(task, *team_, shard); }, task.thresholds);
    if (task.one_shard_each) team_->told({});  // else a part of the next task could come among these
    if (!shared_) return false;
    if (!said_) say_team(*shared_);
    said_ = true;
  }
  const part::PartSet* const parts = shared_ ? &*shared_ : parts_;
  if (parts == nullptr) {
    task.run();
    return true;
  }
  for (const auto& [what, digest] : task.basis()) parts->check(what, digest);
  task.merge(*parts);
  return true;
}

}  // namespace fastid::asking
