/// \file
/// Which of all pairs of two sets of people may be relatives: a test that leaves few for
/// LinkedModel::ratios().
///
/// The sites are packed: profiles have those of the models alone, along the map, each chromosome from a word
/// of 64 sites on. Pairs go through the chain of two states (linked/screen.hpp). Where more than
/// kMostPairsOfChain are asked for, on a panel of kLeastSitesOfWords sites or more, only those do that have
/// more clean words than strangers (internal/clean_words.hpp): ten times as fast, but some relatives of the
/// fourth and fifth degree are lost. A pair passes if its ratio is large enough. On a panel of less than
/// kMostSitesOfKinship sites, where the chain says little, it passes by KING's kinship too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bits/moved_sites.hpp"
#include "bits/rows.hpp"
#include "engine/engine.hpp"
#include "linked/linked_model.hpp"
#include "stats/population_model.hpp"

namespace fastid::linked {

struct ScreenTable;  // internal/screen_pass.hpp

inline constexpr std::size_t kLeastSitesOfWords = 4096;
inline constexpr std::uint64_t kMostPairsOfChain = 1'000'000'000;
inline constexpr std::size_t kMostSitesOfKinship = 1024;

class PairScreen {
 public:
  /// \param models  of each population, at least one \param frequencies  of the same populations \param
  /// min_log10  the least ratio of the chain \param min_kinship  in millionths, that passes a small panel
  /// \param n_pairs  that are asked for, in all shards
  PairScreen(std::span<const LinkedModel> models, std::span<const stats::PopulationModel> frequencies,
             double min_log10, std::uint32_t min_kinship, std::uint64_t n_pairs);
  PairScreen(const PairScreen&) = delete;
  PairScreen& operator=(const PairScreen&) = delete;
  ~PairScreen();

  /// Of each packed site the panel's.
  const std::vector<SiteOrigin>& origins() const { return origins_; }
  /// Clean words that a pair needs; 0: none.
  std::uint32_t least_words() const { return least_words_; }

  /// The native engine, on so many threads; 0: as many as the process may use. It takes packed profiles of
  /// Encoding::kAlleles and packed queries, and finds the pairs that pass, whatever their thresholds: with
  /// the chain's count, as Screen has it. This object must outlive it.
  std::unique_ptr<Engine> make_engine(std::size_t threads) const;

  /// The definition, of packed profiles: the counts of a pair that passes; no value of another one.
  std::optional<PairCounts> count_pair(const RowView& query, const BlocksView& view,
                                       std::uint64_t profile) const;

 private:
  friend class PairScreenWorker;
  struct OfPopulation;

  void pack(std::span<const LinkedModel> models);
  void set_least_words(std::span<const stats::PopulationModel> frequencies);
  bool passes(std::uint32_t count, const RowView& query, const BlocksView& view, std::uint64_t profile) const;

  std::vector<SiteOrigin> origins_;
  std::vector<OfPopulation> populations_;
  std::uint32_t least_words_ = 0, most_count_ = 0;
  Threshold kinship_;  ///< of a small panel
  bool by_kinship_ = false;
};

}  // namespace fastid::linked
