/// \file
/// Treats numbers below the smallest normal one as 0, since some CPUs take a hundred times as long for them.
#pragma once

#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>
#endif

namespace fastid::hmm {

/// While it exists, this thread reads denormal numbers as 0 and computes none, where the CPU has such a mode.
class FlushDenormals {
 public:
#if defined(__x86_64__) || defined(__i386__)
  FlushDenormals() : before_(_mm_getcsr()) {
    _mm_setcsr(before_ | kFlushResults | kTakeAsZero);
  }
  ~FlushDenormals() {
    _mm_setcsr(before_);
  }

 private:
  static constexpr unsigned kFlushResults = 0x8000, kTakeAsZero = 0x40;
  unsigned before_;

 public:
#else
  FlushDenormals() = default;
#endif
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;
};

}  // namespace fastid::hmm
