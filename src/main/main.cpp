#include "main/program.hpp"

int main(int argc, char** argv) {
  fastid::cli::prepare_process();
  return fastid::cli::run_program(argc, argv);
}
