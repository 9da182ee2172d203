/// \file
/// What is counted, as OpenCL C: the cases of engine/kernel_case.hpp, of which those by both alleles follow
/// from the table of questions (terms_of()), and the table of sums (sums_of()).
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "engine/kernel_case.hpp"
#include "engine/ld.hpp"

namespace fastid::opencl {

/// The macros that kernels/pair.h describes. A program's text has them before pair.h.
std::string case_macros(engine::KernelCase which);

/// How compare_matrix.cl computes a case that counts minor alleles: words of a profile's bits d and called
/// sites c that a query's are multiplied with. q: the query's bits (of mixtures, the sites called without a
/// minor allele), r: its other called sites. Both alleles are counted by the products of the table.
struct MatrixCase {
  std::string_view with_q, with_r = "";  ///< the count's products: q with these words, and r; "": one product
  /// A denominator that is counted with each pair: these words of the query with these of the profile, and
  /// the count itself where `adds_count`. "": it is the query's own, or bounded.
  std::string_view denominator_query = "", denominator_stored = "";
  bool adds_count = false;
  std::string_view own = "";  ///< what bounds a count or a denominator by the profile alone; "": nothing does
  bool similar = false;       ///< the product is |q & d|, and a high one is good
  std::size_t planes = 1;     ///< of a query that are packed: q, or q and r
  std::size_t loaded = 1;     ///< of these, that products read
};
/// \param exact  masks and denominators are counted pair by pair, not bounded
MatrixCase matrix_case(engine::KernelCase which, bool exact);

/// The macros that kernels/compare_matrix.cl describes. A program's text has them before it.
std::string matrix_macros(engine::KernelCase which, bool exact);

/// The macros that kernels/ld.cl describes, and blocked.h's. \param weighed  as sums_of() has it
std::string ld_macros(engine::LdUnit unit, bool all_called, bool weighed);

/// The macros that kernels/ld_matrix.cl describes.
std::string ld_product_macros(engine::LdUnit unit, bool all_called);

/// Planes of a site that ld_matrix.cl multiplies.
std::size_t planes_multiplied(engine::LdUnit unit, bool all_called);

}  // namespace fastid::opencl
