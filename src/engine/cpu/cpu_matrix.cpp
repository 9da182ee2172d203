// The kernels of cpu_matrix.hpp, by intrinsics: Google Highway does not know tiles.
#include "engine/cpu/cpu_matrix.hpp"

#if defined(__x86_64__) && defined(__linux__)
#define FASTID_MATRIX_UNIT 1
#include <cpuid.h>
#ifndef __clang__  // GCC 12 warns of its own header
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#ifndef __clang__
#pragma GCC diagnostic pop
#endif
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <utility>
#else
#define FASTID_MATRIX_UNIT 0
#endif

namespace fastid {

#if FASTID_MATRIX_UNIT

#define FASTID_TARGET \
  __attribute__((target("amx-tile,amx-int8,avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,gfni")))
#define FASTID_MATRIX_INLINE inline __attribute__((always_inline)) FASTID_TARGET

namespace {

constexpr std::size_t kVector = 64;  // bytes
constexpr std::size_t kVectorLanes = 16;
constexpr std::size_t kTileBytes = 1024;
constexpr std::size_t kAhead = 2;   // products whose profiles are made before they are multiplied
constexpr std::size_t kPlaces = 4;  // at least kAhead + 1
constexpr std::size_t kSumsStride = kLanes * sizeof(std::int32_t);

// Tiles 0 to 3: sums of [tile of queries][half of the block]; 4, 5: queries; 6, 7: profiles.
struct alignas(64) TileSetup {
  std::uint8_t palette = 1, start_row = 0;
  std::uint8_t reserved[14] = {};
  std::uint16_t row_bytes[16] = {};
  std::uint8_t rows[16] = {};
};
static_assert(sizeof(TileSetup) == 64);

bool cpu_has_matrix_unit() {
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  constexpr unsigned kTile = 1U << 24, kInt8 = 1U << 25;  // of edx
  constexpr unsigned kGfni = 1U << 8;                     // of ecx
  return (d & kTile) != 0 && (d & kInt8) != 0 && (c & kGfni) != 0 && __builtin_cpu_supports("avx512f") != 0 &&
         __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
         __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512vpopcntdq") != 0;
}

// Tiles are so large that Linux saves them only for programs that have asked.
bool system_lets_use_tiles() {
  constexpr long kRequestPermission = 0x1023, kTileData = 18;  // asm/prctl.h, Linux 5.16 and later
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
}

// Where the profiles of a run's products lie.
struct ProfilePlaces {
  std::uint8_t* first;
  std::size_t mask;  // where no other group reads them, a few places serve for all

  FASTID_MATRIX_INLINE std::uint8_t* of(std::size_t product) const {
    return first + (product & mask) * kProductProfileBytes;
  }
};

// Writes a block's bits as bytes, a product's share at a time.
//   word:  bit 31 ... bit 0 of a profile  ->  row r: its bits r, r + 8, r + 16, r + 24
template <int kPlanes>
class Unpacker {
 public:
  FASTID_MATRIX_INLINE Unpacker(const MatrixSource& source, const ProfilePlaces& places,
                                std::size_t n_products)
      : source_(source),
        from_(source.bits),
        other_(source.called),
        places_(places),
        words_(source.n_words),
        n_(n_products) {
    for (std::size_t half = 0; half < 2; ++half)
      weights_[half] = source.weights == nullptr || source.begin
                           ? _mm512_setzero_si512()
                           : _mm512_load_si512(source.weights + half * kVectorLanes);
    // A row of the matrix for each bit of a byte that is made: only the last, bit 0, takes one.
    for (int r = 0; r < 8; ++r)
      bit_[r] = _mm512_set1_epi64(static_cast<long long>(std::uint64_t{1} << (56 + r)));
  }

