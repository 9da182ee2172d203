/* pair_hmm.cl: the forward algorithm of the pair-HMM. OpenCL C 1.2, and PTX and cl_khr_fp64 where the device has them.
 *
 * ITEMS work-items take a pair, ROWS rows of the read each, and walk its table along the antidiagonals: in a step a
 * work-item takes a column, one behind the work-item above it, from which it gets two numbers.
 *
 *             columns ->                   The states of the rows, their transitions and both emissions are in
 *   item 0   s s+1 ...                     registers, made here of the packed rows (src/hmm/pair_hmm.hpp).
 *   item 1     s  s+1 ...                  The scaled states are those of src/hmm/cpu/forward.hpp. Shorter
 *   item 2        s   s+1 ...              reads have rows of the word 0 above their first.
 *
 * Set by the build: FASTID_HMM_ROWS, FASTID_HMM_ITEMS, FASTID_HMM_PAIRS (of a work-group), FASTID_HMM_SHUFFLE (1: a
 * warp's shuffle in PTX; 0: local memory), FASTID_HMM_LOGARITHMS (1: results are log10 of likelihoods; 0: likelihoods
 * times SCALE).
 */
#define ROWS FASTID_HMM_ROWS
#define ITEMS FASTID_HMM_ITEMS
#define PAIRS FASTID_HMM_PAIRS
#define GROUP (ITEMS * PAIRS)
#define TOGETHER (FASTID_HMM_SHUFFLE ? 32 / ITEMS : PAIRS) /* pairs whose work-items take as many steps */

#define QUALITY(row, k) ((row) >> (4 + 7 * (k)) & 127)
#define LEAST_BASE_QUALITY 6
#define SCALE 0x1p100f

#if FASTID_HMM_LOGARITHMS
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define LEAST 0x1p-86f                    /* the least sum that is trusted, as in src/hmm/cpu/forward.cpp */
#define LOG10_SCALE 30.102999566398119521 /* of SCALE */
typedef double Result;
static inline Result result_of(float sum) {
  return sum >= LEAST && sum < INFINITY ? log10((double)sum) - LOG10_SCALE : (double)NAN;
}
#else
typedef float Result;
static inline Result result_of(float sum) {
  return sum;
}
#endif

/* HmmRead of src/opencl/hmm/slices.hpp. */
typedef struct {
  uint first_row, rows, first_haplotype, haplotypes, first_result, first_pair;
} Read;

#if FASTID_HMM_SHUFFLE
#define UNROLL _Pragma("unroll")
/* (32 - ITEMS) << 8: within ITEMS lanes, of which the first keeps its own value */
#if ITEMS == 8
#define CLAMP "0x1800"
#elif ITEMS == 16
#define CLAMP "0x1000"
#elif ITEMS == 32
#define CLAMP "0x0"
#else
#error "pair_hmm: a warp's shuffle takes 8, 16 or 32 work-items"
#endif
/* The value of the work-item above. */
static inline float from_above(float value) {
  float result;
  __asm__ volatile("shfl.sync.up.b32 %0, %1, 1, " CLAMP ", 0xffffffff;" : "=f"(result) : "f"(value));
  return result;
}
#else
#define UNROLL
#endif

/* The word of a row; 0 above the first. `row` is counted from the first row of ITEMS * ROWS, of which the read has the
 * last n. */
static inline uint word_at(__global const uint *words, int row, int n) {
  const int i = row - (ITEMS * ROWS - n);
  return i < 0 ? 0 : words[i];
}

/* Lists the pairs of the reads, each as its read and its haplotype. A work-group has a read. */
__kernel __attribute__((reqd_work_group_size(ITEMS, 1, 1))) void list_pairs(__global const Read *reads,
                                                                            __global uint2 *pairs) {
  const Read read = reads[get_group_id(0)];
  for (uint i = get_local_id(0); i < read.haplotypes; i += ITEMS)
    pairs[read.first_pair + i] = (uint2)(get_group_id(0), read.first_haplotype + i);
}

/* Computes the pairs from first_pair to before end_pair. starts[i] .. starts[i + 1] are the places of a haplotype's
 * bases, less first_base. rates[q] is 10^(-q/10). */
