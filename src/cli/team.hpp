/// \file
/// The processes that share this run: fastid-mpi sets them, and fastid has none.
#pragma once

#include <cstddef>
#include <string>

#include "asking/device_options.hpp"
#include "asking/work.hpp"
#include "base/file.hpp"
#include "cli/common.hpp"

namespace fastid::cli {

/// Null: this process is alone.
asking::Team* team();
/// Whether this process does shards for another one: it reads no queries, writes nothing, and says errors
/// alone.
bool follows();
/// Whether results are printed to a terminal. The output of a rank goes to mpirun, by way of a terminal that
/// nobody looks at.
bool to_terminal(const OutputFile& out);
/// The options of a command for this process: its GPU, and its share of the threads.
void make_own(asking::DeviceOptions& device);
/// Threads for a process: as many as asked for, 0: its share where there are several.
std::size_t own_threads(std::size_t asked);

/// Where there are several processes, waits until each has found its arguments right. \param shard  whether
/// --shard was given \throws UsageError: it was; Interrupted
void begin_together(bool shard);

/// The MPI library of this program; "": it has none.
const std::string& mpi_library();

/// Called once, by main. \param others  null: there are none
void set_team(asking::Team* others, const std::string& library);

}  // namespace fastid::cli
