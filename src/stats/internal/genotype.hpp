/// \file
/// One site in one population: the probabilities of its alleles in two people with a given relation.
/// Everything else in stats is computed from these.
///
///   q      frequency of the panel's minor allele, p = 1 - q
///   theta  co-ancestry, F_ST: how much more alike two alleles of one population are than q implies
///   w      probability that one allele copy is read as the other
///   bit    1: at least one minor allele
///
/// Everything that concerns a second person is conditional on the alleles already seen, by the sampling
/// formula of D. J. Balding and R. A. Nichols (1994): after n alleles of which m were minor, the next one is
/// minor with probability (m theta + (1 - theta) q) / (1 + (n - 1) theta), the first with probability q.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace fastid::stats {

/// Alleles seen so far.
struct Seen {
  unsigned minor = 0, major = 0;
};

/// P(the next allele is minor), and P(it is major) without cancellation. \param q  in [0, 1] \param theta  in
/// [0, 1]
double next_minor(double q, double theta, Seen seen);
double next_major(double q, double theta, Seen seen);

/// P(the next alleles are next.minor minor ones, then next.major major ones, in this order).
double sequence_probability(double q, double theta, Seen seen, Seen next);

/// P(0, 1, 2 minor copies) of a person.
std::array<double, 3> genotype_probabilities(double q, double theta);

/// The relation of two people, as P(0, 1, 2 of their alleles are identical by descent).
struct Ibd {
  double none = 1, one = 0, two = 0;
};

/// Half siblings stand for all second-degree relatives (grandparents, uncles and aunts), cousins for the
/// third.
enum class Relation { kSame, kParentChild, kSibling, kHalfSibling, kCousin, kUnrelated };
inline constexpr std::size_t kRelations = 6;

/// "same", "parent-child", "sibling", "half-sibling", "cousin", "unrelated", as --alternative has them.
std::string_view name_of(Relation relation);

/// same (0, 0, 1), parent-child (0, 1, 0), full sibling (1/4, 1/2, 1/4), half sibling (1/2, 1/2, 0), first
/// cousin (3/4, 1/4, 0), unrelated (1, 0, 0).
Ibd ibd_of(Relation relation);

/// [g1][g2]: P(one has g1 minor copies and the other g2). They add up to 1.
using JointGenotypes = std::array<std::array<double, 3>, 3>;
JointGenotypes joint_genotypes(double q, double theta, const Ibd& ibd);

/// P(the bits of two people), by how many of the two are 1. `one` is the probability of one order, P(0, 1) =
/// P(1, 0), so that none + 2 one + both = 1.
struct BitPair {
  double none = 0, one = 0, both = 0;
};

/// [relation]: probabilities of the bits as read, where each copy is misread with probability w: P(bit 1) is
/// 1 - (1 - w)^2, 1 - w (1 - w), 1 - w^2 of 0, 1, 2 minor copies. They are sums of products of positive
/// numbers, so nothing cancels.
std::array<BitPair, kRelations> joint_bits(double q, double theta, double w);

/// The frequency to compute with, where `freq` was counted among so many `alleles`, two of each person
/// called: (x + 1) / (alleles + 2), where x of them were minor. So an allele that was not seen in a sample is
/// not impossible.
double counted_frequency(double freq, std::uint64_t alleles);

/// The lowest frequency that is used, and by symmetry the smallest distance from 1, where the sample size of
/// the frequencies is not known: 1/202, as for 100 people, or the lowest stated frequency other than
/// 0 and 1 where that is smaller. So no stated frequency other than 0 and 1 is changed.
double frequency_floor(std::span<const double> minor_freq);

}  // namespace fastid::stats
