#include "analysis/internal/haplotype_count.hpp"

#include <bit>
#include <vector>

#include "analysis/internal/stored_profiles.hpp"
#include "engine/haplotype_lanes.hpp"
#include "stats/haplotype.hpp"

namespace fastid {
namespace {

/// A query's haplotype.
struct AskedHaplotype {
  std::vector<HaplotypeWord32> words;
  std::uint32_t sites = 0;
};

AskedHaplotype asked_haplotype(const RowView& row, std::span<const Word> sites, Comparison comparison) {
  const bool mixture = comparison == Comparison::kMixture;
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

/// Counts profiles by one class of sites.
class HaplotypeCounter {
 public:
  HaplotypeCounter(const Queries& queries, const SiteClasses& classes, SiteClass of, Comparison comparison,
                   double error_rate)
      : mixtures_(comparison == Comparison::kMixture) {
    for (std::uint32_t n = 0; n <= classes.count(of); ++n)
      most_.push_back(stats::most_agreeing(n, error_rate));
    for (std::size_t q = 0; q < queries.sources.size(); ++q)
      asked_.push_back(asked_haplotype(queries.whole_row(q), classes.mask(of), comparison));
  }

  /// \param lanes  that count
  void count(const Word* bits, const Word* second, bool alleles, Word lanes, CountHistograms& into) const {
    for (std::size_t q = 0; q < asked_.size(); ++q) {
      if (asked_[q].sites == 0) continue;
      const auto [differing, compared] = count_haplotype_lanes(asked_[q].words, bits, second, alleles);
      for (Word left = lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(left));
        if (!stats::covers(compared[lane], asked_[q].sites)) continue;
        into.add(q, mixtures_ ? differing[lane] : differing[lane] > most_[compared[lane]], 1);
      }
    }
  }

 private:
  bool mixtures_;
  std::vector<std::uint32_t> most_;  ///< [sites compared]: mismatches with which haplotypes agree
  std::vector<AskedHaplotype> asked_;
};

void add_all(const CountHistograms& from, std::size_t n_queries, CountHistograms& to) {
  for (std::size_t q = 0; q < n_queries; ++q)
    for (std::uint32_t k = 0; k < from.of_query(q).size(); ++k)
      if (const std::uint64_t n = from.of_query(q)[k]; n > 0) to.add(q, k, n);
}

std::uint32_t most_count(const SiteClasses& classes, SiteClass of, Comparison comparison) {
  return comparison == Comparison::kMixture ? classes.count(of) : 1;
}

}  // namespace

HaplotypeTallies::HaplotypeTallies(const SiteClasses& classes, Comparison comparison, std::size_t n_queries)
    : y(n_queries, most_count(classes, SiteClass::kY, comparison)),
      m(n_queries, most_count(classes, SiteClass::kM, comparison)) {}

std::uint32_t haplotype_sites(const RowView& query, std::span<const Word> sites, Comparison comparison) {
  return comparison == Comparison::kMixture ? stats::sites_of_mixture(query, sites)
                                            : stats::sites_of_haplotype(query, sites);
}

void count_haplotypes(const BlockSource& source, const RowMask* rows, const Queries& queries,
                      const SiteClasses& classes, Comparison comparison, double error_rate,
                      std::size_t threads, HaplotypeTallies& into) {
  constexpr std::uint64_t kPiece = 64;  // blocks
  const BlockShape shape = source.shape();
  const bool has_haplotypes = classes.has(SiteClass::kY) || classes.has(SiteClass::kM);
  if (!has_haplotypes || comparison == Comparison::kReverseMixture) return;
  const HaplotypeCounter y(queries, classes, SiteClass::kY, comparison, error_rate),
      m(queries, classes, SiteClass::kM, comparison, error_rate);
  in_parallel(static_cast<std::size_t>(ceil_div(shape.n_blocks(), kPiece)), threads, [&](std::size_t piece) {
    const std::uint64_t first = piece * kPiece;
    const auto n = static_cast<std::size_t>(std::min(kPiece, shape.n_blocks() - first));
    WordBuffer bits(n * shape.block_words()), second(n * shape.block_words());
    source.read(first, n, bits.data(), source.has_second() ? second.data() : nullptr);
    HaplotypeTallies own(classes, comparison, queries.sources.size());  // so that no thread waits for another
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
    add_all(own.y, queries.sources.size(), into.y);
    add_all(own.m, queries.sources.size(), into.m);
  });
}

}  // namespace fastid
