/// \file
/// A run of products of cpu_matrix_unit.cpp. Like engine/cpu/cpu_cases.hpp it has no include guard: it is
/// read once for each unit, whose namespace has the tiles and a few operations on vectors.
///
/// 8 tiles: sums of 16 queries and 16 profiles (0 to 3), the factors of 16 queries (4, 5), 4 sites in each of
/// 16 rows of 16 profiles (6, 7). While the unit multiplies, vectors make the bytes of a later product and
/// test a part of older sums.

// Makes the bytes of one product after another: [half of the lanes][site of 4][lane][4 sites].
template <StoredBytes kStored>
class Unpacker {
 public:
  HWY_INLINE Unpacker(const MatrixSource& source, std::uint8_t* to, std::size_t mask, std::size_t n)
      : source_(source), to_(to), mask_(mask), n_(n), product_(source.first) {}

  HWY_INLINE void next() {
    if (next_ == n_) return;
    std::uint8_t* to = to_ + (next_++ & mask_) * kProductBytes;
    constexpr std::size_t kProducts = products_of(kStored);
    const std::size_t word = product_ / kProducts * 2;
    const bool first = product_ % kProducts == 0;
    ++product_;
    for (std::size_t half = 0; half < 2; ++half, to += kTileBytes) {
      make(word, first, half, to);
      if (word + 1 < source_.n_words)
        make(word + 1, first, half, to + kTileBytes / 2);
      else
        for (std::size_t r = 0; r < 8; ++r) store_vector(to + kTileBytes / 2 + r * kVectorBytes, Vector{});
    }
  }

 private:
  HWY_INLINE void make(std::size_t word, bool first, std::size_t half, std::uint8_t* to) {
    const std::size_t at = word * kLanes + half * kVectorLanes;
    const Vector minor = load_vector(source_.minor + at);
    if constexpr (kStored == StoredBytes::kBits) {
      note_bits(at, half, minor);
      _Pragma("GCC unroll 8") for (int r = 0; r < 8; ++r)
          store_vector(to + r * kVectorBytes, spread(minor, r));
    } else {
      const Vector major = load_vector(source_.major + at);
      if (first) note(word, half, minor, major);
      const Vector low = major & ~minor, high = minor & ~major;
      const Vector bits = first ? low : high;
      _Pragma("GCC unroll 8") for (int r = 0; r < 8; ++r) {
        if constexpr (kStored == StoredBytes::kCopies)
          store_vector(to + r * kVectorBytes,
                       reinterpret_cast<Vector>(reinterpret_cast<Bytes>(spread(high, r)) -
                                                reinterpret_cast<Bytes>(spread(low, r))));
        else
          store_vector(to + r * kVectorBytes, spread(bits, r));
      }
    }
  }
  HWY_INLINE void count(std::size_t half, const Vector& counted) {
    std::uint32_t* const denominators = source_.denominators + half * kVectorLanes;
    store_vector(denominators, load_vector(denominators) + bits_set_of(counted));
  }
  HWY_INLINE void note_bits(std::size_t at, std::size_t half, const Vector& minor) {
    __builtin_prefetch(source_.minor + at + kFetchWords, 0, 2);
    if (source_.denominators != nullptr) count(half, minor);
  }
  // Counts what the profiles' denominators are, and notes where a call is missing.
  HWY_INLINE void note(std::size_t word, std::size_t half, const Vector& minor, const Vector& major) {
    __builtin_prefetch(source_.minor + word * kLanes + half * kVectorLanes + kFetchWords, 0, 2);
    __builtin_prefetch(source_.major + word * kLanes + half * kVectorLanes + kFetchWords, 0, 2);
    count(half, source_.of_both ? minor & major : minor | major);
    std::uint32_t* const not_called = source_.not_called + half * kVectorLanes;
    const Word sites = word + 1 == source_.n_words ? source_.last_sites : ~Word{0};
    store_vector(not_called, load_vector(not_called) | (~(minor | major) & sites));
  }

  const MatrixSource& source_;
  std::uint8_t* to_;
  std::size_t mask_, n_, next_ = 0, product_;
};

// Whether any pair of a group and a block may pass, a part of the queries at a time (GroupThresholds).
class Tester {
 public:
  HWY_INLINE Tester(const MatrixTest& test, std::size_t turns)
      : test_(test), turn_((kMatrixGroup + turns - 1) / turns) {
    for (std::size_t half = 0; half < 2; ++half) {
      const Vector own = load_vector(test.denominators + half * kVectorLanes);
      floats_[half] =
          greater(__builtin_convertvector(reinterpret_cast<Signed>(own), Floats), Floats{} + 1.0F);
      added_[half] = test.adds_homozygous ? Vector{} + test.n_sites - own : Vector{};
    }
  }

