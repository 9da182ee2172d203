/// \file
/// A question of `fastid pairs`, ready for comparing: the databases are open, the profiles chosen, and the
/// limits known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "asking/beside.hpp"
#include "asking/counted_sites.hpp"
#include "asking/linked_evidence.hpp"
#include "asking/relation_evidence.hpp"
#include "base/process.hpp"
#include "bits/moved_sites.hpp"
#include "db/database.hpp"
#include "engine/engine.hpp"
#include "part/part_file.hpp"
#include "questions/pairs/run.hpp"
#include "questions/pairs/sides.hpp"

namespace fastid::pairs {

/// \throws UsageError where an option on the evidence is invalid
void check_pairs_evidence(const PairsOptions& options);

struct PairQuestion {
  /// \throws InputError, UsageError
  explicit PairQuestion(const PairsOptions& asked);
  PairQuestion(const PairQuestion&) = delete;  // its members point to each other
  PairQuestion& operator=(const PairQuestion&) = delete;

  /// Sets the engine for chains along the map, used if it supports them; must outlive this object. Later
  /// calls change nothing.
  void set_chain_engine(engine::Engine& engine);
  /// The threads of this process.
  std::size_t threads() const { return threads_or_all(options.threads); }
  /// The threshold that an engine tests.
  engine::Threshold threshold() const;
  /// The mismatch rate, as differing alleles or sites in a million sites.
  std::uint32_t most_differing() const;
  /// Whether a pair that passed the threshold passes the other limit too, where both are given.
  bool passes(const match::ClosePair& pair) const;
  /// The inputs that the pairs rest on.
  std::vector<part::Basis> basis() const;
  /// \throws Failure: more pairs are close than --max-pairs allows
  [[noreturn]] void refuse_many() const;

  const PairsOptions options;
  std::unique_ptr<db::Reader> first, other;  ///< `other` is null where there is one database
  const db::Reader& second;
  std::unique_ptr<MovedSites>
      moved;  ///< the second database's profiles on the first one's sites; null: they already are
  const BlockSource& second_profiles;
  PairSides sides;
  asking::CountedSites counted_sites;
  match::PairsFacts facts;
  std::optional<asking::RelationEvidence> relations;  ///< no value: pairs are not weighed
  std::optional<asking::LinkedEvidence> linked;       ///< along the map, in place of `relations`
  std::optional<asking::Beside> beside;               ///< no value: all sites are autosomal

  /// Where only the ratio along the map decides what is listed: the screen that chooses the pairs to weigh,
  /// and the profiles with its sites. Null: the engine tests the limits.
  struct Screened {
    std::unique_ptr<linked::PairScreen> screen;
    MovedSites columns, rows;
    std::unique_ptr<engine::Engine> engine;  ///< null until set_chain_engine()
  };
  std::unique_ptr<Screened> screened;

 private:
  std::unique_ptr<db::Reader> open_second() const;
  std::unique_ptr<MovedSites> move_second() const;
  void choose();
  void weigh_pairs();
  void weigh_along_map();
};

}  // namespace fastid::pairs
