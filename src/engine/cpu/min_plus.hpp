/// \file
/// The product of matrices in which min stands for the multiplication, on the CPU.
///
///              columns, a block of 32 ->              A micro-kernel keeps the sums of some rows with a few
///            +----+----+                              vectors of columns in registers while it walks along
///     rows   | sums of |   one q after the other:     elements q: a vector of columns is loaded, a row's
///     of a   | a micro-|   sum += min(row, column)    number is broadcast. Both come from blocks as
///     block  | kernel  |                              RealMatrix has them: [q][32].
///            +----+----+
///
/// Each pair has one sum, to which its minima are added in ascending order of q, and no instruction does more
/// than one rounding. Elements are taken in pieces that stay in L1; the sums go on from piece to piece, so
/// that neither the pieces nor the instruction set change a bit of them.
#pragma once

#include <cstddef>

#include "bits/blocks.hpp"

namespace fastid::engine {

/// Adds to the sums of every row of a block with every column of another.
/// \param rows, columns  [q][32], aligned to 64 bytes \param n  elements
/// \param sums  [row][column], aligned to 64 bytes \param stride  from row to row, a multiple of 32
template <class T>
using AddMinima = void (*)(const T* rows, const T* columns, std::size_t n, T* sums, std::size_t stride);

/// A block's numbers, or a pivot's where these are less: \param pivot  its n numbers, kLanes apart
template <class T>
using CutToPivot = void (*)(const T* rows, const T* pivot, std::size_t n, T* out);

template <class T>
struct MinPlusKernel {
  AddMinima<T> add = nullptr;
  CutToPivot<T> cut = nullptr;
};

/// The kernels of an instruction set.
struct MinPlusKernels {
  MinPlusKernel<float> of_float;
  MinPlusKernel<double> of_double;

  template <class T>
  const MinPlusKernel<T>& of() const {
    if constexpr (sizeof(T) == sizeof(float))
      return of_float;
    else
      return of_double;
  }
};

/// Those of the best instruction set that this CPU has.
const MinPlusKernels& min_plus_kernels();

}  // namespace fastid::engine
