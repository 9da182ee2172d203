#include "cli/team.hpp"

#include "base/error.hpp"

namespace fastid::cli {
namespace {

asking::Team* g_team = nullptr;
std::string g_library;

}  // namespace

asking::Team* team() {
  return g_team;
}

bool follows() {
  return g_team != nullptr && !g_team->leads();
}

bool to_terminal(const OutputFile& out) {
  return g_library.empty() && out.is_terminal();
}

void make_own(asking::DeviceOptions& device) {
  device.engine.threads = own_threads(device.engine.threads);
  if (g_team == nullptr) return;
  device.gpu = g_team->local_rank();
  device.processes = g_team->local_size();
}

std::size_t own_threads(std::size_t asked) {
  return asked == 0 && g_team != nullptr ? g_team->threads() : asked;
}

void begin_together(bool shard) {
  if (g_team == nullptr) return;
  if (shard)
    throw UsageError("--shard is for runs without MPI: the processes share all of the work; leave it out");
  g_team->begin();
}

const std::string& mpi_library() {
  return g_library;
}

void set_team(asking::Team* others, const std::string& library) {
  g_team = others;
  g_library = library;
}

}  // namespace fastid::cli
