/// \file
/// The ratios of one person with many others: sums over sites (stats/internal/site_sums.hpp) of what each
/// site's table says of the two genotypes.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <span>
#include <vector>

#include "stats/internal/genotype_ratios.hpp"
#include "stats/internal/site_sums.hpp"
#include "stats/shown.hpp"
#include "stats/site_walk.hpp"

namespace fastid::stats {

/// What is seen at a site by two planes, as TwoPlanes::low and 2 times TwoPlanes::high: by alleles major ones
/// are the low plane and minor ones the high one, by bits called sites and minor alleles.
inline constexpr std::array<std::size_t, 4> kSeenByAlleles{kNeither, kMajorOnly, kMinorOnly, kBothAlleles},
    kSeenByBits{kNeither, 0, kNeither, 1};

/// The two planes of each row, in the order of kSeenByAlleles or kSeenByBits.
inline std::vector<TwoPlanes> people_of(std::span<const RowView> rows, Encoding by) {
  std::vector<TwoPlanes> people;
  people.reserve(rows.size());
  for (const RowView& row : rows) people.push_back(planes_of(row, by));
  return people;
}

/// The ratios over the sites called in both, each site weighing 1.
/// \param at  at(site, x, y): the RelationRatios of a site where the query shows x and the other person y;
/// the RelationRatios of all y lie one after the other
template <class At>
std::vector<RelationRatios> sums_of_ratios(const RowView& query, Encoding by, const At& at,
                                           std::span<const RowView> others) {
  static_assert(kRelations <= kFigures);
  const bool alleles = by == Encoding::kAlleles;
  const std::vector<TwoPlanes> people = people_of(others, by);
  std::vector<Figures> sums(others.size());
  const auto fill = [&](std::size_t word, WordFigures& figures) {
    constexpr std::size_t kAhead = 2;  // words
    if (const std::size_t soon = word + kAhead; soon < query.called.size())
      for_each_set(soon, query.called[soon], [&](std::size_t site) {
        // Each query reads other entries of a large table, which hardware prefetching cannot predict.
        const auto* const next = reinterpret_cast<const char*>(&at(site, kind_at(query, site, by), 0));
        for (std::size_t line = 0; line < 3 * sizeof(RelationRatios); line += 64)
          __builtin_prefetch(next + line);
      });
    if (query.called[word] == 0) return false;
    if (query.called[word] != ~Word{0}) figures = {};
    const auto take = [&](const std::array<std::size_t, 4>& kinds) {
      for_each_set(word, query.called[word], [&](std::size_t site) {
        const std::size_t x = kind_at(query, site, by);
        for (std::size_t seen = 0; seen < kinds.size(); ++seen)
          if (kinds[seen] != kNeither)
            std::memcpy(figures[site % kWordBits][seen].data(), at(site, x, kinds[seen]).log10.data(),
                        sizeof(RelationRatios));
      });
    };
    if (alleles)
      take(kSeenByAlleles);
    else
      take(kSeenByBits);
    return true;
  };
  add_sites(query.called.size(), fill, people, sums);
  std::vector<RelationRatios> ratios(others.size());
  for (std::size_t i = 0; i < others.size(); ++i)
    std::copy_n(sums[i].begin(), kRelations, ratios[i].log10.begin());
  return ratios;
}

}  // namespace fastid::stats
