/// \file
/// What single reads say of a site.
#pragma once

#include <htslib/sam.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "hmm/pair_hmm.hpp"
#include "import/import.hpp"
#include "import/reads/site_window.hpp"

namespace fastid::imports {

/// A read around a site.
struct Observation {
  std::uint64_t fragment = 0;  ///< a hash of the pair's name; 0: the read has no mate or no name
  std::vector<hmm::Row> rows;  ///< the bases within kReadFlank of the site
  std::size_t site_row = 0;    ///< of `rows`: the base at the site
  bool at_middle = false;      ///< of all sites that its fragment covers, this one is nearest to its middle

  std::uint8_t base() const { return rows[site_row] & hmm::kAnyBase; }
  std::uint32_t quality() const { return hmm::quality_of(rows[site_row], 0); }
  void set_quality(std::uint32_t quality);
};

/// The observation of a read; no value where it has no base at the site, or a base of a quality below
/// hmm::kLeastBaseQuality, which says nothing. A base's quality is at most the read's mapping quality; with
/// options.damage it is lowered where damage may have made the base: T for C towards the beginning of a
/// molecule, A for G towards its end, or T for C at both (single_stranded).
std::optional<Observation> observe(const bam1_t& read, const SiteWindow& window, const ReadOptions& options);

/// Whether the read aligns to both sides of the site, with a deletion over it.
bool deletes(const bam1_t& read, const SiteWindow& window);
/// The fragment that a read is of, as Observation::fragment.
std::uint64_t fragment_of(const bam1_t& read);

/// Leaves one observation of each fragment, the one with the higher quality at the site. Where the mate has
/// another base, the mate's quality is subtracted, and the observation is dropped where less than
/// hmm::kLeastBaseQuality is left. Returns how many were left out.
std::size_t merge_mates(std::vector<Observation>& observations);

}  // namespace fastid::imports
