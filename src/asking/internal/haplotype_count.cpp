#include "asking/internal/haplotype_count.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>
#include <vector>

#include "asking/stored_profiles.hpp"
#include "engine/haplotype_lanes.hpp"
#include "stats/haplotype.hpp"

namespace fastid::asking {
/// A query's haplotype.
struct AskedHaplotype {
  std::vector<engine::HaplotypeWord32> words;
  std::uint32_t sites = 0;
};

namespace {

AskedHaplotype asked_haplotype(const RowView& row, std::span<const Word> sites,
                               engine::Comparison comparison) {
  const bool mixture = comparison == engine::Comparison::kMixture;
  AskedHaplotype asked{.words = {}, .sites = haplotype_sites(row, sites, comparison)};
  for (std::size_t word = 0; word < sites.size(); ++word) {
    const Word both = row.bits[word] & row.major_word(word), kept = row.called[word] & sites[word];
    if (kept == 0) continue;
    const Word minor = row.bits[word] & kept,
               major = kept & (row.major.empty() ? ~row.bits[word] : row.major[word]);
    const Word hidden = mixture ? 0 : both;
    asked.words.push_back({static_cast<std::uint32_t>(word), minor & ~hidden, major & ~hidden});
  }
  return asked;
}

std::uint32_t most_count(const SiteClasses& classes, SiteClass of, engine::Comparison comparison) {
  return comparison == engine::Comparison::kMixture ? classes.count(of) : 1;
}

/// How many profiles a block has: fewer than 32 in the last one.
std::size_t profiles_in(const BlockShape& shape, std::uint64_t block) {
  return static_cast<std::size_t>(std::min<std::uint64_t>(kLanes, shape.n_profiles - block * kLanes));
}

}  // namespace

/// The queries' haplotypes of one class of sites.
class HaplotypeCounter {
 public:
  HaplotypeCounter(const match::Queries& queries, const SiteClasses& classes, SiteClass of,
                   engine::Comparison comparison, double error_rate)
      : mixtures_(comparison == engine::Comparison::kMixture),
        n_counts_(most_count(classes, of, comparison) + 1) {
    for (std::uint32_t n = 0; n <= classes.count(of); ++n)
      most_.push_back(stats::most_agreeing(n, error_rate));
    for (std::size_t q = 0; q < queries.sources.size(); ++q)
      asked_.push_back(asked_haplotype(queries.whole_row(q), classes.mask(of), comparison));
  }

  void count(const BlocksView& blocks, std::span<const Word> lanes, match::CountHistograms& into) const {
    std::vector<std::uint64_t> profiles(n_counts_);
    for (std::size_t q = 0; q < asked_.size(); ++q) {
      if (asked_[q].sites == 0) continue;
      std::ranges::fill(profiles, 0);
      for (std::size_t block = 0; block < lanes.size(); ++block)
        if (lanes[block] != 0) count_block(asked_[q], blocks, block, lanes[block], profiles);
      for (std::uint32_t k = 0; k < profiles.size(); ++k)
        if (profiles[k] > 0) into.add(q, k, profiles[k]);
    }
  }

 private:
  void count_block(const AskedHaplotype& asked, const BlocksView& blocks, std::size_t block, Word lanes,
                   std::vector<std::uint64_t>& profiles) const {
    const std::size_t at = block * blocks.shape.block_words();
    const auto [differing, compared] = engine::count_haplotype_lanes(
        asked.words, blocks.bits + at, blocks.second + at, blocks.shape.encoding == Encoding::kAlleles);
    for (Word left = lanes; left != 0; left &= left - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(left));
      if (!stats::covers(compared[lane], asked.sites)) continue;
      ++profiles[mixtures_ ? differing[lane] : differing[lane] > most_[compared[lane]]];
    }
  }

  bool mixtures_;
  std::size_t n_counts_;             ///< of a histogram
  std::vector<std::uint32_t> most_;  ///< [sites compared]: mismatches with which haplotypes agree
  std::vector<AskedHaplotype> asked_;
};

HaplotypeTallies::HaplotypeTallies(const SiteClasses& classes, engine::Comparison comparison,
                                   std::size_t n_queries)
    : y(n_queries, most_count(classes, SiteClass::kY, comparison)),
      m(n_queries, most_count(classes, SiteClass::kM, comparison)) {}

