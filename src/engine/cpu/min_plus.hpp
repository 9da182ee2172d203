/// \file
/// The product of matrices in which min stands for the multiplication, on the CPU; of words of bits AND,
/// whose bits are counted.
///
///              columns, a block of 32 ->              A micro-kernel keeps the sums of some rows with a few
///            +----+----+                              vectors of columns in registers while it walks along
///     rows   | sums of |   one q after the other:     elements q: a vector of columns is loaded, a row's
///     of a   | a micro-|   sum += min(row, column)    number is broadcast. Both come from blocks as
///     block  | kernel  |                              VectorBlocks has them: [q][32].
///            +----+----+
///
/// Each pair has one sum, to which its minima are added in ascending order of q, and no instruction does more
/// than one rounding. Elements are taken in pieces that stay in L1; the sums go on from piece to piece, so
/// that neither the pieces nor the instruction set change a bit of them.
#pragma once

#include <cstddef>
#include <tuple>

#include "bits/blocks.hpp"

namespace fastid::engine {

/// Adds to the sums of rows of a block with every column of another; perhaps also to those of other rows.
/// \param rows, columns  [q][32], aligned to 64 bytes \param n  elements
/// \param first_row, row_end  of the block's 32
/// \param sums  [row][column], aligned to 64 bytes \param stride  from row to row, a multiple of 32
template <class T>
using AddMinima = void (*)(const T* rows, const T* columns, std::size_t n, std::size_t first_row,
                           std::size_t row_end, T* sums, std::size_t stride);

/// A block's elements, or a pivot's where these are less: \param pivot  its n elements, kLanes apart
template <class T>
using CutToPivot = void (*)(const T* rows, const T* pivot, std::size_t n, T* out);

template <class T>
struct MinPlusKernel {
  AddMinima<T> add = nullptr;
  CutToPivot<T> cut = nullptr;
};

/// The kernels of an instruction set, by the type of an element.
using MinPlusKernels = std::tuple<MinPlusKernel<float>, MinPlusKernel<double>, MinPlusKernel<Word>>;

/// Those of the best instruction set that this CPU has.
const MinPlusKernels& min_plus_kernels();

}  // namespace fastid::engine
