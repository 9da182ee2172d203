#include "analysis/internal/haplotype_count.hpp"

#include <array>
#include <bit>
#include <mutex>
#include <vector>

#include "analysis/internal/stored_profiles.hpp"
#include "stats/haplotype.hpp"
#include "stats/site_walk.hpp"

// The loops below run over the lanes of a block; a processor that counts the bits of vectors has its own version of them.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define FASTID_BY_PROCESSOR __attribute__((target_clones("avx512vpopcntdq", "avx2", "default"), optimize("O3")))
#else
#define FASTID_BY_PROCESSOR
#endif

namespace fastid {
namespace {

using Lanes = std::array<std::uint32_t, kLanes>;

/// A word of the panel that has sites of the class, and what a query has there.
struct QueryWord {
  std::size_t word;
  Word minor, major;  ///< sites that show the minor allele alone, the major one alone; of a mixture: that show it at all
};

/// A query's haplotype.
struct AskedHaplotype {
  std::vector<QueryWord> words;
  std::uint32_t sites = 0;
  bool mixture = false;
};

AskedHaplotype asked_haplotype(const RowView& row, std::span<const Word> sites, bool mixture) {
  AskedHaplotype asked{.words = {}, .sites = 0, .mixture = mixture};
  for (std::size_t word = 0; word < sites.size(); ++word) {
    const Word both = row.bits[word] & row.major_word(word), kept = row.called[word] & sites[word];
    if (kept == 0) continue;
    const Word minor = row.bits[word] & kept, major = kept & (row.major.empty() ? ~row.bits[word] : row.major[word]);
    asked.words.push_back(mixture ? QueryWord{word, minor, major} : QueryWord{word, minor & ~both, major & ~both});
    asked.sites += static_cast<std::uint32_t>(std::popcount(mixture ? kept : kept & ~both));
  }
  return asked;
}

/// Adds a word of a block. \param minor, called  of each lane \param major  null: where called and not minor
FASTID_BY_PROCESSOR void add_word(const QueryWord& asked, const Word* bits, const Word* second, bool alleles, Lanes& differing,
                                  Lanes& compared) {
  const Word asked_minor = asked.minor, asked_major = asked.major, asked_any = asked_minor | asked_major;
  for (std::size_t lane = 0; lane < kLanes; ++lane) {
    const Word minor = alleles ? bits[lane] & ~second[lane] : bits[lane],
               major = alleles ? second[lane] & ~bits[lane] : second[lane] & ~bits[lane];
    compared[lane] += static_cast<std::uint32_t>(std::popcount((minor | major) & asked_any));
    differing[lane] += static_cast<std::uint32_t>(
        std::popcount((minor & asked_any & ~asked_minor) | (major & asked_any & ~asked_major)));
  }
}

/// The most mismatches of each number of compared sites with which haplotypes agree.
std::vector<std::uint32_t> most_agreeing(std::uint32_t sites, double error_rate) {
  std::vector<std::uint32_t> most;
  for (std::uint32_t compared = 0; compared <= sites; ++compared) {
    std::uint32_t k = most.empty() ? 0 : most.back();
    while (k < compared && stats::haplotype_word({k + 1, compared}, error_rate) == stats::HaplotypeWord::kAgree) ++k;
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
      Lanes differing{}, compared{};
      for (const QueryWord& asked : asked_[q].words)
        add_word(asked, bits + asked.word * kLanes, second + asked.word * kLanes, alleles, differing, compared);
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
  return {HaplotypeTally(n_queries, classes.count(SiteClass::kY)), HaplotypeTally(n_queries, classes.count(SiteClass::kM))};
}

void count_haplotypes(const BlockSource& source, const RowMask* rows, const Queries& queries, const SiteClasses& classes,
                      Comparison comparison, double error_rate, std::size_t threads, HaplotypeTallies& into) {
  constexpr std::uint64_t kPiece = 64;  // blocks
  const BlockShape shape = source.shape();
  const auto counter = [&](SiteClass of) {
    return HaplotypeCounter(queries, classes.mask(of), classes.count(of), comparison == Comparison::kMixture, error_rate);
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
      const Word lanes = rows != nullptr ? rows->block(first + block) : sites_mask(static_cast<std::uint32_t>(in_block), 0);
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
