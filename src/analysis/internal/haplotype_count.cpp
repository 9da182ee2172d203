#include "analysis/internal/haplotype_count.hpp"

#include <bit>
#include <mutex>
#include <vector>

#include "analysis/internal/stored_profiles.hpp"
#include "engine/haplotype_lanes.hpp"
#include "stats/haplotype.hpp"
#include "stats/site_walk.hpp"

namespace fastid {
namespace {

/// A query's haplotype.
struct AskedHaplotype {
  std::vector<HaplotypeWord32> words;
  std::uint32_t sites = 0;
  bool mixture = false;
};

AskedHaplotype asked_haplotype(const RowView& row, std::span<const Word> sites, bool mixture) {
  AskedHaplotype asked{.words = {}, .sites = 0, .mixture = mixture};
  for (std::size_t word = 0; word < sites.size(); ++word) {
    const Word both = row.bits[word] & row.major_word(word), kept = row.called[word] & sites[word];
    if (kept == 0) continue;
    const Word minor = row.bits[word] & kept,
               major = kept & (row.major.empty() ? ~row.bits[word] : row.major[word]);
    const auto place = static_cast<std::uint32_t>(word);
    asked.words.push_back(mixture ? HaplotypeWord32{place, minor, major}
                                  : HaplotypeWord32{place, minor & ~both, major & ~both});
    asked.sites += static_cast<std::uint32_t>(std::popcount(mixture ? kept : kept & ~both));
  }
  return asked;
}

/// The most mismatches of each number of compared sites with which haplotypes agree.
std::vector<std::uint32_t> most_agreeing(std::uint32_t sites, double error_rate) {
  std::vector<std::uint32_t> most;
  for (std::uint32_t compared = 0; compared <= sites; ++compared) {
    std::uint32_t k = most.empty() ? 0 : most.back();
    while (k < compared &&
           stats::haplotype_word({k + 1, compared}, error_rate) == stats::HaplotypeWord::kAgree)
      ++k;
    most.push_back(k);
  }
  return most;
}

class HaplotypeCounter {
 public:
  HaplotypeCounter(const Queries& queries, std::span<const Word> sites, std::uint32_t n_sites, bool mixtures,
                   double error_rate)
      : n_sites_(n_sites), most_(most_agreeing(n_sites, error_rate)) {
    for (std::size_t q = 0; q < queries.sources.size(); ++q)
      asked_.push_back(asked_haplotype(queries.whole_row(q), sites, mixtures));
  }

  /// \param lanes  that count
  void count(const Word* bits, const Word* second, bool alleles, Word lanes, HaplotypeTally& into) const {
    for (std::size_t q = 0; q < asked_.size(); ++q) {
      if (asked_[q].sites == 0) continue;
      const auto [differing, compared] = count_haplotype_lanes(asked_[q].words, bits, second, alleles);
      for (Word left = lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(left));
        if (!stats::covers(compared[lane], asked_[q].sites)) continue;
        into.add(q, differing[lane], 1);
        into.add_agreeing(q, differing[lane] <= most_[compared[lane]]);
      }
    }
  }

  HaplotypeTally empty() const { return HaplotypeTally(asked_.size(), n_sites_); }

 private:
  std::uint32_t n_sites_;
  std::vector<std::uint32_t> most_;
  std::vector<AskedHaplotype> asked_;
};

}  // namespace

HaplotypeTallies empty_tallies(const SiteClasses& classes, std::size_t n_queries) {
  return {HaplotypeTally(n_queries, classes.count(SiteClass::kY)),
          HaplotypeTally(n_queries, classes.count(SiteClass::kM))};
}

void count_haplotypes(const BlockSource& source, const RowMask* rows, const Queries& queries,
                      const SiteClasses& classes, Comparison comparison, double error_rate,
                      std::size_t threads, HaplotypeTallies& into) {
  constexpr std::uint64_t kPiece = 64;  // blocks
  const BlockShape shape = source.shape();
  const auto counter = [&](SiteClass of) {
    return HaplotypeCounter(queries, classes.mask(of), classes.count(of), comparison == Comparison::kMixture,
                            error_rate);
  };
  const HaplotypeCounter y = counter(SiteClass::kY), m = counter(SiteClass::kM);
  std::mutex mutex;
  in_parallel(static_cast<std::size_t>(ceil_div(shape.n_blocks(), kPiece)), threads, [&](std::size_t piece) {
    const std::uint64_t first = piece * kPiece;
    const auto n = static_cast<std::size_t>(std::min(kPiece, shape.n_blocks() - first));
    WordBuffer bits(n * shape.block_words()), second(n * shape.block_words());
    source.read(first, n, bits.data(), source.has_second() ? second.data() : nullptr);
    HaplotypeTallies own{y.empty(), m.empty()};
    for (std::size_t block = 0; block < n; ++block) {
      const std::size_t at = block * shape.block_words();
      const auto in_block = static_cast<std::size_t>(
          std::min<std::uint64_t>(kLanes, shape.n_profiles - (first + block) * kLanes));
      if (!source.has_second()) fill_all_called(shape.n_sites, in_block, second.data() + at);
      const Word lanes =
          rows != nullptr ? rows->block(first + block) : sites_mask(static_cast<std::uint32_t>(in_block), 0);
      const bool alleles = shape.encoding == Encoding::kAlleles;
      y.count(bits.data() + at, second.data() + at, alleles, lanes, own.y);
      m.count(bits.data() + at, second.data() + at, alleles, lanes, own.m);
    }
    const std::lock_guard lock(mutex);
    into.y.add(own.y);
    into.m.add(own.m);
  });
}

}  // namespace fastid
