/// \file
/// The queries of a search: their rows, and where each came from.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bits/allele_signal.hpp"
#include "bits/likelihoods.hpp"
#include "bits/rows.hpp"

namespace fastid::match {

/// Where a query came from.
struct QuerySource {
  std::string name;  ///< the sample's name; "FILE:SAMPLE" where two queries share a name
  std::string file;
  std::string sha256;                    ///< of the file
  Encoding encoding = Encoding::kMinor;  ///< kAlleles: the file says which alleles it saw
};

struct Queries {
  std::vector<QuerySource> sources;
  /// One for each source, with the sites that are counted; of Encoding::kAlleles where every file says which
  /// alleles it saw.
  ProfileRows rows;
  /// The rows with all sites of the panel; no value where all sites are counted.
  std::optional<ProfileRows> whole = {};
  /// The likelihoods of each source that goes by them in place of its calls at the autosomal sites; empty
  /// where no source does.
  std::vector<std::optional<SampleLikelihoods>> likelihoods = {};

  /// Null where the query goes by its calls.
  const SampleLikelihoods* likelihoods_of(std::size_t i) const {
    return likelihoods.empty() || !likelihoods[i] ? nullptr : &*likelihoods[i];
  }
  /// Whether any query goes by its likelihoods.
  bool any_by_likelihoods() const {
    return std::ranges::any_of(likelihoods, [](const auto& of) { return of.has_value(); });
  }
  /// The number of sites that say something of a query: called sites or, where it goes by its likelihoods,
  /// sites whose genotypes are not all equally likely.
  std::uint32_t sites_of(std::size_t i) const {
    const SampleLikelihoods* const sample = likelihoods_of(i);
    return sample != nullptr ? static_cast<std::uint32_t>(sample->sites().size()) : rows.called_sites(i);
  }

  /// What was measured of each source's alleles, where that is asked for; no value where its file has none.
  /// Else empty.
  std::vector<std::optional<SampleSignal>> signals = {};
  /// One list for each of `signals`: single reads of the sites that have few, by site; empty where the file
  /// does not list single reads.
  std::vector<std::vector<SiteRead>> few_reads = {};

  RowView whole_row(std::size_t i) const { return whole ? whole->row(i) : rows.row(i); }
};

}  // namespace fastid::match