  HWY_INLINE void next() {
    for (const std::size_t end = std::min(query_ + turn_, kMatrixGroup); query_ < end; ++query_)
      any_ |= short_of_limit(0) | short_of_limit(1);
  }
  HWY_INLINE bool any() const { return any_negative(any_); }
  // Bit i: query i.
  HWY_INLINE std::uint32_t which() {
    std::uint32_t which = 0;
    for (query_ = 0; query_ < kMatrixGroup; ++query_)
      which |= std::uint32_t{any_negative(short_of_limit(0) | short_of_limit(1))} << query_;
    return which;
  }

 private:
  HWY_INLINE Vector short_of_limit(std::size_t half) const {
    const GroupThresholds& limits = test_.thresholds[query_ / kMaxGroup];
    const std::size_t i = query_ % kMaxGroup;
    const Floats from =
        greater(limits.least[i] - Floats{}, limits.beyond[i] - limits.ratio[i] * floats_[half]);
    const Vector start = to_whole(lesser(from, Floats{}));
    return load_vector(test_.sums + query_ * kLanes + half * kVectorLanes) + added_[half] +
           static_cast<Word>(test_.constants[query_]) + start;
  }

  const MatrixTest& test_;
  std::size_t turn_, query_ = 0;
  Vector any_{}, added_[2];
  Floats floats_[2];
};

inline constexpr std::size_t kAhead = 2, kPlaces = 4;  // products whose bytes are made before, and are kept

// Returns whether a pair of `test` may pass.
template <StoredBytes kStored, bool kMakes, bool kTests>
HWY_NOINLINE bool multiply_as(const MatrixRun& run, const MatrixSource& source, const MatrixTest& test) {
  const std::size_t mask = run.keep ? SIZE_MAX : kPlaces - 1;
  Tester tester(test, run.n);
  Unpacker<kStored> unpacker(source, run.profiles, mask, kMakes ? run.n : 0);
  if constexpr (kMakes)
    for (std::size_t i = 0; i < kAhead; ++i) unpacker.next();
  std::int32_t* const lower = run.sums + kMatrixGroup / 2 * kLanes;
  if (run.begin) {
    zero_tile<0>(), zero_tile<1>(), zero_tile<2>(), zero_tile<3>();
  } else {
    load_tile<0>(run.sums, kSumsStride), load_tile<1>(run.sums + kVectorLanes, kSumsStride);
    load_tile<2>(lower, kSumsStride), load_tile<3>(lower + kVectorLanes, kSumsStride);
  }
  const std::int8_t* queries = run.queries;
  for (std::size_t i = 0; i < run.n; ++i, queries += kProductBytes) {
    const std::uint8_t* const profiles = run.profiles + (i & mask) * kProductBytes;
    if constexpr (kMakes) unpacker.next();
    if constexpr (kTests) tester.next();
    std::atomic_signal_fence(std::memory_order_seq_cst);  // tiles are read as memory has them
    load_tile<6>(profiles, kVectorBytes);
    stream_tile<4>(queries);
    multiply_tiles<0>();
    load_tile<7>(profiles + kTileBytes, kVectorBytes);
    multiply_tiles<1>();
    stream_tile<5>(queries + kTileBytes);
    multiply_tiles<2>();
    multiply_tiles<3>();
  }
  store_tile<0>(run.sums, kSumsStride), store_tile<1>(run.sums + kVectorLanes, kSumsStride);
  store_tile<2>(lower, kSumsStride), store_tile<3>(lower + kVectorLanes, kSumsStride);
  std::atomic_signal_fence(std::memory_order_seq_cst);
  return kTests && tester.any();
}

template <StoredBytes kStored>
bool multiply(const MatrixRun& run, const MatrixSource& source, const MatrixTest& test, bool makes,
              bool tests) {
  if (makes)
    return tests ? multiply_as<kStored, true, true>(run, source, test)
                 : multiply_as<kStored, true, false>(run, source, test);
  return tests ? multiply_as<kStored, false, true>(run, source, test)
               : multiply_as<kStored, false, false>(run, source, test);
}

inline std::uint32_t queries_that_may_pass(const MatrixTest& test) {
  return Tester(test, 1).which();
}

inline constexpr MatrixKernels kKernels{
    set_up,
    release,
    {multiply<StoredBytes::kBits>, multiply<StoredBytes::kCopies>, multiply<StoredBytes::kEither>},
    queries_that_may_pass};
