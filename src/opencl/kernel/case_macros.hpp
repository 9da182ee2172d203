/// \file
/// The cases of the table of questions (terms_of()), and of the table of sums (sums_of()), as OpenCL C.
#pragma once

#include <cstddef>
#include <string>

#include "engine/kernel_case.hpp"
#include "engine/linkage.hpp"

namespace fastid {

/// The macros that kernels/pair.h describes, BY_TABLE, and compare_matrix.cl's FOR_PRODUCTS, for a case that
/// counts both alleles; "" for another, which the kernels know. A program's text has them before pair.h.
std::string case_macros(KernelCase which);

/// The macros that kernels/compare_sites.cl describes, and blocked.h's. \param weighed  as sums_of() has it
std::string site_macros(SiteUnit unit, bool all_called, bool weighed);

/// The macros that kernels/link_sites.cl describes.
std::string site_product_macros(SiteUnit unit, bool all_called);

/// Planes of a site that link_sites.cl multiplies.
std::size_t planes_multiplied(SiteUnit unit, bool all_called);

}  // namespace fastid