std::uint32_t haplotype_sites(const RowView& query, std::span<const Word> sites,
                              engine::Comparison comparison) {
  return comparison == engine::Comparison::kMixture ? stats::sites_of_mixture(query, sites)
                                                    : stats::sites_of_haplotype(query, sites);
}

struct HaplotypeCount::AskedHaplotypes {
  HaplotypeCounter y, m;
  const SiteClasses& classes;
  engine::Comparison comparison;
  std::size_t n_queries;
};

HaplotypeCount::HaplotypeCount(const match::Queries& queries, const SiteClasses& classes,
                               engine::Comparison comparison, double error_rate)
    : HaplotypeCount(std::make_shared<AskedHaplotypes>(
          HaplotypeCounter(queries, classes, SiteClass::kY, comparison, error_rate),
          HaplotypeCounter(queries, classes, SiteClass::kM, comparison, error_rate), classes, comparison,
          queries.sources.size())) {}

HaplotypeCount::HaplotypeCount(std::shared_ptr<const AskedHaplotypes> asked)
    : asked_(std::move(asked)),
      tallies_(asked_->classes, asked_->comparison, asked_->n_queries),
      done_(asked_->comparison == engine::Comparison::kReverseMixture ||
            !(asked_->classes.has(SiteClass::kY) || asked_->classes.has(SiteClass::kM))) {}

HaplotypeCount::~HaplotypeCount() = default;

std::size_t HaplotypeCount::n_queries() const {
  return asked_->n_queries;
}

void HaplotypeCount::add(const BlocksView& blocks, std::span<const Word> lanes) {
  asked_->y.count(blocks, lanes, tallies_.y);
  asked_->m.count(blocks, lanes, tallies_.m);
}

CountedBlocks::CountedBlocks(const BlockSource& source, const RowMask* rows, HaplotypeCount& count)
    : source_(source),
      rows_(rows),
      count_(count),
      counted_(static_cast<std::size_t>(source.shape().n_blocks())) {}

Word CountedBlocks::lanes_of(std::uint64_t block) const {
  if (rows_ != nullptr) return rows_->block(block);
  return sites_mask(static_cast<std::uint32_t>(profiles_in(source_.shape(), block)), 0);
}

void CountedBlocks::count(std::uint64_t first, std::size_t n, const Word* bits, const Word* second) const {
  const BlockShape shape = source_.shape();
  std::vector<Word> lanes(n);
  for (std::size_t i = 0; i < n; ++i) {
    std::atomic<bool>& counted = counted_[static_cast<std::size_t>(first) + i];
    if (!counted.load(std::memory_order_relaxed) && !counted.exchange(true)) lanes[i] = lanes_of(first + i);
  }
  if (std::ranges::none_of(lanes, std::identity())) return;
  WordBuffer called;
  if (second == nullptr) {
    called = WordBuffer(n * shape.block_words());
    for (std::size_t i = 0; i < n; ++i)
      fill_all_called(shape.n_sites, profiles_in(shape, first + i), called.data() + i * shape.block_words());
    second = called.data();
  }
  count_.add({shape.with(n * kLanes), bits, second}, lanes);
}

void CountedBlocks::read(std::uint64_t first, std::size_t n, Word* bits, Word* second) const {
  source_.read(first, n, bits, second);
  count(first, n, bits, second);
}

void CountedBlocks::read_unhashed(std::uint64_t first, std::size_t n, Word* bits, Word* second) const {
  source_.read_unhashed(first, n, bits, second);
  count(first, n, bits, second);
}

void CountedBlocks::finish(std::size_t threads) const {
  constexpr std::uint64_t kPiece = 64;  // blocks
  const BlockShape shape = source_.shape();
  in_parallel(static_cast<std::size_t>(ceil_div(shape.n_blocks(), kPiece)), threads, [&](std::size_t piece) {
    WordBuffer bits, second;
    const std::uint64_t end = std::min((piece + 1) * kPiece, shape.n_blocks());
    for (std::uint64_t block = piece * kPiece; block < end; ++block) {
      if (counted_[static_cast<std::size_t>(block)] || lanes_of(block) == 0) continue;
      if (bits.size() == 0) {
        bits = WordBuffer(shape.block_words());
        if (has_second()) second = WordBuffer(shape.block_words());
      }
      read(block, 1, bits.data(), has_second() ? second.data() : nullptr);
    }
  });
  count_.done(true);
}

}  // namespace fastid::asking
