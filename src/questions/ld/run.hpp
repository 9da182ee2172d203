/// \file
/// Linkage disequilibrium of pairs of sites.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "asking/device_options.hpp"
#include "asking/work.hpp"
#include "base/progress.hpp"
#include "engine/ld.hpp"
#include "import/import.hpp"
#include "part/part_set.hpp"
#include "questions/ld/table.hpp"

namespace fastid::ld {

/// Which pairs are compared: sites of one chromosome, at most so far apart; all limits hold.
struct LdWindow {
  std::optional<std::uint32_t> sites;       ///< places apart
  std::optional<std::uint64_t> base_pairs;  ///< apart
  bool all = false;                         ///< every pair, of different chromosomes too
};

/// The sites at positions begin .. end of a chromosome.
struct SiteRegion {
  std::string chrom;  ///< normal_chromosome()
  std::uint32_t begin = 0, end = UINT32_MAX;

  std::string text() const;  ///< "19:45000000-45500000", "19" where it has no limits
};
/// Understands "19", "chr19:45,000,000-45,500,000". \throws UsageError
SiteRegion parse_region(const std::string& text);

struct LdOptions {
  std::string file;  ///< a database, or genotypes in a file that makes a panel (VCF, BCF, .bed, EIGENSTRAT)
  imports::ImportOptions import;
  bool phased = false;               ///< haplotypes of a phased VCF or BCF
  std::optional<SiteRegion> region;  ///< no value: all sites
  LdWindow window;
  double min_r2 = 0.2;
  asking::DeviceOptions device;
  bool every_pair = false;  ///< matrix() is asked for, which says what work there is for a device
  ProgressMode progress = ProgressMode::kAuto;
};

/// \param n  people or haplotypes of a file \throws InputError  more than kMostLdUnits
void check_units(const std::string& file, std::uint64_t n);

/// Sites and people, read once, and what finds pairs among them.
class LdSearch {
 public:
  /// \throws InputError, UsageError
  explicit LdSearch(const LdOptions& options);
  ~LdSearch();

  const SiteFacts& facts() const;
  std::uint64_t n_pairs() const;  ///< that are within the window

  /// Hands on all pairs within the window whose r2 is at least min_r2, in the order of the first site, then
  /// of the second. \param with_d  also D and D' \return how many there are \throws DeviceError, Interrupted
  using Take = std::function<void(std::span<const SitePair>)>;
  std::uint64_t find_all(bool with_d, const Take& take) const;

  /// Does this process's part of that work: a shard has neighbouring first sites with its share of the pairs.
  /// \return how many pairs there are; no value where another process has them \throws as find_all();
  /// InputError
  std::optional<std::uint64_t> find_share(asking::Work& work, const Take& take) const;

  /// Hands on r2 of every site with every site, whatever the window and min_r2: strips of kStripRows whole
  /// rows (the last one may be shorter) in their order, NaN where there is no r2. Each row is in the order of
  /// the sites, so that both triangles are there, and a site has an r2 of 1 with itself unless it does not
  /// vary. \throws DeviceError, Interrupted
  void matrix(const std::function<void(std::span<const float> rows)>& take) const;
  static constexpr std::uint32_t kStripRows = 256;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fastid::ld
