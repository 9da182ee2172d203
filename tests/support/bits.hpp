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

/// One person or mixture: for each site, whether it was called and whether it shows a minor allele (only
/// where called).
struct Person {
  std::vector<bool> minor, called;
};
using People = std::vector<Person>;

/// `n` people with about `minor` of their sites set and `missing` not called. With missing > 0 the first has
/// no site called; the second, if any, has no minor allele.
inline People random_people(std::size_t n, std::size_t n_sites, double minor, double missing,
                            std::mt19937& random) {
  std::bernoulli_distribution is_minor(minor), is_missing(missing);
  People people(n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t site = 0; site < n_sites; ++site) {
      const bool called = !(missing > 0 && (i == 0 || is_missing(random)));
      people[i].called.push_back(called);
      people[i].minor.push_back(called && i != 1 && is_minor(random));
    }
  return people;
}

struct Truth {
  std::uint32_t count = 0, denominator = 0, compared = 0;

  PairCounts counts() const { return {count, denominator, compared}; }
};

/// What the definition says of query q and stored person d.
inline Truth truth(Comparison comparison, const Person& q, const Person& d) {
  Truth sum;
  for (std::size_t site = 0; site < q.called.size(); ++site) {
    if (!q.called[site] || !d.called[site]) continue;
    ++sum.compared;
    if (comparison == Comparison::kIdentity) {
      sum.count += q.minor[site] != d.minor[site];
      sum.denominator += 1;
    } else {
      const Person& person = comparison == Comparison::kMixture ? d : q;
      const Person& mixture = comparison == Comparison::kMixture ? q : d;
      sum.count += person.minor[site] && !mixture.minor[site];
      sum.denominator += person.minor[site];
    }
  }
  return sum;
}

/// The threshold: count * den <= num * max(denominator, 1) + offset where den is not 0.
inline bool truly_passes(const Threshold& threshold, const Truth& pair) {
  __extension__ using Wide = __int128;
  const Wide denominator = pair.denominator > 0 ? pair.denominator : 1;
  if (Wide{pair.count} > Wide{threshold.max_count}) return false;
  return threshold.den == 0 ||
         Wide{pair.count} * threshold.den <= Wide{threshold.num} * denominator + threshold.offset;
}

/// Queries as rows.
inline ProfileRows pack_queries(const People& people, std::uint32_t n_sites) {
  ProfileRows rows(people.size(), n_sites);
  for (std::size_t i = 0; i < people.size(); ++i)
    for (std::uint32_t site = 0; site < n_sites; ++site)
      if (people[i].called[site]) rows.set(i, site, people[i].minor[site]);
  return rows;
}

/// One plane in blocks, by the formula of the file format: bit s of person i is bit s%32 of word [i/32, s/32,
/// i%32].
inline void pack_plane(const People& people, bool called, std::size_t n_sites, std::uint32_t* words) {
  const std::size_t n_words = (n_sites + 31) / 32;
  std::memset(words, 0, (people.size() + 31) / 32 * n_words * 32 * sizeof *words);
  for (std::size_t i = 0; i < people.size(); ++i)
    for (std::size_t s = 0; s < n_sites; ++s)
      if (called ? people[i].called[s] : people[i].minor[s])
        words[(i / 32 * n_words + s / 32) * 32 + i % 32] |= std::uint32_t{1} << (s % 32);
}

/// The people as they are where both alleles are known: of those with a minor allele every second site has a
/// major one too. `called` becomes the plane of major alleles.
inline People with_major_alleles(People people) {
  for (std::size_t i = 0; i < people.size(); ++i)
    for (std::size_t s = 0; s < people[i].called.size(); ++s)
      people[i].called[s] = people[i].called[s] && (!people[i].minor[s] || (i + s) % 2 == 0);
  return people;
}

/// A tile of people into a worker's buffer.
inline void pack_tile(const People& people, std::size_t n_sites, const TileBuffer& buffer,
                      Encoding encoding = Encoding::kMinor) {
  pack_plane(people, false, n_sites, buffer.bits);
  if (buffer.second == nullptr) return;
  pack_plane(encoding == Encoding::kMinor ? people : with_major_alleles(people), true, n_sites,
             buffer.second);
}

}  // namespace fastid::testing
