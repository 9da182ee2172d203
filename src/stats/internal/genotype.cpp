#include "stats/internal/genotype.hpp"

#include <algorithm>

namespace fastid::stats {
namespace {

constexpr double kAssumedPeople = 100;  ///< sample size assumed where it is not stated for the frequencies

/// Number of orders in which 0, 1, 2 minor copies can occur.
constexpr std::array<double, 3> kOrders{1, 2, 1};

double next(double own, unsigned same, double theta, Seen seen) {
  const unsigned n = seen.minor + seen.major;
  return n == 0 ? own : (same * theta + (1 - theta) * own) / (1 + (n - 1) * theta);
}

BitPair read_bits(const JointGenotypes& joint, double w) {
  const std::array<double, 3> read_1{w * (2 - w), 1 - w * (1 - w), (1 - w) * (1 + w)},
      read_0{(1 - w) * (1 - w), w * (1 - w), w * w};
  BitPair bits;
  for (std::size_t g = 0; g < 3; ++g)
    for (std::size_t h = 0; h < 3; ++h) {
      bits.none += joint[g][h] * read_0[g] * read_0[h];
      bits.one += joint[g][h] * read_0[g] * read_1[h];
      bits.both += joint[g][h] * read_1[g] * read_1[h];
    }
  return bits;
}

}  // namespace

double next_minor(double q, double theta, Seen seen) {
  return next(q, seen.minor, theta, seen);
}

double next_major(double q, double theta, Seen seen) {
  return next(1 - q, seen.major, theta, seen);
}

double sequence_probability(double q, double theta, Seen seen, Seen next) {
  double probability = 1;
  for (unsigned i = 0; i < next.minor; ++i, ++seen.minor) probability *= next_minor(q, theta, seen);
  for (unsigned i = 0; i < next.major; ++i, ++seen.major) probability *= next_major(q, theta, seen);
  return probability;
}

std::array<double, 3> genotype_probabilities(double q, double theta) {
  std::array<double, 3> genotypes{};
  for (unsigned g = 0; g < 3; ++g) genotypes[g] = kOrders[g] * sequence_probability(q, theta, {}, {g, 2 - g});
  return genotypes;
}

std::string_view name_of(Relation relation) {
  static constexpr std::array<std::string_view, kRelations> kNames{
      "same", "parent-child", "sibling", "half-sibling", "cousin", "unrelated"};
  return kNames[static_cast<std::size_t>(relation)];
}

Ibd ibd_of(Relation relation) {
  switch (relation) {
    case Relation::kSame:
      return {0, 0, 1};
    case Relation::kParentChild:
      return {0, 1, 0};
    case Relation::kSibling:
      return {.25, .5, .25};
    case Relation::kHalfSibling:
      return {.5, .5, 0};
    case Relation::kCousin:
      return {.75, .25, 0};
    case Relation::kUnrelated:
      break;
  }
  return {1, 0, 0};
}

JointGenotypes joint_genotypes(double q, double theta, const Ibd& ibd) {
  JointGenotypes joint{};
  for (unsigned g = 0; g < 3; ++g) {
    joint[g][g] += ibd.two * kOrders[g] * sequence_probability(q, theta, {}, {g, 2 - g});
    for (unsigned h = 0; h < 3; ++h)
      joint[g][h] +=
          ibd.none * kOrders[g] * kOrders[h] * sequence_probability(q, theta, {}, {g + h, 4 - g - h});
  }
  for (unsigned shared = 0; shared < 2; ++shared)
    for (unsigned a = 0; a < 2; ++a)
      for (unsigned b = 0; b < 2; ++b) {
        const unsigned minor = shared + a + b;
        joint[shared + a][shared + b] += ibd.one * sequence_probability(q, theta, {}, {minor, 3 - minor});
      }
  return joint;
}

std::array<BitPair, kRelations> joint_bits(double q, double theta, double w) {
  const std::array<BitPair, 3> by_descent{read_bits(joint_genotypes(q, theta, {1, 0, 0}), w),
                                          read_bits(joint_genotypes(q, theta, {0, 1, 0}), w),
                                          read_bits(joint_genotypes(q, theta, {0, 0, 1}), w)};
  std::array<BitPair, kRelations> bits;
  for (std::size_t r = 0; r < kRelations; ++r) {
    const Ibd ibd = ibd_of(static_cast<Relation>(r));
    const auto mean = [&](double BitPair::*of) {
      return ibd.none * by_descent[0].*of + ibd.one * by_descent[1].*of + ibd.two * by_descent[2].*of;
    };
    bits[r] = {mean(&BitPair::none), mean(&BitPair::one), mean(&BitPair::both)};
  }
  return bits;
}

double counted_frequency(double freq, std::uint64_t alleles) {
  const auto n = static_cast<double>(alleles);
  return (freq * n + 1) / (n + 2);
}

double frequency_floor(std::span<const double> minor_freq) {
  double least = 1 / (2 * kAssumedPeople + 2);
  for (const double freq : minor_freq)
    if (const double distance = std::min(freq, 1 - freq); distance > 0) least = std::min(least, distance);
  return least;
}

}  // namespace fastid::stats
