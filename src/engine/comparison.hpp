/// \file
/// What fastid computes: counts for a pair of profiles. The table here is the definition; every engine must
/// equal it to the bit.
///
/// Sources. The bit expressions: D. O. Ricke, FastID, IEEE HPEC 2017. All pairs as a matrix product: E.
/// Binder, T. M. Low, D. T. Popovici, "A Portable GPU Framework for SNP Comparisons". Kinship: A. Manichaikul
/// et al., Robust relationship inference in genome-wide association studies, Bioinformatics 26 (2010). Masks
/// for sites not called: ours.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>

#include "bits/blocks.hpp"
#include "bits/rows.hpp"

namespace fastid::engine {

/// The rows of the table of questions (terms_of()). Engines, checks and kernels follow from the table: a new
/// row needs an enumerator, their number, and its terms.
enum class Comparison { kIdentity, kMixture, kReverseMixture, kKinship };
inline constexpr std::size_t kComparisons = 4;

/// Sites of a profile, by what was seen there. All are called.
enum class Plane : std::uint8_t {
  kMinor,       ///< a minor allele
  kNoMinor,     ///< none: homozygous for the major allele, if both alleles are known
  kMajor,       ///< a major allele. This and those below only of Encoding::kAlleles
  kNoMajor,     ///< none: homozygous for the minor allele
  kBoth,        ///< both alleles: heterozygous
  kHomozygous,  ///< one allele
  kCalled       ///< anything
};

/// One word of a plane. \param major  not read for a plane that does not need it
constexpr Word word_of(Plane plane, Word minor, Word major, Word called) {
  switch (plane) {
    case Plane::kMinor:
      return minor;
    case Plane::kNoMinor:
      return called & ~minor;
    case Plane::kMajor:
      return major;
    case Plane::kNoMajor:
      return called & ~major;
    case Plane::kBoth:
      return minor & major;
    case Plane::kHomozygous:
      return minor ^ major;
    case Plane::kCalled:
      break;
  }
  return called;
}

/// The sites that are in a plane of the query and in a plane of the stored profile.
struct Product {
  Plane query, stored;
};

/// Products that have no site in common, and what each of their sites adds to a count.
struct Term {
  std::uint32_t weight = 0;
  std::array<Product, 2> products{};
  std::size_t n_products = 0;

  constexpr std::span<const Product> all() const { return {products.data(), n_products}; }
};

/// What is counted for a question.
struct Terms {
  std::array<Term, 3> count{};
  std::size_t n_count = 0;
  std::array<Product, 2> denominator{};
  std::size_t n_denominator = 0;
  bool lesser = false;  ///< the denominator is the lesser of its products, not their sum

  constexpr std::span<const Term> counted() const { return {count.data(), n_count}; }
  constexpr std::span<const Product> denominators() const { return {denominator.data(), n_denominator}; }
};

/// The table of questions.
///
///   question         by       count                         denominator                 command
///   kIdentity        minor    sites that differ             sites compared              fastid search
///                    alleles  alleles that differ           sites compared              --by alleles
///   kMixture         minor    minor alleles not seen        the person's minor alleles  fastid mixture
///                    alleles  alleles not seen              the person's alleles        --by alleles
///   kReverseMixture  as kMixture, but the query is the person, and the stored profile the mixture
///   kKinship         alleles  squares of the difference in  the heterozygous sites of   fastid kin
///                             minor copies                  the one who has fewer
///
/// A person's alleles at a site are the kinds that were seen: one of a homozygote, two of a heterozygote.
/// KING's kinship coefficient is 1/2 - count / (4 denominator).
///
/// \param by  kAlleles: both the query and the stored profiles say which alleles were seen
constexpr Terms terms_of(Comparison comparison, Encoding by) {
  using enum Plane;
  constexpr Product kMinorOrNot{kMinor, kNoMinor}, kNotOrMinor{kNoMinor, kMinor};
  constexpr Product kMajorOrNot{kMajor, kNoMajor}, kNotOrMajor{kNoMajor, kMajor};
  const std::size_t alleles = by == Encoding::kAlleles ? 2 : 1;
  switch (comparison) {
    case Comparison::kIdentity:
      return {.count = {{{1, {kMinorOrNot, kNotOrMinor}, 2}, {1, {kMajorOrNot, kNotOrMajor}, 2}}},
              .n_count = alleles,
              .denominator = {{{kCalled, kCalled}}},
              .n_denominator = 1};
    case Comparison::kMixture:
      return {.count = {{{1, {kNotOrMinor}, 1}, {1, {kNotOrMajor}, 1}}},
              .n_count = alleles,
              .denominator = {{{kCalled, kMinor}, {kCalled, kMajor}}},
              .n_denominator = alleles};
    case Comparison::kReverseMixture:
      return {.count = {{{1, {kMinorOrNot}, 1}, {1, {kMajorOrNot}, 1}}},
              .n_count = alleles,
              .denominator = {{{kMinor, kCalled}, {kMajor, kCalled}}},
              .n_denominator = alleles};
    case Comparison::kKinship:  // (2 - 0)^2 is what the first two count, and twice the third
      return {.count = {{{1, {kMinorOrNot, kNotOrMinor}, 2},
                         {1, {kMajorOrNot, kNotOrMajor}, 2},
                         {2, {Product{kNoMajor, kNoMinor}, Product{kNoMinor, kNoMajor}}, 2}}},
              .n_count = 3,
              .denominator = {{{kBoth, kCalled}, {kCalled, kBoth}}},
              .n_denominator = 2,
              .lesser = true};
  }
  return {};
}

/// The same counts in as few words as can be, for engines that count the bits of words: where a weight costs
/// no more than a shift, while a unit that multiplies matrices of bits adds a product as often as it weighs.
constexpr Terms terms_in_few_words(Comparison comparison, Encoding by) {
  using enum Plane;
  Terms terms = terms_of(comparison, by);
  if (comparison == Comparison::kKinship) {  // who has one allele and who has both differ by one copy
    terms.count = {{{1, {Product{kBoth, kHomozygous}, Product{kHomozygous, kBoth}}, 2},
                    {4, {Product{kNoMajor, kNoMinor}, Product{kNoMinor, kNoMajor}}, 2}}};
    terms.n_count = 2;
  }
  return terms;
}

/// Whether a question is of both alleles whatever `by` says.
constexpr bool by_alleles_alone(Comparison comparison) {
  return terms_of(comparison, Encoding::kMinor).n_count == terms_of(comparison, Encoding::kAlleles).n_count;
}

/// The most that a site counts: it may be in all terms.
constexpr std::uint32_t most_of_a_site(const Terms& terms) {
  std::uint32_t most = 0;
  for (const Term& term : terms.counted()) most += term.weight;
  return most;
}

/// The largest count of a pair that has `n_sites` sites.
constexpr std::uint64_t most_count(Comparison comparison, Encoding by, std::uint32_t n_sites) {
  return std::uint64_t{most_of_a_site(terms_of(comparison, by))} * n_sites;
}

/// The counts of one pair.
struct PairCounts {
  std::uint32_t count = 0;        ///< lower is better; at most most_count()
  std::uint32_t denominator = 0;  ///< what the count is taken relative to; may be 0
  std::uint32_t compared = 0;     ///< sites that both have called

