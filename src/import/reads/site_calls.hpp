/// \file
/// Genotypes of sites whose reads are complete. Likelihoods of many sites are computed together.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "hmm/pair_hmm.hpp"
#include "import/reads.hpp"
#include "import/reads/genotype.hpp"
#include "import/reads/observations.hpp"
#include "import/reads/site_window.hpp"
#include "panel/sex.hpp"

namespace fastid::imports {

/// A site of the panel whose reads are being collected.
struct OpenSite {
  std::uint32_t site = 0;
  SiteWindow window;
  std::vector<Observation> reads;
  std::vector<std::uint64_t> deleted{};  ///< fragments of reads with a deletion over the site
};

/// Frequencies of the minor allele, for a prior and for contamination.
class Frequencies {
 public:
  /// \throws UsageError where `prior` is neither "" nor a population
  Frequencies(const Panel& panel, const std::string& prior);

  std::optional<double> prior(std::uint32_t site) const {
    return prior_ == nullptr ? std::nullopt : std::optional(prior_->minor_freq[site]);
  }
  /// The mean over the populations; no value where there is none.
  std::optional<double> mean(std::uint32_t site) const;

 private:
  const Panel& panel_;
  const Population* prior_ = nullptr;
};

class SiteCalls {
 public:
  /// \param called  takes the calls, one for each site of the panel. All must outlive this.
  /// \throws UsageError: options.reads.prior is no population
  SiteCalls(const Panel& panel, const ImportOptions& options, CalledReads& called);

  /// \throws Interrupted, DeviceError, as finish()
  void add(OpenSite&& site);
  /// Calls the remaining sites, X and Y by a person's sex, and estimates contamination. \return the sex that
  /// X and Y show; none where they show none
  std::optional<Sex> finish();
  /// Whether a site is called as haploid: Y, M and, once finish() has seen a man, X.
  bool has_one_copy(std::uint32_t site) const;

 private:
  struct Waiting {
    std::uint32_t site = 0;
    std::size_t first_pair = 0, reads = 0, of_allele = 0;  ///< haplotypes
    std::vector<double> other{};                           ///< argument of shows_another_allele()
    std::vector<bool> at_middle{};                         ///< of each read
    std::size_t deleted = 0;                               ///< fragments
  };

  void compute();
  void call(const Waiting& waiting, std::span<const double> log10);
  std::optional<Sex> shown_sex() const;
  void settle_sex(Sex sex);
  Seen of_person(const SiteCall& call, bool another_allele) const;
  Seen of_mixture(const SiteCall& call, bool autosomal) const;
  void share(std::uint32_t site, const SiteCall& call, std::span<const ReadLikelihood> reads);
  static std::vector<ReadLikelihood> of_own_fragments(const Waiting& waiting,
                                                      std::span<const ReadLikelihood> reads);
  void keep_odds(std::uint32_t site, std::span<const ReadLikelihood> reads);
  SampleLikelihoods likelihoods() const;

  const Panel& panel_;
  SiteClasses classes_;
  const ImportOptions& options_;
  CalledReads& called_;
  Frequencies frequencies_;
  std::shared_ptr<hmm::LikelihoodEngine> engine_;
  hmm::Groups groups_;
  std::vector<Waiting> waiting_;
  std::vector<std::pair<std::uint32_t, SiteCall>> mans_x_;  ///< a person's sites of X, called as haploid
  std::vector<SiteReads> shared_;                           ///< for contamination_of()
  bool by_likelihoods_;                                     ///< a person's likelihoods are kept
  bool by_reads_;                                           ///< a mixture's reads are weighed
  std::vector<std::pair<std::uint32_t, std::vector<float>>> odds_;  ///< of sites: reads as SiteReads::odds
  std::uint32_t stride_;  ///< every stride_-th site is used for contamination_of()
};

}  // namespace fastid::imports
