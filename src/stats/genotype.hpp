/// \file
/// One site in one population: how probable its genotypes and bits are. Everything else in stats is made of
/// these.
///
///   q      frequency of the panel's minor allele, p = 1 - q
///   theta  F_ST: how much more alike two alleles of one population are than q says
///   w      probability that one allele is read as the other
///   bit    1: at least one minor allele; c = P(bit 1), "carrier"
///
/// Sources. Genotypes with theta: National Research Council, The Evaluation of Forensic DNA Evidence (NRC II,
/// 1996), formulas 4.4a and 4.10 (Balding and Nichols, 1994).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

namespace fastid::stats {

/// One number for each genotype.
struct ByGenotype {
  double major_hom = 0, het = 0, minor_hom = 0;
};

/// P(genotype) of a person: p^2 + theta p q, 2 p q (1 - theta), q^2 + theta p q. They add up to 1.
ByGenotype genotype_probabilities(double q, double theta);

/// P(a second person of the same population has the genotype | one person has it), NRC II 4.10.
ByGenotype match_probabilities(double q, double theta);

/// P(bit 1) = 1 - (p^2 + theta p q), without cancellation for small q.
double carrier_probability(double q, double theta);
/// P(bit 0) = p^2 + theta p q.
double non_carrier_probability(double q, double theta);

/// P(a person of 0, 1, 2 minor copies is read as bit 1): 1 - (1 - w)^2, 1 - w (1 - w), 1 - w^2.
ByGenotype read_as_carrier(double w);
/// P(... is read as bit 0): (1 - w)^2, w (1 - w), w^2.
ByGenotype read_as_non_carrier(double w);

/// log10 likelihood ratio of "same person" against "unrelated" at one site, by how many of the two bits are
/// 1. -infinity for `one` where w is 0: then one difference excludes. \param q  in (0, 1)
struct IdentityRatios {
  double none = 0, one = 0, both = 0;
};
IdentityRatios identity_ratios(double q, double theta, double w);

/// log10 likelihood ratio of "the person is one of n contributors" against "n people unrelated to the person
/// made the mixture" at one site; m is the mixture's bit, r the person's. The true mixture shows the minor
/// allele with t = 1 for a carrier, 1 - (1 - c)^(n - 1) for another person, 1 - (1 - c)^n for the
/// alternative; it is read as 1 with t (1 - w) + (1 - t) w. -infinity only where w is 0: for m0r1, and for
/// m1r0 of one contributor. \param q  in (0, 1) \param n  1 or more
struct MixtureRatios {
  double m0r0 = 0, m0r1 = 0, m1r0 = 0, m1r1 = 0;
};
MixtureRatios mixture_ratios(double q, double theta, unsigned n, double w);

/// P(none of n unrelated people carries the minor allele) = (1 - c)^n, and 1 - that, both without
/// cancellation.
struct Carriers {
  double none = 0, some = 0;
};
Carriers carriers_among(double q, double theta, unsigned n);

/// The least frequency, and by symmetry the least distance from 1, that is reckoned with: nothing that was
/// not seen in a sample is impossible.
///
/// 1 / (2N + 2) with N = `sampled_people`. Where N is not known, it is taken to be 100, or so many that the
/// least frequency stated (other than 0 and 1) could be a single allele seen: no stated frequency but 0 and 1
/// is ever changed then.
double frequency_floor(std::span<const double> minor_freq, std::optional<std::uint64_t> sampled_people);

}  // namespace fastid::stats