__kernel __attribute__((reqd_work_group_size(GROUP, 1, 1))) void forward(
    uint first_pair, uint end_pair, __global const uint2 *pairs, __global const Read *reads, __global const uint *rows,
    __global const uchar *bases, __global const uint *starts, uint first_base, __global const float *rates,
    __global Result *results) {
  const uint item = get_local_id(0) % ITEMS, place = get_local_id(0) / ITEMS;
  const uint group_first = first_pair + get_group_id(0) * PAIRS, mine = group_first + place;
  const uint together = place / TOGETHER * TOGETHER;
  uint steps = 0;
  UNROLL for (uint i = 0; i < TOGETHER; ++i) {
    const uint h = pairs[min(group_first + together + i, end_pair - 1)].y;
    steps = max(steps, starts[h + 1] - starts[h]);
  }
  steps += ITEMS - 1;

  const uint2 pair = pairs[min(mine, end_pair - 1)];
  const Read read = reads[pair.x];
  __global const uint *words = rows + read.first_row;
  const int n = (int)read.rows;
  __global const uchar *letters = bases + (starts[pair.y] - first_base);
  const int columns = (int)(starts[pair.y + 1] - starts[pair.y]);
  const float start = (1.0f - rates[QUALITY(words[0], 3)]) / (float)columns * SCALE;

  uint base[ROWS];
  float match[ROWS], mismatch[ROWS], insertion[ROWS], deletion[ROWS], below[ROWS], go_on[ROWS];
  float deleted[ROWS], before[ROWS];
  UNROLL for (int k = 0; k < ROWS; ++k) {
    const int row = (int)item * ROWS + k;
    const uint word = word_at(words, row, n);
    const int last = row == ITEMS * ROWS - 1, first = row == 0 || word_at(words, row - 1, n) == 0;
    const uint next = last ? word : word_at(words, row + 1, n);
    const float error = rates[max(QUALITY(word, 0), (uint)LEAST_BASE_QUALITY)];
    const float stay = 1.0f - (rates[QUALITY(word, 1)] + rates[QUALITY(word, 2)]);
    const float open = rates[QUALITY(word, 1)] / stay;
    const float stay_below = 1.0f - (rates[QUALITY(next, 1)] + rates[QUALITY(next, 2)]);
    const float next_stay = last ? 1.0f : stay_below;
    const float next_back = last ? 1.0f : 1.0f - rates[QUALITY(next, 3)];
    const int none = word == 0;
    base[k] = word & 15;
    match[k] = none ? 1.0f : (1.0f - error) * next_stay;
    mismatch[k] = none ? 1.0f : error / 3.0f * next_stay;
    insertion[k] = first ? 0.0f : next_back * open;
    deletion[k] = none || last ? 0.0f : next_back * rates[QUALITY(word, 2)] / next_stay;
    below[k] = first ? 0.0f : rates[QUALITY(next, 3)] * open * stay_below / rates[QUALITY(next, 1)];
    go_on[k] = none ? 0.0f : rates[QUALITY(word, 3)];
    deleted[k] = 0.0f;
    before[k] = first ? start : 0.0f;
  }

#if !FASTID_HMM_SHUFFLE
  __local float2 handed[2][GROUP];
#endif
  float sum = start, inserted = 0.0f, total = 0.0f;
  for (uint step = 0; step < steps; ++step) {
    const int column = (int)step - (int)item;
    float above, inserting;
#if FASTID_HMM_SHUFFLE
    above = from_above(sum);
    inserting = from_above(inserted);
#else
    handed[step % 2][get_local_id(0)] = (float2)(sum, inserted);
    barrier(CLK_LOCAL_MEM_FENCE);
    const float2 got = handed[step % 2][item == 0 ? get_local_id(0) : get_local_id(0) - 1];
    above = got.x;
    inserting = got.y;
#endif
    if (item == 0) {
      above = start;
      inserting = 0.0f;
    }
    if (column >= 0 && column < columns) {
      const uint letter = letters[column];
      float diagonal = before[0];
      before[0] = above;
      UNROLL for (int k = 0; k < ROWS; ++k) {
        const float m = ((letter & base[k]) != 0 ? match[k] : mismatch[k]) * diagonal;
        sum = fma(deletion[k], deleted[k], fma(insertion[k], inserting, m));
        deleted[k] = fma(go_on[k], deleted[k], m);
        inserting = fma(below[k], inserting, m);
        if (k + 1 < ROWS) {
          diagonal = before[k + 1];
          before[k + 1] = sum;
        }
      }
      inserted = inserting;
      total += sum;
    }
  }
  if (item == ITEMS - 1 && mine < end_pair)
    results[read.first_result + (pair.y - read.first_haplotype)] = result_of(total);
}
