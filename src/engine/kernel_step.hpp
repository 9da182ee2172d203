/// \file
/// What a step of a kernel that counts bits reads and counts: its arithmetic intensity.
///
///                 columns       A step reads a word, or some, of each row and of each column, and counts the
///            +-------------+    bits of each row's words AND (or XOR) each column's. Whatever the number of
///       rows |   counts    |    steps, and from wherever the words come, a byte that is read serves so many
///            +-------------+    bits.
///
/// Source. A. Ilic, F. Pratas, L. Sousa, Cache-aware Roofline Model, IEEE Computer Architecture Letters 2014:
/// the bytes of the intensity are those that the processor reads, whichever level of memory has them.
#pragma once

#include <cstddef>

#include "bits/blocks.hpp"

namespace fastid::engine {

struct KernelStep {
  double bits = 0;   ///< that the step counts; 0: nothing is known of the kernel
  double bytes = 0;  ///< of the words that it reads, each once
  /// Bits that are counted for each bit of a pair that is asked for: the products, or the words of joined
  /// products, that a question takes.
  double counted = 0;

  bool known() const { return bits > 0; }
  /// Bits counted for each byte read; 0: not known.
  double intensity() const { return bytes > 0 ? bits / bytes : 0; }
};

/// A step over one side of its rectangle of counts. `words` are those that it reads of each; they may be a
/// fraction where some share what is read.
struct StepSide {
  std::size_t n = 1;
  double words = 1;
};

constexpr KernelStep kernel_step(StepSide rows, StepSide columns, std::size_t counted) {
  const auto n_rows = static_cast<double>(rows.n), n_columns = static_cast<double>(columns.n);
  const auto times = static_cast<double>(counted);
  return {.bits = kWordBits * n_rows * n_columns * times,
          .bytes = sizeof(Word) * (n_rows * rows.words + n_columns * columns.words),
          .counted = times};
}

}  // namespace fastid::engine
