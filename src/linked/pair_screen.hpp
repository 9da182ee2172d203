/// \file
/// Which of all pairs of two sets of people may be relatives: a test that leaves few for
/// LinkedModel::ratios().
///
/// The sites are packed: profiles have only the models' sites, along the map, and each chromosome begins with
/// a new word. A pair passes if its ratio by the chain of two states (linked/screen.hpp) is large enough, and
/// its likeliest path (engine/path_finder.hpp) allows it. Of strangers with all sites called one in thirty or
/// fewer passes by its path; pairs that lack more than a fifth of the sites all do. A CPU computes the chains
/// of pairs that pass by their paths alone; a device computes the chains of all pairs. On a panel of less
/// than kLeastSitesOfPaths sites no paths are tested. On one of less than kMostSitesOfKinship sites, where
/// the chain says little, a pair passes by KING's kinship too.
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
#include "engine/path_finder.hpp"
#include "engine/screen_count.hpp"
#include "linked/linked_model.hpp"

namespace fastid::linked {

inline constexpr std::size_t kMostSitesOfKinship = 1024;
inline constexpr std::size_t kLeastSitesOfPaths = 3000;  ///< with fewer sites the chain is fast enough

class PairScreen {
 public:
  /// \param models  of each population, at least one \param min_log10  the least ratio of the chain \param
  /// min_kinship  in millionths, that passes a small panel
  PairScreen(std::span<const LinkedModel> models, double min_log10, std::uint32_t min_kinship);
  PairScreen(const PairScreen&) = delete;
  PairScreen& operator=(const PairScreen&) = delete;
  ~PairScreen();

  /// For each packed site, its site on the panel.
  const std::vector<SiteOrigin>& origins() const { return origins_; }
  /// Whether pairs are tested by their likeliest path.
  bool tests_paths() const { return !test_.tables.empty(); }
  /// The test by likeliest paths.
  const engine::PathTest& test() const { return test_; }

  /// The engine that finds the pairs that pass, whatever their thresholds, with the chain's count, as in
  /// Screen. It takes packed profiles of Encoding::kAlleles and packed queries. This object must outlive it.
  /// \param threads  0: as many as the process may use \param chains  an engine that computes chains, if it
  /// supports them (Engine::supports()) and kinship is not asked for; must outlive the result. Else, or if
  /// null, the CPU engine computes them
  std::unique_ptr<engine::Engine> make_engine(std::size_t threads, engine::Engine* chains = nullptr) const;

  /// The tables of the chains, one for each population.
  std::vector<const engine::ScreenTable*> tables() const;

  /// The definition, for packed profiles: the counts of a pair that passes; no value for a pair that does
  /// not.
  std::optional<engine::PairCounts> count_pair(const RowView& query, const BlocksView& view,
                                               std::uint64_t profile) const;

 private:
  friend class PairScreenWorker;
  friend class PairScreenEngine;
  struct OfPopulation;

  void pack(std::span<const LinkedModel> models);
  bool passes(std::uint32_t count, const RowView& query, const BlocksView& view, std::uint64_t profile) const;

  std::vector<SiteOrigin> origins_;
  std::vector<OfPopulation> populations_;
  engine::PathTest test_;  ///< of the populations that have a table
  std::uint32_t most_count_ = 0;
  engine::Threshold kinship_;  ///< for a small panel
  bool by_kinship_ = false;
};

}  // namespace fastid::linked
