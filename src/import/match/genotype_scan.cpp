// Sixteen bytes at a time with SSE2, which every x86-64 has; byte by byte elsewhere and for the rest.
#include "import/match/genotype_scan.hpp"

#include <algorithm>

#if defined(__SSE2__)
#include <emmintrin.h>

#include "bits/popcount.hpp"
#endif

namespace fastid::imports {
namespace {

/// Alleles of one sample; not called where either is missing.
void put(AlleleRow& row, std::size_t sample, bool has_first, bool has_second) {
  if (has_first) row.first.set(sample);
  if (has_second) row.second.set(sample);
}

bool put_text(const char* text, std::size_t sample, AlleleRow& row) {
  const char a = text[1], b = text[3];
  const auto known = [](char c) { return c == '0' || c == '1' || c == '.'; };
  if (text[0] != '\t' || (text[2] != '/' && text[2] != '|') || !known(a) || !known(b)) return false;
  if (a != '.' && b != '.') put(row, sample, a == '0' || b == '0', a == '1' || b == '1');
  return true;
}

bool put_bcf(const std::uint8_t* values, std::size_t sample, AlleleRow& row) {
  const unsigned a = values[0] & ~1u, b = values[1] & ~1u;  // 0 missing, 2 allele 0, 4 allele 1
  if (a > 4 || b > 4) return false;
  if (a != 0 && b != 0) put(row, sample, a == 2 || b == 2, a == 4 || b == 4);
  return true;
}

#if defined(__SSE2__)

unsigned equal_bytes(__m128i bytes, char value) {
  return static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_set1_epi8(value))));
}

/// Bits 0, 4, 8 and 12 of `x`, which has no others, as bits 0 to 3.
unsigned gather_fours(unsigned x) {
  return (x | x >> 3 | x >> 6 | x >> 9) & 0xF;
}

/// Bits 0, 2 ... 14 of `x`, which has no others, as bits 0 to 7.
unsigned gather_twos(unsigned x) {
  x = (x | x >> 1) & 0x3333;
  x = (x | x >> 2) & 0x0F0F;
  return (x | x >> 4) & 0xFF;
}

struct Found {
  unsigned first = 0, second = 0;  ///< a bit a sample
  bool fits = false;
};

/// Scans four samples.
Found scan_text_vector(const char* text) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text));
  constexpr unsigned kTabs = 0x1111, kFirst = 0x2222, kSeparators = 0x4444, kSecond = 0x8888;
  const unsigned zero = equal_bytes(bytes, '0'), one = equal_bytes(bytes, '1'),
                 missing = equal_bytes(bytes, '.');
  const unsigned alleles = (zero | one | missing) & (kFirst | kSecond);
  const unsigned separators = (equal_bytes(bytes, '/') | equal_bytes(bytes, '|')) & kSeparators;
  const auto either = [](unsigned mask) { return gather_fours((mask >> 1 | mask >> 3) & kTabs); };
  const unsigned called = ~either(missing);
  return {either(zero) & called, either(one) & called,
          (alleles | separators | (equal_bytes(bytes, '\t') & kTabs)) == 0xFFFF};
}

/// Scans eight samples.
Found scan_bcf_vector(const std::uint8_t* values) {
  const __m128i bytes = _mm_and_si128(_mm_loadu_si128(reinterpret_cast<const __m128i*>(values)),
                                      _mm_set1_epi8(static_cast<char>(0xFE)));
  const unsigned missing = equal_bytes(bytes, 0), zero = equal_bytes(bytes, 2), one = equal_bytes(bytes, 4);
  const auto either = [](unsigned mask) { return gather_twos((mask | mask >> 1) & 0x5555); };
  const unsigned called = ~either(missing);
  return {either(zero) & called, either(one) & called, (missing | zero | one) == 0xFFFF};
}

/// Scans whole words of samples, `kStep` samples at a time. Returns the number of samples read, which is
/// lower than the number in whole words where some do not fit.
template <std::size_t kStep, std::size_t kBytes, class Byte, class Scan>
std::size_t scan_words(const Byte* from, std::size_t n_samples, AlleleRow& row, const Scan& scan) {
  const std::size_t whole = n_samples / 64 * 64;
  for (std::size_t sample = 0; sample < whole; sample += 64) {
    std::uint64_t first = 0, second = 0;
    for (std::size_t i = 0; i < 64; i += kStep) {
      const Found found = scan(from + (sample + i) * kBytes);
      if (!found.fits) return sample;
      first |= std::uint64_t{found.first} << i;
      second |= std::uint64_t{found.second} << i;
    }
    row.first.words()[sample / 64] = first;
    row.second.words()[sample / 64] = second;
  }
  return whole;
}

#endif

}  // namespace

bool scan_text_genotypes(std::string_view columns, std::size_t n_samples, AlleleRow& row) {
  constexpr std::size_t kBytes = 4;
  if (columns.size() / kBytes != n_samples || columns.size() % kBytes != 0) return false;
  row.first.clear();
  row.second.clear();
  std::size_t sample = 0;
#if defined(__SSE2__)
  sample = scan_words<4, kBytes>(columns.data(), n_samples, row, scan_text_vector);
#endif
  for (; sample < n_samples; ++sample)
    if (!put_text(columns.data() + sample * kBytes, sample, row)) return false;
  return true;
}

bool scan_bcf_genotypes(const std::uint8_t* values, std::size_t n_samples, AlleleRow& row) {
  constexpr std::size_t kBytes = 2;
  row.first.clear();
  row.second.clear();
  std::size_t sample = 0;
#if defined(__SSE2__)
  sample = scan_words<8, kBytes>(values, n_samples, row, scan_bcf_vector);
#endif
  for (; sample < n_samples; ++sample)
    if (!put_bcf(values + sample * kBytes, sample, row)) return false;
  return true;
}

std::size_t count_letter(std::string_view text, char letter) {
  std::size_t count = 0, at = 0;
#if defined(__SSE2__)
  for (; at + 16 <= text.size(); at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
    count += static_cast<std::size_t>(bits_set(equal_bytes(bytes, letter)));
  }
#endif
  return count + static_cast<std::size_t>(std::ranges::count(text.substr(at), letter));
}

}  // namespace fastid::imports