  FASTID_MATRIX_INLINE void next() {
    if (next_ == n_) return;
    std::uint8_t* const to = places_.of(next_++);
    const bool weigh = kPlanes == 1 || odd_;  // the plane of calls, if there is one
    half(0, to, weigh);
    half(1, to, weigh);
    from_ += kProductWords * kLanes;
    if constexpr (kPlanes == 2) std::swap(from_, other_);
    if (kPlanes == 1 || (odd_ = !odd_) == false) words_ -= std::min(words_, kProductWords);
  }
  // What the profiles weigh, up to here.
  FASTID_MATRIX_INLINE void store_weights() const {
    if (source_.weights == nullptr) return;
    for (std::size_t half = 0; half < 2; ++half)
      _mm512_store_si512(source_.weights + half * kVectorLanes, weights_[half]);
  }

 private:
  FASTID_MATRIX_INLINE void half(std::size_t half, std::uint8_t* to, bool weigh) {
    word(from_ + half * kVectorLanes, to + half * kTileBytes, weigh ? &weights_[half] : nullptr);
    std::uint8_t* const second = to + half * kTileBytes + 8 * kVector;
    if (words_ > 1) [[likely]]
      word(from_ + kLanes + half * kVectorLanes, second, weigh ? &weights_[half] : nullptr);
    else
      for (int r = 0; r < 8; ++r) _mm512_store_si512(second + r * kVector, _mm512_setzero_si512());
  }
  FASTID_MATRIX_INLINE void word(const Word* from, std::uint8_t* to, __m512i* weights) {
    constexpr std::size_t kFetch = 4096 / sizeof(Word);
    _mm_prefetch(reinterpret_cast<const char*>(from + kFetch), _MM_HINT_T1);
    const __m512i words = _mm512_load_si512(from);
    if (weights != nullptr) *weights = _mm512_add_epi32(*weights, _mm512_popcnt_epi32(words));
#pragma GCC unroll 8
    for (int r = 0; r < 8; ++r)
      _mm512_store_si512(to + r * kVector, _mm512_gf2p8affine_epi64_epi8(words, bit_[r], 0));
  }

  const MatrixSource& source_;
  __m512i bit_[8], weights_[2];
  const Word *from_, *other_;
  ProfilePlaces places_;
  std::size_t words_, n_, next_ = 0;
  bool odd_ = false;
};

template <>
class Unpacker<0> {
 public:
  FASTID_MATRIX_INLINE Unpacker(const MatrixSource&, const ProfilePlaces&, std::size_t) {}
  FASTID_MATRIX_INLINE void next() {}
  FASTID_MATRIX_INLINE void store_weights() const {}
};

enum class TestBy { kNothing, kLimit, kWeight };

FASTID_MATRIX_INLINE __m512i sums_of(const MatrixTest& test, std::size_t query, std::size_t half) {
  return _mm512_load_si512(test.sums + query * kLanes + half * kVectorLanes);
}

// What the sums of one query must stay below.
template <TestBy kBy>
FASTID_MATRIX_INLINE __m512i limits_of(const MatrixLimits& limits, std::size_t query, __m512 weights) {
  if constexpr (kBy != TestBy::kWeight) return _mm512_set1_epi32(limits.limit[query]);
  const __m512 by_weight = _mm512_fmadd_ps(_mm512_set1_ps(limits.ratio[query]), weights, _mm512_set1_ps(1));
  return _mm512_cvttps_epi32(_mm512_min_ps(by_weight, _mm512_set1_ps(limits.most[query])));
}

FASTID_MATRIX_INLINE __m512 weights_of(const MatrixTest& test, std::size_t half) {
  return _mm512_cvtepi32_ps(_mm512_load_si512(test.weights + half * kVectorLanes));
}

// Tests sums, so many queries at a time.
template <TestBy kBy>
class Tester {
 public:
  FASTID_MATRIX_INLINE Tester(const MatrixTest& test, std::size_t turns)
      : test_(test), a_turn_((test.n_queries + turns - 1) / turns), short_(_mm512_setzero_si512()) {
    if constexpr (kBy == TestBy::kWeight) {
      weights_[0] = weights_of(test, 0);
      weights_[1] = weights_of(test, 1);
    }
  }
  FASTID_MATRIX_INLINE void next() {
    for (const std::size_t end = std::min(query_ + a_turn_, test_.n_queries); query_ < end; ++query_)
      short_ = _mm512_ternarylogic_epi32(short_, above(0), above(1), 0xFE);  // or of three
  }
  FASTID_MATRIX_INLINE bool any() const { return _mm512_movepi32_mask(short_) != 0; }

