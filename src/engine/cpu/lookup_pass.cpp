#include "engine/cpu/lookup_pass.hpp"

#include <algorithm>
#include <cmath>

namespace fastid::engine {
namespace {

// Measured on a Zen 5 with 48 KiB of L1 and 1 MiB of L2. Speed hardly changes around these values.
constexpr std::size_t kChunkSets = 16;  // their sums and tables, of 1,024 sites, fit L2 beside the tile
constexpr std::size_t kRunBytes = std::size_t{384} << 10;  // of a run's index, which must fit L2 too
constexpr std::size_t kMostUnits = 64;                     // of a run
constexpr std::size_t kFewestQueries = 2;                  // from which lookups are faster
constexpr std::uint64_t kFewestProfiles = 16'384;
constexpr std::uint64_t kMostTableBytes = std::uint64_t{128} << 20;
constexpr std::uint32_t kMostCount = 65'000;  // sums have 16 bits

// What denominators are multiplied by, so that a fraction below 1 of that is a limit of any use. The products
// are at most the largest count.
constexpr std::uint32_t denominator_scale(KernelCase which) {
  if (!counts_both_alleles(which)) return 1;
  const Terms terms = terms_of(which);
  return most_of_a_site(which) / (terms.lesser ? 1 : static_cast<std::uint32_t>(terms.n_denominator));
}

}  // namespace

LookupPass::LookupPass(const KernelTable& kernels, const LookupTables& tables, const BlockShape& database)
    : kernels_(*kernels.lookup_of(tables.which())),
      all_(kernels),
      tables_(tables),
      planes_(index_planes(tables_.which())),
      by_profile_(bounded_by_profile(tables_.which())),
      scale_(denominator_scale(tables_.which())),
      n_words_(database.n_words()),
      keeps_index_(tables_.n_sets() > kChunkSets && index_bytes(n_words_) < kRunBytes),
      run_units_(keeps_index_ ? std::min(kMostUnits, kRunBytes / (index_bytes(n_words_) + 1)) : kMostUnits),
      index_((keeps_index_ ? run_units_ * index_bytes(n_words_)
                           : index_bytes(std::min(n_words_, planes_.span_words))) /
             sizeof(Word)),
      denominators_(unit_profiles() / 2),
      sums_(kChunkSets * kernels_.shape.sums() / 2),
      packed_(run_units_),
      done_(kChunkSets),
      hits_(kernels_.shape.sums()),
      early_exit_(n_words_) {}

bool LookupPass::serves(const Problem& problem, const KernelTable& kernels) {
  const LookupKernels* const own = kernels.lookup_of(kernel_case(problem));
  return own != nullptr && most_count(problem) <= kMostCount &&
         LookupTables::bytes(problem, own->shape) <= kMostTableBytes;
}

bool LookupPass::pays(const Problem& problem) {
  return problem.database.n_profiles >= kFewestProfiles && problem.queries->n_rows() >= kFewestQueries;
}

std::span<const PairPlace> LookupPass::find(const BlocksView& tile, const PackedQueries& queries,
                                            std::span<const Threshold> thresholds,
                                            std::uint32_t* denominators, std::size_t most) {
  found_.clear();
  set_limits(queries, thresholds);
  const std::size_t words = early_exit_.words(largest_limit_);
  checks_first_ = words > 0 && words <= planes_.span_words && n_words_ > planes_.span_words;
  const auto n_units = ceil_div<std::size_t>(static_cast<std::size_t>(tile.shape.n_blocks()), unit_blocks());
  for (std::size_t run = 0; run < n_units; run += run_units_) {
    std::ranges::fill(packed_, 0);
    for (std::size_t set = 0; set < limits_.size(); set += kChunkSets)
      for (std::size_t unit = run; unit < std::min(n_units, run + run_units_) && found_.size() <= most;
           ++unit) {
        if (set == 0 && by_profile_) count_denominators(tile, unit, denominators);
        count_unit(tile, denominators, unit, set);
      }
  }
  return found_;
}

void LookupPass::set_limits(const PackedQueries& queries, std::span<const Threshold> thresholds) {
  const std::size_t width = kernels_.shape.queries();
  limits_.assign(tables_.n_sets(), {});
  largest_limit_ = 0;
  for (std::size_t set = 0; set < limits_.size(); ++set) {
    const std::size_t first = set * width;
    const QueryGroup group{first, std::min(width, queries.n_queries() - first)};
    const GroupThresholds exact = queries.group_thresholds(group, thresholds);
    for (std::size_t i = 0; i < group.size; ++i) {
      limits_[set].limit[i] = static_cast<std::uint16_t>(exact.limit(i));
      // Rounded up. With a ratio of scale_ or more all pairs pass.
      const float fraction = std::ceil(exact.ratio[i] * (65536.0F / static_cast<float>(scale_))),
                  offset = std::ceil(-exact.beyond[i] - 1);
      const bool open = fraction >= 65536.0F;
      limits_[set].fraction[i] = static_cast<std::uint16_t>(std::min(65535.0F, fraction));
      limits_[set].more[i] =
          static_cast<std::uint16_t>(open ? 65535.0F : std::clamp(offset + 1, 1.0F, 65535.0F));
      limits_[set].less[i] = static_cast<std::uint16_t>(open ? 0 : std::clamp(-offset, 0.0F, 65535.0F));
      largest_limit_ = std::max(largest_limit_, exact.limit(i));
    }
  }
}

void LookupPass::count_unit(const BlocksView& tile, const std::uint32_t* denominators, std::size_t unit,
                            std::size_t first_set) {
  if (by_profile_)
    kernels_.arrange_denominators(denominators + unit * unit_profiles(), scale_, this->denominators());
  for (std::size_t first = 0; first < n_words_; first += planes_.span_words) {
    const Span span{first, std::min(planes_.span_words, n_words_ - first)};
    if (!keeps_index_ || packed_[unit % run_units_] == first) pack(tile, unit, span);
    if (!count_span(tile, span, unit, first_set)) break;
  }
}

void LookupPass::count_denominators(const BlocksView& tile, std::size_t unit,
                                    std::uint32_t* denominators) const {
  count_own_bits(all_, tables_.which(), tile, unit * unit_blocks(), unit_blocks(),
                 denominators + unit * unit_profiles());
}

void LookupPass::pack(const BlocksView& tile, std::size_t unit, const Span& span) {
  const std::size_t row = unit_profiles(), stride = planes_.n * row;
  const std::size_t block_words = tile.shape.block_words();
  const std::size_t at = unit * unit_blocks() * block_words + span.first * kLanes;
  std::uint8_t* const to = index(unit, span);
  const Word* const second = tile.second == nullptr ? nullptr : tile.second + at;
  for (std::size_t i = 0; i < planes_.n; ++i)
    kernels_.pack(planes_.plane[i], tile.bits + at, second, block_words, span.n, to + i * row, stride);
  packed_[unit % run_units_] = span.first + span.n;
}

// Returns false if no pair of the unit can pass any more.
bool LookupPass::count_span(const BlocksView& tile, const Span& span, std::size_t unit,
                            std::size_t first_set) {
  const std::size_t first_step = kernels_.shape.steps(planes_, span.first);
  const std::size_t steps = kernels_.shape.steps(planes_, span.n);
  const bool first = span.first == 0, last = span.first + span.n == n_words_, checks = first && checks_first_;
  const std::uint8_t* const from = index(unit, span);
  const std::uint16_t* const denominator = by_profile_ ? denominators() : nullptr;
  const std::size_t n_sets = std::min(kChunkSets, limits_.size() - first_set);
  LookupFetch left_to_fetch = first_set == 0 ? next_unit(tile, span, unit) : LookupFetch{};
  const std::size_t lines = ceil_div(left_to_fetch.lines, n_sets);  // in each set's turn
  bool any_left = false;
  for (std::size_t set = 0; set < n_sets; ++set) {
    if (first) done_[set] = 0;
    if (done_[set] != 0) continue;
    const LookupTest test{&limits_[first_set + set], denominator};
    const bool left =
        kernels_.add(from, tables_.of(first_set + set, first_step), steps, first,
                     last || checks ? test : LookupTest{}, sums(set), left_to_fetch.take(lines));
    done_[set] = left ? 0 : 1;
    any_left |= left;
    if (checks) early_exit_.note(1, left ? 0 : 1);
    if (last && left) [[unlikely]]
      take(kernels_.list(sums(set), test, hits_.data()), unit, first_set + set, tile.shape.n_profiles);
  }
  return any_left;
}

// What is fetched during this span: the same span of the next unit. Nothing if find() checks after the first
// span whether a pair may still pass, since the rest of a unit is then left out more often than not.
LookupFetch LookupPass::next_unit(const BlocksView& tile, const Span& span, std::size_t unit) const {
  if (checks_first_ || (unit + 2) * unit_blocks() > tile.shape.n_blocks()) return {};
  const std::size_t words = unit_blocks() * kLanes;  // for each word of a profile
  const std::size_t at = words * ((unit + 1) * n_words_ + span.first);
  return {tile.bits + at, reads_second(tables_.which()) ? tile.second + at : nullptr,
          words * span.n / kLineWords};
}

void LookupPass::take(std::size_t n_hits, std::size_t unit, std::size_t set, std::uint64_t n_profiles) {
  for (std::size_t i = 0; i < n_hits; ++i) {
    const std::size_t profile = unit * unit_profiles() + hits_[i].profile;
    if (profile < n_profiles)
      found_.push_back({static_cast<std::uint32_t>(profile),
                        static_cast<std::uint32_t>(set * kernels_.shape.queries() + hits_[i].query)});
  }
}

// Bytes of the index of a unit's first words.
std::size_t LookupPass::index_bytes(std::size_t n_words) const {
  return kernels_.shape.steps(planes_, n_words) * kernels_.shape.step * unit_profiles();
}

std::uint8_t* LookupPass::index(std::size_t unit, const Span& span) {
  const std::size_t at =
      keeps_index_ ? unit % run_units_ * index_bytes(n_words_) + index_bytes(span.first) : 0;
  return reinterpret_cast<std::uint8_t*>(index_.data()) + at;
}

std::uint16_t* LookupPass::denominators() {
  return reinterpret_cast<std::uint16_t*>(denominators_.data());
}

// With a single span no sums are kept between spans, so all sets use one place.
std::uint16_t* LookupPass::sums(std::size_t set) {
  return reinterpret_cast<std::uint16_t*>(sums_.data()) +
         (n_words_ <= planes_.span_words ? 0 : set * kernels_.shape.sums());
}

}  // namespace fastid::engine
