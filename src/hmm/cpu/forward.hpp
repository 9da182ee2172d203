/// \file
/// The forward algorithm on vectors: each element is a separate pair.
///
///             haplotype columns j -->            The table is walked in strips of kRows rows, and within a
///   strip   +------------------------+           strip column by column. A strip's parameters and what goes
///   of rows | m, J, K in registers   |           from column to column stay in registers; from strip to
///           +------------------------+           strip go two numbers a column:
///             S[j]  J[j]  in memory
///
/// The formulas of pair_hmm.hpp take eight multiplications and additions a cell. Five operations are left
/// (one multiplication, four fused multiply-adds) once the states are scaled by the factors of the next row:
///
///   m[i][j] = p[i][j] mm[i+1] S[i-1][j-1]
///   J[i+1][j] = m[i][j] + b[i+1] J[i][j]     K[i][j+1] = m[i][j] + ii[i] K[i][j]
///   S[i][j] = m[i][j] + A[i] J[i][j] + C[i] K[i][j]
///
/// where m = mm[i+1] M, A J = im[i+1] I, C K = im[i+1] D, and so A[i] = im[i+1] mi[i] / mm[i],
/// C[i] = im[i+1] md[i] / mm[i+1], b[i+1] = ii[i+1] (mi[i] / mm[i]) / (mi[i+1] / mm[i+1]). Past the last row
/// mm and im are 1 and C is 0: the likelihood is the sum of S[R]. Shorter reads of a vector have rows of the
/// word 0 above their first row, which pass on D[0].
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hmm/pair_hmm.hpp"

namespace fastid::hmm {

/// A read and a haplotype.
struct Lane {
  std::span<const Row> rows;
  std::span<const std::uint8_t> bases;
};

/// A thread's memory, kept from call to call.
struct ForwardMemory {
  std::vector<unsigned char> bytes;
};

/// Computes log10 of the likelihoods of 1 to `lanes` pairs whose reads are divisible(); NaN where the number
/// format has too few bits for a pair.
using Forward = void (*)(std::span<const Lane> lanes, ForwardMemory& memory, double* log10);

/// The kernels of an instruction set, and the pairs that each takes at once.
struct ForwardKernels {
  Forward in_float = nullptr, in_double = nullptr;
  std::size_t float_lanes = 0, double_lanes = 0;
  const char* target = nullptr;
};

/// The kernels of the best instruction set that this CPU has.
const ForwardKernels& forward_kernels();
/// The kernels of a target by its name; null where the CPU or the program lacks it. Not thread-safe.
const ForwardKernels* forward_kernels_of(const std::string& target);

}  // namespace fastid::hmm
