// fastid-mpi: the program as one of the processes of an MPI job.
#include <cstdlib>

#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "cli/team.hpp"
#include "main/program.hpp"
#include "mpi/job.hpp"

int main(int argc, char** argv) {
  fastid::cli::prepare_process();
  try {
    fastid::mpi::MpiJob job(argc, argv);
    // A failing process ends the others and has printed the reason.
    if (job.size() > 1) fastid::interruption_is_told();
    fastid::cli::set_team(job.size() > 1 ? &job : nullptr, fastid::mpi::mpi_library());
    return fastid::cli::run_program(argc, argv);
  } catch (const fastid::Error& error) {
    fastid::log::error_text(error.what());
    return static_cast<int>(error.code());
  }
}
