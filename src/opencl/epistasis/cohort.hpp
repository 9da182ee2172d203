/// \file
/// A problem of epistasis on a device.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/epistasis.hpp"
#include "opencl/device_buffer.hpp"
#include "opencl/epistasis/program.hpp"

namespace fastid {

/// Question of epistasis_test.h.
struct EpistasisQuestion {
  cl_uint n_sites, n_blocks;
  cl_uint steps, control_steps;
  cl_uint first_begin, second_begin;
  cl_uint n_firsts, n_seconds;
  cl_uint first_from, first_to, second_from, second_to;
  cl_uint block_begin;
  cl_uint capacity;
  cl_float share, prior_people, prior_cases, squares, logs, people, excess, rest, least;
  cl_float all_people, all_excess;
  cl_float worst;
};

/// A problem's sites on a device, and what does not change while combinations are sought. Lanes share it.
/// \throws cl::Error
struct EpistasisCohort {
  EpistasisCohort(const cl::Context& of_context, const cl::Device& of_device, const cl::Program& of_program,
                  const EpistasisShape& of_shape, const EpistasisProblem& of_problem);

  std::size_t n_blocks() const;
  /// The most that rounding may add to, or take from, a cost that the device has scored by a table in float.
  double rounding() const;

  cl::Context context;
  cl::Device device;
  cl::Program program;
  EpistasisShape shape;
  EpistasisProblem problem;
  EpistasisQuestion question{};  ///< what is the same in all
  cl::Buffer planes, terms, own;
};

}  // namespace fastid
