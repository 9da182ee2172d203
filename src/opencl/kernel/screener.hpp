/// \file
/// The host's side of kernels/screen.cl: chains of two states along the sites (engine/screen_count.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

#include "engine/screen_count.hpp"
#include "opencl/device/cl_api.hpp"
#include "opencl/kernel/comparer.hpp"
#include "opencl/kernel/programs.hpp"

namespace fastid::opencl {

/// Queries of a work-item, of a problem with so many.
std::size_t screen_queries(std::size_t n_queries);

/// Of screen.cl. \param queries  of a work-item
ProgramSource screen_source(std::size_t queries);

/// Packs a problem's queries and tables for its kernel. \param program  of screen_source() with
/// screen_queries() of the problem's \throws cl::Error
PairKernelMaker pack_screen(const cl::Context& context, const cl::Program& program,
                            const engine::Problem& problem, const engine::ScreenCount& count);

/// Bytes on the device for the queries and for the tables: of all buffers, and of the largest of each kind.
struct ScreenBytes {
  std::uint64_t all = 0, queries = 0, tables = 0;
};
ScreenBytes screen_bytes(const engine::Problem& problem, const engine::ScreenCount& count);

}  // namespace fastid::opencl
