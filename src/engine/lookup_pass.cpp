#include "engine/lookup_pass.hpp"

#include <algorithm>

namespace fastid {
namespace {

// Measured on a Zen 5 with 48 KiB of L1 and 1 MiB of L2, and flat around these values.
constexpr std::size_t kChunkSets = 16;  // their sums, and their tables of 1,024 sites, share L2 with the tile
constexpr std::size_t kFewestQueries = 20;
constexpr std::size_t kFewestNarrow = 2;
constexpr std::uint64_t kFewestProfiles = 8192;
constexpr std::uint64_t kMostTableBytes = std::uint64_t{128} << 20;
constexpr std::uint32_t kMostSites = 65'000;  // sums have 16 bits

// Tables of 16 entries: then the CPU has no instruction either that counts the bits of a vector.
bool is_narrow(const LookupKernels& kernels) {
  return kernels.shape.sites == 4;
}

// As many words as a byte can gather, in whole groups of all planes.
std::size_t words_of_span(const LookupShape& shape, std::size_t n_planes) {
  const std::size_t steps = n_planes * shape.groups(kLookupWords) / kLookupsASum;
  return kLookupWords * (kMaxSteps / steps);
}

}  // namespace

LookupPass::LookupPass(const LookupKernels& kernels, std::shared_ptr<const LookupTables> tables,
                       const BlockShape& database)
    : kernels_(kernels),
      tables_(std::move(tables)),
      planes_(index_planes(tables_->which())),
      weighed_(bounded_by_profile(tables_->which())),
      n_words_(database.n_words()),
      span_words_(words_of_span(kernels.shape, planes_.n())),
      index_(kMaxSteps * kLookupsASum * kernels.shape.profiles() / sizeof(Word)),
      weights_(kernels.shape.profiles() / 2),
      sums_(kChunkSets * kernels.shape.sums() / 2),
      done_(kChunkSets),
      hits_(kernels.shape.sums()),
      look_(n_words_) {}

bool LookupPass::serves(const Problem& problem, const LookupKernels* kernels) {
  return kernels != nullptr && problem.database.n_sites <= kMostSites &&
         LookupTables::bytes(problem, kernels->shape) <= kMostTableBytes;
}

// Where a CPU has wide tables it counts the bits of a vector at once, too, and what passes by mistake eats up
// the little that is won; but for a case that takes more than one logic operation, whose masks a table has
// for nothing.
bool LookupPass::pays(const Problem& problem, const LookupKernels& kernels) {
  const KernelCase which = kernel_case(problem);
  const bool wins = is_narrow(kernels) || (counted_words(which) == 2 && index_planes(which).n() == 1);
  return wins && problem.queries->n_rows() >= (is_narrow(kernels) ? kFewestNarrow : kFewestQueries) &&
         problem.database.n_profiles >= kFewestProfiles;
}

std::span<const MayPass> LookupPass::find(const BlocksView& tile, const PackedQueries& queries,
                                          std::span<const Bar> bars, std::uint32_t* weights) {
  found_.clear();
  set_limits(queries, bars);
  cut_spans();
  const auto n_units = ceil_div<std::size_t>(static_cast<std::size_t>(tile.shape.n_blocks()), unit_blocks());
  for (std::size_t set = 0; set < limits_.size(); set += kChunkSets)
    for (std::size_t unit = 0; unit < n_units; ++unit) count_unit(tile, weights, unit, set);
  return found_;
}

void LookupPass::set_limits(const PackedQueries& queries, std::span<const Bar> bars) {
  const std::size_t width = kernels_.shape.queries();
  limits_.assign(tables_->n_sets(), {});
  largest_limit_ = 0;
  for (std::size_t set = 0; set < limits_.size(); ++set) {
    const std::size_t first = set * width;
    const QueryGroup group{first, std::min(width, queries.n_queries() - first)};
    const GroupBars exact = queries.group_bars(group, bars);
    for (std::size_t i = 0; i < group.size; ++i) {
      limits_[set].limit[i] = static_cast<std::uint16_t>(exact.limit(i));
      limits_[set].share[i] = static_cast<std::uint16_t>(std::min(65535.0F, exact.ratio[i] * 65536.0F));
      largest_limit_ = std::max(largest_limit_, exact.limit(i));
    }
  }
}

// Spans of about equal size, after a shorter one where an early look may pay.
void LookupPass::cut_spans() {
  const std::size_t look = ceil_div<std::size_t>(look_.words(largest_limit_), kLookupWords) * kLookupWords;
  look_first_ = look > 0 && look < n_words_ && look <= span_words_;
  spans_.clear();
  if (look_first_) spans_.push_back({0, look});
  const std::size_t begin = look_first_ ? look : 0;
  const std::size_t n = ceil_div<std::size_t>(n_words_ - begin, span_words_);
  const std::size_t words =
      ceil_div<std::size_t>(ceil_div<std::size_t>(n_words_ - begin, n), kLookupWords) * kLookupWords;
  for (std::size_t first = begin; first < n_words_; first += words)
    spans_.push_back({first, std::min(words, n_words_ - first)});
}

void LookupPass::count_unit(const BlocksView& tile, const std::uint32_t* weights, std::size_t unit,
                            std::size_t first_set) {
  if (weighed_) kernels_.arrange_weights(weights + unit * unit_profiles(), this->weights());
  for (const Span& span : spans_) {
    pack(tile, unit, span);
    if (!count_span(span, first_set, unit, tile.shape.n_profiles)) break;
  }
}

void LookupPass::pack(const BlocksView& tile, std::size_t unit, const Span& span) {
  const std::size_t row = unit_profiles(), stride = planes_.n() * row;
  const std::size_t block_words = tile.shape.block_words();
  const std::size_t at = unit * unit_blocks() * block_words + span.first * kLanes;
  auto* const index = reinterpret_cast<std::uint8_t*>(index_.data());
  if (planes_.bits) kernels_.pack(tile.bits + at, nullptr, block_words, span.n, index, stride);
  if (planes_.others)
    kernels_.pack(tile.bits + at, tile.called + at, block_words, span.n, index + (planes_.bits ? row : 0),
                  stride);
}

// False where no pair of the unit is left that may pass.
bool LookupPass::count_span(const Span& span, std::size_t first_set, std::size_t unit,
                            std::uint64_t n_profiles) {
  const std::size_t first_step = planes_.n() * kernels_.shape.groups(span.first) / kLookupsASum;
  const std::size_t steps = planes_.n() * kernels_.shape.groups(span.n) / kLookupsASum;
  const bool first = span.first == 0, last = span.first + span.n == n_words_, look = first && look_first_;
  const auto* const index = reinterpret_cast<const std::uint8_t*>(index_.data());
  const std::uint16_t* const weight = weighed_ ? weights() : nullptr;
  const std::size_t n_sets = std::min(kChunkSets, limits_.size() - first_set);
  bool any_left = false;
  for (std::size_t set = 0; set < n_sets; ++set) {
    if (first) done_[set] = 0;
    if (done_[set] != 0) continue;
    const SetLimits& limits = limits_[first_set + set];
    const bool left = kernels_.add(index, tables_->of(first_set + set, first_step), steps, first,
                                   last || look ? &limits : nullptr, weight, sums(set));
    done_[set] = !left;
    any_left |= left;
    if (look) look_.note(1, left ? 0 : 1);
    if (last && left) [[unlikely]]
      take(kernels_.list(sums(set), limits, weight, hits_.data()), unit, first_set + set, n_profiles);
  }
  return any_left;
}

void LookupPass::take(std::size_t n_hits, std::size_t unit, std::size_t set, std::uint64_t n_profiles) {
  for (std::size_t i = 0; i < n_hits; ++i) {
    const std::size_t profile = unit * unit_profiles() + hits_[i].profile;
    if (profile < n_profiles)
      found_.push_back({static_cast<std::uint32_t>(profile),
                        static_cast<std::uint32_t>(set * kernels_.shape.queries() + hits_[i].query),
                        std::nullopt});
  }
}

std::uint16_t* LookupPass::weights() {
  return reinterpret_cast<std::uint16_t*>(weights_.data());
}

// Where there is one span, no sums wait, and one place serves them all.
std::uint16_t* LookupPass::sums(std::size_t set) {
  return reinterpret_cast<std::uint16_t*>(sums_.data()) +
         (spans_.size() == 1 ? 0 : set * kernels_.shape.sums());
}

}  // namespace fastid