  friend bool operator==(const PairCounts&, const PairCounts&) = default;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 finds a 0 in it
  friend auto operator<=>(const PairCounts&, const PairCounts&) = default;
};

/// Different planes of one side, each once.
struct PlaneList {
  std::array<Plane, 6> planes{};
  std::size_t n = 0;

  constexpr std::size_t place_of(Plane plane) const {
    for (std::size_t i = 0; i < n; ++i)
      if (planes[i] == plane) return i;
    return n;
  }
  constexpr void add(Plane plane) {
    if (place_of(plane) == n) planes[n++] = plane;
  }
};

/// The sites of one word that a term counts.
constexpr Word counted_sites(const Term& term, Word query_minor, Word query_major, Word query_called,
                             Word stored_minor, Word stored_major, Word stored_called) {
  Word sites = 0;
  for (const Product& product : term.all())
    sites |= word_of(product.query, query_minor, query_major, query_called) &
             word_of(product.stored, stored_minor, stored_major, stored_called);
  return sites;
}

/// Counts one pair, one word at a time: the slow, plain definition.
///
/// \param by  kAlleles: the query has `major`, and the blocks are of that encoding. kKinship needs it
/// \param query   n_words words of each plane
/// \param blocks  the same number of sites as the query
/// \param profile in [0, blocks.shape.n_profiles)
PairCounts count_pair(Comparison comparison, Encoding by, const RowView& query, const BlocksView& blocks,
                      std::uint64_t profile);

/// The same of a query and each profile of a block, all lanes at once, in loops written apart from an
/// engine's kernels. Counts of unused lanes have no meaning. \param wanted  of the lanes \return the lanes
/// that were counted: those wanted, and their neighbours
Word count_block(Comparison comparison, Encoding by, const RowView& query, const BlocksView& block,
                 std::span<PairCounts, kLanes> counts, Word wanted = ~Word{0});

/// Counts of two people's genotypes over the sites called in both: compared, ibs0 and both_het are what
/// `plink2 --make-king-table` prints as NSNP, IBS0 and HETHET.
struct GenotypeCounts {
  std::uint32_t compared = 0;    ///< sites called in both
  std::uint32_t ibs0 = 0;        ///< one is homozygous for the minor allele, the other for the major one
  std::uint32_t both_het = 0;    ///< both are heterozygous
  std::uint32_t first_het = 0;   ///< the first person is heterozygous, whatever the second one is
  std::uint32_t second_het = 0;  ///< the second person is

  /// The number of alleles that differ: the sum of |g1 - g2|. In [0, 2 compared].
  std::uint32_t alleles_apart() const { return first_het + second_het - 2 * both_het + 2 * ibs0; }

  friend bool operator==(const GenotypeCounts&, const GenotypeCounts&) = default;
};

/// Of two rows with `major`.
GenotypeCounts count_genotypes(const RowView& first, const RowView& second);
/// Of a row with `major` and each profile of a block of Encoding::kAlleles. Those of unused lanes have no
/// meaning.
void count_genotypes(const RowView& query, const BlocksView& block, std::span<GenotypeCounts, kLanes> counts);

}  // namespace fastid::engine
