#include "engine/cpu/cpu_matrix_unit.hpp"

#include <hwy/base.h>

#include <algorithm>
#include <atomic>
#include <cstring>

#include "bits/popcount.hpp"

#if defined(__x86_64__) && defined(__linux__)
#define FASTID_HAS_AMX 1
#include <cpuid.h>
#include <immintrin.h>
#include <sys/syscall.h>
#include <unistd.h>
#else
#define FASTID_HAS_AMX 0
#endif

#pragma GCC diagnostic ignored "-Wpsabi"  // of vectors as arguments: all such functions are inlined
#if HWY_COMPILER_GCC_ACTUAL               // takes what intrinsics leave open for a mistake
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace fastid::engine {
namespace {

constexpr std::size_t kVectorBytes = 64, kVectorLanes = 16, kTileBytes = 1024;
constexpr std::size_t kSumsStride = kLanes * sizeof(std::int32_t);  // bytes, of a query's
constexpr std::size_t kFetchWords = 1024;                           // so far ahead

using Vector [[gnu::vector_size(64), gnu::may_alias]] = std::uint32_t;
using Signed [[gnu::vector_size(64), gnu::may_alias]] = std::int32_t;
using Bytes [[gnu::vector_size(64), gnu::may_alias]] = std::uint8_t;
using Floats [[gnu::vector_size(64), gnu::may_alias]] = float;

// The unit in plain C++.
namespace plain_unit {

using Tile = std::array<std::int8_t, kTileBytes>;
thread_local std::array<Tile, 8> tiles;

void set_up() {}
void release() {}
template <int T>
void zero_tile() {
  tiles[T].fill(0);
}
template <int T>
void load_tile(const void* from, std::size_t stride) {
  for (std::size_t row = 0; row < 16; ++row)
    std::memcpy(&tiles[T][row * 64], static_cast<const char*>(from) + row * stride, 64);
}
template <int T>
void stream_tile(const void* from) {
  load_tile<T>(from, 64);
}
template <int T>
void store_tile(void* to, std::size_t stride) {
  for (std::size_t row = 0; row < 16; ++row)
    std::memcpy(static_cast<char*>(to) + row * stride, &tiles[T][row * 64], 64);
}
// Tile C += tile 4 + C / 2 times tile 6 + C % 2.
template <int C>
void multiply_tiles() {
  const Tile &a = tiles[4 + C / 2], &b = tiles[6 + C % 2];
  std::array<std::int32_t, kTileBytes / sizeof(std::int32_t)> sums{};
  std::memcpy(sums.data(), tiles[C].data(), kTileBytes);
  for (std::size_t row = 0; row < 16; ++row)
    for (std::size_t four = 0; four < 64; four += 4)
      for (std::size_t column = 0; column < 16; ++column)
        for (std::size_t k = 0; k < 4; ++k)
          sums[row * 16 + column] += a[row * 64 + four + k] * b[four * 16 + column * 4 + k];
  std::memcpy(tiles[C].data(), sums.data(), kTileBytes);
}

HWY_INLINE Vector load_vector(const void* from) {
  return *static_cast<const Vector*>(from);
}
HWY_INLINE void store_vector(void* to, const Vector& v) {
  *static_cast<Vector*>(to) = v;
}
// Bits r, r + 8, r + 16 and r + 24 of each word, a byte each.
HWY_INLINE Vector spread(const Vector& words, int r) {
  return words >> r & 0x01010101u;
}
HWY_INLINE Vector bits_set_of(const Vector& words) {
  Vector sums;
  for (std::size_t i = 0; i < kVectorLanes; ++i) sums[i] = static_cast<Word>(bits_set(words[i]));
  return sums;
}
HWY_INLINE Floats greater(const Floats& a, const Floats& b) {
  return a > b ? a : b;
}
HWY_INLINE Floats lesser(const Floats& a, const Floats& b) {
  return a < b ? a : b;
}
HWY_INLINE Vector to_whole(const Floats& v) {
  return reinterpret_cast<Vector>(__builtin_convertvector(v, Signed));
}
HWY_INLINE bool any_negative(const Vector& v) {
  Word any = 0;
  for (std::size_t i = 0; i < kVectorLanes; ++i) any |= v[i];
  return any >> 31 != 0;
}

#include "engine/cpu/cpu_matrix_steps.hpp"

}  // namespace plain_unit

#if FASTID_HAS_AMX
HWY_PUSH_ATTRIBUTES("amx-tile,amx-int8,avx2,avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,gfni")
namespace amx_unit {

// What LDTILECFG reads.
struct alignas(64) TileSetup {
  std::uint8_t palette = 1, start_row = 0;
  std::array<std::uint8_t, 14> reserved{};
  std::array<std::uint16_t, 16> row_bytes{};
  std::array<std::uint8_t, 16> rows{};
};

void set_up() {
  TileSetup setup;
  for (std::size_t i = 0; i < 8; ++i) {
    setup.row_bytes[i] = 64;
    setup.rows[i] = 16;
  }
  asm volatile("ldtilecfg %0" ::"m"(setup));
}
void release() {
  _tile_release();
}
// The intrinsics want literals, and so are macros.
template <int T>
HWY_INLINE void zero_tile() {
  if constexpr (T == 0) _tile_zero(0);
  if constexpr (T == 1) _tile_zero(1);
  if constexpr (T == 2) _tile_zero(2);
  if constexpr (T == 3) _tile_zero(3);
}
template <int T>
HWY_INLINE void load_tile(const void* from, std::size_t stride) {
  if constexpr (T == 0) _tile_loadd(0, from, stride);
  if constexpr (T == 1) _tile_loadd(1, from, stride);
  if constexpr (T == 2) _tile_loadd(2, from, stride);
  if constexpr (T == 3) _tile_loadd(3, from, stride);
  if constexpr (T == 6) _tile_loadd(6, from, stride);
  if constexpr (T == 7) _tile_loadd(7, from, stride);
}
template <int T>
HWY_INLINE void stream_tile(const void* from) {
  if constexpr (T == 4) _tile_stream_loadd(4, from, 64);
  if constexpr (T == 5) _tile_stream_loadd(5, from, 64);
}
template <int T>
HWY_INLINE void store_tile(void* to, std::size_t stride) {
  if constexpr (T == 0) _tile_stored(0, to, stride);
  if constexpr (T == 1) _tile_stored(1, to, stride);
  if constexpr (T == 2) _tile_stored(2, to, stride);
  if constexpr (T == 3) _tile_stored(3, to, stride);
}
template <int C>
HWY_INLINE void multiply_tiles() {
  if constexpr (C == 0) _tile_dpbssd(0, 4, 6);
  if constexpr (C == 1) _tile_dpbssd(1, 4, 7);
  if constexpr (C == 2) _tile_dpbssd(2, 5, 6);
  if constexpr (C == 3) _tile_dpbssd(3, 5, 7);
}

HWY_INLINE Vector load_vector(const void* from) {
  return *static_cast<const Vector*>(from);
}
HWY_INLINE void store_vector(void* to, Vector v) {
  *static_cast<Vector*>(to) = v;
}
// Multiplies each byte by a matrix of 8 x 8 bits whose last row alone is not 0: the product is bit r of the
// byte.
HWY_INLINE Vector spread(Vector words, int r) {
  const __m512i matrix = _mm512_set1_epi64(std::int64_t{1} << (56 + r));
  return reinterpret_cast<Vector>(_mm512_gf2p8affine_epi64_epi8(reinterpret_cast<__m512i>(words), matrix, 0));
}
HWY_INLINE Vector bits_set_of(Vector words) {
  return reinterpret_cast<Vector>(_mm512_popcnt_epi32(reinterpret_cast<__m512i>(words)));
}
HWY_INLINE Floats greater(Floats a, Floats b) {
  return _mm512_max_ps(a, b);
}
HWY_INLINE Floats lesser(Floats a, Floats b) {
  return _mm512_min_ps(a, b);
}
HWY_INLINE Vector to_whole(Floats v) {
  return reinterpret_cast<Vector>(_mm512_cvttps_epi32(v));
}
HWY_INLINE bool any_negative(Vector v) {
  return _mm512_movepi32_mask(reinterpret_cast<__m512i>(v)) != 0;
}

// NOLINTNEXTLINE(readability-duplicate-include)
#include "engine/cpu/cpu_matrix_steps.hpp"

}  // namespace amx_unit
HWY_POP_ATTRIBUTES

// Linux gives a process the tiles' registers only when it asks.
bool may_use_amx() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kTile = 1u << 24, kInt8 = 1u << 25;
  constexpr int kAskForState = 0x1023, kTileData = 18;  // ARCH_REQ_XCOMP_PERM
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512vpopcntdq") && __builtin_cpu_supports("gfni") &&
         __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (d & kTile) != 0 && (d & kInt8) != 0 &&
         syscall(SYS_arch_prctl, kAskForState, kTileData) == 0;
}
#else
bool may_use_amx() {
  return false;
}
#endif

}  // namespace

bool cpu_multiplies_bytes() {
  static const bool may = may_use_amx();
  return may;
}

const MatrixKernels& matrix_kernels(Multiply multiply) {
#if FASTID_HAS_AMX
  if (!is_plain(multiply)) return amx_unit::kKernels;
#endif
  return plain_unit::kKernels;
}

}  // namespace fastid::engine
