/// \file
/// The cases of the table of questions (terms_of()) as OpenCL C.
#pragma once

#include <string>

#include "engine/kernel_case.hpp"

namespace fastid {

/// The macros that kernels/pair.h describes, BY_TABLE, and compare_matrix.cl's FOR_PRODUCTS, for a case that
/// counts both alleles; "" for another, which the kernels know. A program's text has them before pair.h.
std::string case_macros(KernelCase which);

}  // namespace fastid
