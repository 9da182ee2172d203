/// \file
/// The candidates of a shard: the best pairs of each query among its rows, and how the candidates of all
/// shards are merged into the best pairs of all rows.
///
/// They are stored by rank, not by query: first the best pair of each query, then the second ones, then the
/// third and fourth, and so on, in bands that double. Of a thousand shards each holds few of a query's best
/// pairs, so a merge reads little beyond the first bands: a further band is read only where a last pair of
/// the band before is still good enough.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "bits/shard.hpp"
#include "match/histogram.hpp"
#include "match/ranking.hpp"
#include "part/part_set.hpp"

namespace fastid::part {

inline constexpr std::string_view kCandidates = "candidates";

void add_candidates(std::span<const match::RankedPairs> ranked, Writer& to);

/// The best pairs of all parts: the same as a ranking of all rows keeps. \param rule  its `top` is at most
/// Head::held \param rows_of  gives a shard's rows
/// \throws InputError: a part is damaged, or has pairs of rows that are not its own, or a pair twice
std::vector<match::RankedPairs> merged(const PartSet& parts, std::size_t n_queries,
                                       const match::KeepRule& rule, std::span<const match::QueryRule> own,
                                       const std::function<Range(const Shard&)>& rows_of,
                                       std::size_t threads);

inline constexpr std::string_view kHistograms = "histograms";

/// Counts of profiles that a shard has made for histograms.
/// \param section  name of the section, where a part has several histograms
void add_histograms(const match::CountHistograms& histograms, std::size_t n_queries, Writer& to,
                    std::string_view section = kHistograms);

/// The sum of all parts' counts. \throws InputError
void read_histograms(const PartSet& parts, std::size_t n_queries, match::CountHistograms& into,
                     std::string_view section = kHistograms);

}  // namespace fastid::part
