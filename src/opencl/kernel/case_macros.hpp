/// \file
/// The cases of the table of questions (terms_of()), and of the table of sums (sums_of()), as OpenCL C.
#pragma once

#include <cstddef>
#include <string>

#include "engine/kernel_case.hpp"
#include "engine/ld.hpp"

namespace fastid::opencl {

/// The macros that kernels/pair.h describes, BY_TABLE, and compare_matrix.cl's FOR_PRODUCTS, for a case that
/// counts both alleles; "" for another, which the kernels know. A program's text has them before pair.h.
std::string case_macros(engine::KernelCase which);

/// The macros that kernels/ld.cl describes, and blocked.h's. \param weighed  as sums_of() has it
std::string ld_macros(engine::LdUnit unit, bool all_called, bool weighed);

/// The macros that kernels/ld_matrix.cl describes.
std::string ld_product_macros(engine::LdUnit unit, bool all_called);

/// Planes of a site that ld_matrix.cl multiplies.
std::size_t planes_multiplied(engine::LdUnit unit, bool all_called);

}  // namespace fastid::opencl