 private:
  // Negative where a sum is below its limit.
  FASTID_MATRIX_INLINE __m512i above(std::size_t half) const {
    return _mm512_sub_epi32(sums_of(test_, query_, half),
                            limits_of<kBy>(*test_.limits, query_, weights_[half]));
  }
  const MatrixTest& test_;
  std::size_t a_turn_, query_ = 0;
  __m512i short_;
  __m512 weights_[2] = {};
};

template <>
class Tester<TestBy::kNothing> {
 public:
  FASTID_MATRIX_INLINE Tester(const MatrixTest&, std::size_t) {}
  FASTID_MATRIX_INLINE void next() {}
  FASTID_MATRIX_INLINE bool any() const { return false; }
};

template <int kPlanes, TestBy kBy>
FASTID_TARGET __attribute__((noinline)) bool multiply_as(const MatrixRun& run, const MatrixSource& source,
                                                         const MatrixTest& test) {
  const ProfilePlaces places{run.profiles, run.keep ? SIZE_MAX : kPlaces - 1};
  Unpacker<kPlanes> unpacker(source, places, run.n_products);
  Tester<kBy> tester(test, run.n_products);
  for (std::size_t i = 0; i < kAhead; ++i) unpacker.next();
  const std::size_t tile_queries = run.n_queries / 2;
  std::int32_t* const sums[2] = {run.sums, run.sums + tile_queries * kLanes};
  if (run.begin) {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  } else {
    _tile_loadd(0, sums[0], kSumsStride);
    _tile_loadd(1, sums[0] + kVectorLanes, kSumsStride);
    _tile_loadd(2, sums[1], kSumsStride);
    _tile_loadd(3, sums[1] + kVectorLanes, kSumsStride);
  }
  const std::int8_t* queries = run.queries;
  for (std::size_t i = 0; i < run.n_products; ++i) {
    const std::uint8_t* const profiles = places.of(i);
    unpacker.next();
    tester.next();
    asm volatile("" ::: "memory");  // GCC 12 does not know that a tile is read from memory
    _tile_loadd(6, profiles, kVector);
    _tile_stream_loadd(4, queries, kVector);  // past L1, where profiles lie
    _tile_dpbsud(0, 4, 6);
    _tile_loadd(7, profiles + kTileBytes, kVector);
    _tile_dpbsud(1, 4, 7);
    _tile_stream_loadd(5, queries + tile_queries * kProductSites, kVector);
    _tile_dpbsud(2, 5, 6);
    _tile_dpbsud(3, 5, 7);
    queries += run.n_queries * kProductSites;
  }
  _tile_stored(0, sums[0], kSumsStride);
  _tile_stored(1, sums[0] + kVectorLanes, kSumsStride);
  _tile_stored(2, sums[1], kSumsStride);
  _tile_stored(3, sums[1] + kVectorLanes, kSumsStride);
  unpacker.store_weights();
  asm volatile("" ::: "memory");
  return tester.any();
}

template <TestBy kBy>
FASTID_TARGET bool test_as(const MatrixTest& test) {
  Tester<kBy> tester(test, 1);
  tester.next();
  return tester.any();
}

template <TestBy kBy>
FASTID_TARGET std::size_t list_as(const MatrixTest& test, MatrixHit* hits) {
  MatrixHit* next = hits;
  for (std::size_t half = 0; half < 2; ++half) {
    const __m512 weights = kBy == TestBy::kWeight ? weights_of(test, half) : _mm512_setzero_ps();
    for (std::size_t query = 0; query < test.n_queries; ++query) {
      const __m512i limits = limits_of<kBy>(*test.limits, query, weights);
      std::uint32_t left = _mm512_cmplt_epi32_mask(sums_of(test, query, half), limits);
      for (; left != 0; left &= left - 1) {
        const auto profile = half * kVectorLanes + static_cast<std::size_t>(std::countr_zero(left));
        *next++ = {static_cast<std::uint16_t>(profile), static_cast<std::uint16_t>(query),
                   test.sums[query * kLanes + profile]};
      }
    }
  }
  return static_cast<std::size_t>(next - hits);
}

TestBy test_by(const MatrixTest& test) {
  if (test.sums == nullptr) return TestBy::kNothing;
  return test.weights == nullptr ? TestBy::kLimit : TestBy::kWeight;
}

template <int kPlanes>
bool multiply_planes(const MatrixRun& run, const MatrixSource& source, const MatrixTest& test) {
  switch (test_by(test)) {
    case TestBy::kLimit:
      return multiply_as<kPlanes, TestBy::kLimit>(run, source, test);
    case TestBy::kWeight:
      return multiply_as<kPlanes, TestBy::kWeight>(run, source, test);
    default:
      return multiply_as<kPlanes, TestBy::kNothing>(run, source, test);
  }
}

FASTID_TARGET void set_up_tiles(std::size_t n) {
  TileSetup setup;
  std::ranges::fill_n(setup.row_bytes, 8, std::uint16_t{kVector});
  std::ranges::fill_n(setup.rows, 6, static_cast<std::uint8_t>(n / 2));
  std::ranges::fill_n(setup.rows + 6, 2, std::uint8_t{16});
  asm volatile("" ::"r"(&setup) : "memory");  // GCC 12 takes the first 8 bytes alone for read
  _tile_loadconfig(&setup);
}
FASTID_TARGET void release_tiles() {
  _tile_release();
}

// Queries and profiles are those of zeroed tiles: what is multiplied makes no difference to the unit's time.
FASTID_TARGET double multiply_zeros(std::uint64_t rounds) {
  for (std::uint64_t round = 0; round < rounds; ++round) {
    _tile_dpbsud(0, 4, 6);
    _tile_dpbsud(1, 4, 7);
    _tile_dpbsud(2, 5, 6);
    _tile_dpbsud(3, 5, 7);
  }
  return static_cast<double>(rounds) * kMatrixSums * kProductSites;
}

}  // namespace

bool has_matrix_unit() {
  static const bool has = cpu_has_matrix_unit() && system_lets_use_tiles();
  return has;
}

MatrixTiles::MatrixTiles(std::size_t n) {
  set_up_tiles(n);
}
MatrixTiles::~MatrixTiles() {
  release_tiles();
}

bool multiply(const MatrixRun& run, const MatrixSource& source, const MatrixTest& test) {
  if (source.bits == nullptr) return multiply_planes<0>(run, source, test);
  if (source.called == nullptr) return multiply_planes<1>(run, source, test);
  return multiply_planes<2>(run, source, test);
}

bool may_pass(const MatrixTest& test) {
  return test.weights == nullptr ? test_as<TestBy::kLimit>(test) : test_as<TestBy::kWeight>(test);
}

std::size_t list_hits(const MatrixTest& test, MatrixHit* hits) {
  return test.weights == nullptr ? list_as<TestBy::kLimit>(test, hits) : list_as<TestBy::kWeight>(test, hits);
}

double multiply_registers(std::uint64_t rounds) {
  const MatrixTiles tiles(kMatrixGroup);
  return multiply_zeros(rounds);
}

#else

bool has_matrix_unit() {
  return false;
}
MatrixTiles::MatrixTiles(std::size_t) {}
MatrixTiles::~MatrixTiles() = default;
bool multiply(const MatrixRun&, const MatrixSource&, const MatrixTest&) {
  return false;
}
bool may_pass(const MatrixTest&) {
  return false;
}
std::size_t list_hits(const MatrixTest&, MatrixHit*) {
  return 0;
}
double multiply_registers(std::uint64_t) {
  return 0;
}

#endif

}  // namespace fastid
