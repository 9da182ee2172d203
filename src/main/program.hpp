/// \file
/// The program, from the arguments of main() to its exit code.
#pragma once

namespace fastid::cli {

/// Prepares standard streams and signals. Call before anything else.
void prepare_process();

/// Runs the command that the arguments name, and maps every error to its exit code.
int run_program(int argc, char** argv);

}  // namespace fastid::cli
