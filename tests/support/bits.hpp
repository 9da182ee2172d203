/// \file
/// People as plain bits, and what fastid must find in them: one site at a time, by the definitions as they
/// are printed in docs, with no code of src/ in it, so that a mistake in packing or tiling cannot cancel out.
#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <vector>

#include "bits/rows.hpp"
#include "engine/engine.hpp"

namespace fastid::testing {

/// For each site 0 or 1. Loops take its data(), which tests that are hardly optimised read fast too.
using Flags = std::vector<std::uint8_t>;

/// One person or mixture: for each site, whether it was called, and whether it shows a minor and a major
/// allele: at least one of them where it was called, else none.
struct Person {
  Flags minor, called, major;

  /// No site called.
  static Person unseen(std::size_t n_sites) {
    const Flags none(n_sites);
    return {none, none, none};
  }
  void see(std::size_t site, bool of_minor, bool of_major) {
    minor[site] = of_minor;
    major[site] = of_major;
    called[site] = of_minor || of_major;
  }
  /// Copies of the minor allele where a genotype was called.
  int copies(std::size_t site) const { return minor[site] ? (major[site] ? 1 : 2) : 0; }
};
using People = std::vector<Person>;

/// `n` people with a minor allele at about `minor` of their sites, half of them beside a major one, and
/// `missing` not called. With missing > 0 the first has no site called; the second, if any, has no minor
/// allele.
inline People random_people(std::size_t n, std::size_t n_sites, double minor, double missing,
                            std::mt19937& random) {
  std::bernoulli_distribution is_minor(minor), is_missing(missing), is_both(0.5);
  People people(n, Person::unseen(n_sites));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t site = 0; site < n_sites; ++site) {
      if (missing > 0 && (i == 0 || is_missing(random))) continue;
      const bool shows_minor = i != 1 && is_minor(random);
      people[i].see(site, shows_minor, !shows_minor || is_both(random));
    }
  return people;
}

struct Truth {
  std::uint32_t count = 0, denominator = 0, compared = 0;

  engine::PairCounts counts() const { return {count, denominator, compared}; }
};

/// KING-robust: the squared differences in copies of the minor allele, relative to the heterozygous sites of
/// the one who has fewer.
inline Truth kinship_truth(const Person& q, const Person& d) {
  Truth sum;
  std::uint32_t het_q = 0, het_d = 0;
  const std::size_t n_sites = q.called.size();
  const std::uint8_t *const called_q = q.called.data(), *const called_d = d.called.data();
  for (std::size_t site = 0; site < n_sites; ++site) {
    if (!called_q[site] || !called_d[site]) continue;
    ++sum.compared;
    const int apart = q.copies(site) - d.copies(site);
    sum.count += static_cast<std::uint32_t>(apart * apart);
    het_q += q.copies(site) == 1;
    het_d += d.copies(site) == 1;
  }
  sum.denominator = het_q < het_d ? het_q : het_d;
  return sum;
}

/// What the definition says of query q and stored person d.
/// \param by  kAlleles: major alleles count as minor ones do
inline Truth truth(engine::Comparison comparison, Encoding by, const Person& q, const Person& d) {
  if (comparison == engine::Comparison::kKinship) return kinship_truth(q, d);
  const Person& person = comparison == engine::Comparison::kMixture ? d : q;
  const Person& mixture = comparison == engine::Comparison::kMixture ? q : d;
  Truth sum;
  const std::size_t n_sites = q.called.size();
  const std::uint8_t *const called_q = q.called.data(), *const called_d = d.called.data();
  for (std::size_t site = 0; site < n_sites; ++site) sum.compared += called_q[site] && called_d[site];
  const auto add = [&](Flags Person::*allele) {
    const std::uint8_t *const of_person = (person.*allele).data(), *const of_mixture =
                                                                       (mixture.*allele).data();
    for (std::size_t site = 0; site < n_sites; ++site) {
      if (!called_q[site] || !called_d[site]) continue;
      if (comparison == engine::Comparison::kIdentity) {
        sum.count += of_person[site] != of_mixture[site];
      } else {
        sum.count += of_person[site] && !of_mixture[site];
        sum.denominator += of_person[site];
      }
    }
  };
  add(&Person::minor);
  if (by == Encoding::kAlleles) add(&Person::major);
  if (comparison == engine::Comparison::kIdentity) sum.denominator = sum.compared;
  return sum;
}

/// The threshold: count * den <= num * max(denominator, 1) + offset where den is not 0.
inline bool truly_passes(const engine::Threshold& threshold, const Truth& pair) {
  __extension__ using Wide = __int128;
  const Wide denominator = pair.denominator > 0 ? pair.denominator : 1;
  if (Wide{pair.count} > Wide{threshold.max_count}) return false;
  return threshold.den == 0 ||
         Wide{pair.count} * threshold.den <= Wide{threshold.num} * denominator + threshold.offset;
}

/// Queries as rows.
inline ProfileRows pack_queries(const People& people, std::uint32_t n_sites,
                                Encoding encoding = Encoding::kMinor) {
  ProfileRows rows(people.size(), n_sites, encoding);
  for (std::size_t i = 0; i < people.size(); ++i)
    for (std::uint32_t site = 0; site < n_sites; ++site)
      if (people[i].called[site])
        rows.set_seen(i, site,
                      static_cast<Seen>((people[i].minor[site] ? kMinorSeen : kNoneSeen) |
                                        (people[i].major[site] ? kMajorSeen : kNoneSeen)));
  return rows;
}

/// One plane in blocks, by the formula of the file format: bit s of person i is bit s%32 of word [i/32, s/32,
/// i%32].
inline void pack_plane(const People& people, Flags Person::*plane, std::size_t n_sites,
                       std::uint32_t* words) {
  const std::size_t n_words = (n_sites + 31) / 32;
  std::memset(words, 0, (people.size() + 31) / 32 * n_words * 32 * sizeof *words);
  for (std::size_t i = 0; i < people.size(); ++i) {
    const std::uint8_t* const flags = (people[i].*plane).data();
    for (std::size_t s = 0; s < n_sites; ++s)
      if (flags[s]) words[(i / 32 * n_words + s / 32) * 32 + i % 32] |= std::uint32_t{1} << (s % 32);
  }
}

/// A tile of people into a worker's buffer.
inline void pack_tile(const People& people, std::size_t n_sites, const engine::TileBuffer& buffer,
                      Encoding encoding = Encoding::kMinor) {
  pack_plane(people, &Person::minor, n_sites, buffer.bits);
  if (buffer.second == nullptr) return;
  pack_plane(people, encoding == Encoding::kMinor ? &Person::called : &Person::major, n_sites, buffer.second);
}

}  // namespace fastid::testing
