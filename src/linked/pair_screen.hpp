/// \file
/// Which of all pairs of two sets of people may be relatives: a test that leaves few for
/// LinkedModel::ratios().
///
/// The sites are packed: profiles have those of the models alone, along the map, each chromosome from a word
/// on. A pair passes if its ratio by the chain of two states (linked/screen.hpp) is large enough, and its
/// likeliest path (engine/path_finder.hpp) allows it: as one of thirty strangers or fewer does where all
/// sites are called, and all pairs that lack more than a fifth of them. A CPU computes the chains of these
/// alone; a device those of all pairs. On a panel of less than kLeastSitesOfPaths sites no paths are tested.
/// On one of less than kMostSitesOfKinship sites, where the chain says little, a pair passes by KING's
/// kinship too.
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
inline constexpr std::size_t kLeastSitesOfPaths = 3000;  ///< of fewer the chain is fast enough

class PairScreen {
 public:
  /// \param models  of each population, at least one \param min_log10  the least ratio of the chain \param
  /// min_kinship  in millionths, that passes a small panel
  PairScreen(std::span<const LinkedModel> models, double min_log10, std::uint32_t min_kinship);
  PairScreen(const PairScreen&) = delete;
  PairScreen& operator=(const PairScreen&) = delete;
  ~PairScreen();

  /// Of each packed site the panel's.
  const std::vector<SiteOrigin>& origins() const { return origins_; }
  /// Whether pairs are tested by their likeliest path.
  bool tests_paths() const { return !test_.tables.empty(); }
  /// By what.
  const engine::PathTest& test() const { return test_; }

  /// What finds the pairs that pass, whatever their thresholds: with the chain's count, as Screen has it. It
  /// takes packed profiles of Encoding::kAlleles and packed queries. This object must outlive it.
  /// \param threads  0: as many as the process may use \param chains  what computes chains, if it counts them
  /// (Engine::supports()) and no kinship is asked; must outlive the engine. Else, and where it is null, the
  /// CPU engine does
  std::unique_ptr<engine::Engine> make_engine(std::size_t threads, engine::Engine* chains = nullptr) const;

  /// Of the chains, of each population.
  std::vector<const engine::ScreenTable*> tables() const;

  /// The definition, of packed profiles: the counts of a pair that passes; no value of another one.
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
  engine::PathTest test_;  ///< of the populations that have one
  std::uint32_t most_count_ = 0;
  engine::Threshold kinship_;  ///< of a small panel
  bool by_kinship_ = false;
};

}  // namespace fastid::linked
