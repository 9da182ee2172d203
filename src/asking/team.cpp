#include "asking/team.hpp"

#include <fmt/format.h>

#include <set>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/text.hpp"

namespace fastid {

std::string process_text(const Team& team, std::size_t threads, const std::string& engine) {
  return fmt::format("{}, {}: {}", team.name(), counted(threads, "thread"), engine);
}

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

std::optional<part::PartSet> share_parts(Team& team, std::size_t threads, const MakePart& make) {
  std::optional<part::PartSet> parts = team.share([&](const Shard& shard) {
    part::Head head{.shard = shard};
    part::Writer to;
    make(head, to);
    head.run.description = process_text(team, threads, head.run.description);
    to.finish(head);
    return to.take();
  });
  if (parts) say_team(*parts);
  return parts;
}

void note_run(part::Head& head, const std::function<void()>& work) {
  const Stopwatch searching;
  head.run.started_utc = utc_now();
  work();
  head.run.search_seconds = searching.seconds();
}

}  // namespace fastid
