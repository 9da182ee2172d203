/// \file
/// Families with missing members, and people who may be those members: how much more probable are all
/// readings if the people are the missing members than if they are unrelated to the family?
///
/// Exact, site by site, with the founders' alleles by the sampling formula with theta
/// (stats/internal/genotype.hpp) and each copy misread with probability w. An unrelated person's alleles come
/// after the family's by the same formula. Sites are taken to be unlinked, except that the sites of a linkage
/// block weigh as one.
///
/// Each figure is the lowest of all populations. Single bases mutate so rarely (1e-8 a generation) that w
/// stands for mutations too.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stats/internal/family_graph.hpp"
#include "stats/person_readings.hpp"
#include "stats/population_model.hpp"

namespace fastid::stats {

/// The probabilities of sequences of alleles at all sites of some populations, and what readings say. Many
/// families share them; from any thread.
class AlleleModel {
 public:
  /// \param models  of one panel, at least one, with one error rate, theta and blocks; must outlive this
  explicit AlleleModel(std::span<const PopulationModel> models);

  std::size_t n_populations() const { return models_.size(); }
  std::size_t n_sites() const { return models_[0].n_sites(); }
  std::span<const PopulationModel> models() const { return models_; }
  const LinkageBlocks* blocks() const { return models_[0].blocks().get(); }

  /// P(readings | 0, 1, 2 minor copies).
  const Probabilities& likelihood(ReadingId id) const { return likelihoods_[id]; }

  /// [site * (n + 1) + m]: P(n alleles in a stated order, m of them minor).
  const std::vector<double>& sequences(std::size_t population, std::size_t n) const;

 private:
  std::span<const PopulationModel> models_;
  std::vector<Probabilities> likelihoods_;
  mutable std::mutex lock_;
  mutable std::map<std::pair<std::size_t, std::size_t>, std::unique_ptr<std::vector<double>>> sequences_;
};

/// A member of a family.
struct Relative {
  std::string name;  ///< for messages
  Parents parents;
  const PersonReadings* readings = nullptr;  ///< null: not typed; must outlive the family
};

/// For each site what a missing member's genotypes are worth in one population. [g]: P(the family's readings,
/// the member has g minor copies), and P(the family's readings, an unrelated person has g), both times the
/// same number. Both are 0 where nothing was read of the family.
struct MissingWeights {
  std::vector<Probabilities> member, stranger;
  std::vector<Word> typed;  ///< the sites at which somebody of the family is typed
};

/// [site][x]: log10 of the ratio where genotype x is read once. 0 where nothing was read of the family, and
/// where the family's readings are impossible. \param weights  of the model's sites
std::vector<Probabilities> log10_ratios(const AlleleModel& model, const MissingWeights& weights);

/// What a log10 ratio is expected to be. \see FamilyLikelihood::expected()
struct ExpectedRatio {
  double mean = 0, deviation = 0;
};

/// What ratios a family allows before any remains are read: expected for the missing member and for
/// strangers, with all sites read.
struct FamilyPower {
  ExpectedRatio member, stranger;
  /// log10 P(a stranger's genotypes are all possible for the member) without misreading, at theta 0. The
  /// highest of all populations.
  double log10_not_excluded = 0;
};

/// A person who is taken to be a missing member of the family.
struct AssignedPerson {
  std::size_t missing = 0;  ///< a place among the missing
  const PersonReadings* readings = nullptr;
};

class FamilyLikelihood {
 public:
  /// \param missing  places of members. They may be typed too \param source  for messages
  /// \throws InputError as FamilyGraph does
  FamilyLikelihood(const AlleleModel& model, std::vector<Relative> members, std::vector<std::size_t> missing,
                   std::string_view source);

  std::span<const Relative> members() const { return members_; }
  std::span<const std::size_t> missing() const { return missing_; }

  /// The same family after a missing member was found. \param readings  are added to what was read of the
  /// member \param found  a place among the missing; those after it move up
  FamilyLikelihood with_found(std::size_t found, const PersonReadings& readings) const;
  /// The same family with nothing read of this member.
  FamilyLikelihood without(std::size_t member) const;

  /// The member's weights in each population. \param missing  a place among the missing
  std::vector<MissingWeights> weights(std::size_t missing) const;

  /// log10 P(family, people | these are the missing members) / P(family, people | they are unrelated). 0
  /// without pairs. \param pairs  of different missing members and different people
  double log10_lr(std::span<const AssignedPerson> pairs) const;

  /// The mean and deviation of log10 LR of the missing member's own remains, at the sites called in each of
  /// `as`.
  std::vector<ExpectedRatio> expected(std::size_t missing, std::span<const PersonReadings* const> as) const;
  FamilyPower power(std::size_t missing) const;

  /// For each member that is typed: log10 P(all that is read | the family) / P(the same | this member is
  /// unrelated to the others). No value for the others.
  std::vector<std::optional<double>> consistency() const;

  /// Sets of missing members, by their places among the missing, that can be exchanged without any figure's
  /// changing. Where too many are missing for a table of all of them, only full siblings without children are
  /// found to be such. \param may  whether two may be exchanged (they are of one sex)
  template <class May>
  std::vector<std::vector<std::size_t>> alike(const May& may) const;

 private:
  struct Patterns {
    std::vector<std::uint32_t> of_site;            ///< into `readings`; the first: nothing read of anybody
    std::vector<std::vector<ReadingId>> readings;  ///< [pattern][member]
  };
  Patterns patterns_of(std::span<const Relative> members) const;
  /// \param as_read  nothing is misread
  std::vector<FamilyTable> tables(std::span<const std::size_t> asked, const Patterns& patterns,
                                  bool as_read = false) const;
  double log10_not_excluded(std::size_t missing) const;
  std::vector<std::size_t> members_at(std::span<const std::size_t> missing) const;
  MissingWeights weights(std::size_t population, const std::vector<FamilyTable>& tables) const;
  template <class At>
  double lowest_sum(const At& at, std::span<const PersonReadings* const> people) const;
  bool is_compared(std::size_t site, std::span<const PersonReadings* const> people) const;
  SiteWeights weights_at(std::span<const PersonReadings* const> people) const;
  bool may_be_exchanged(std::size_t first, std::size_t second) const;

  const AlleleModel* model_;
  std::vector<Relative> members_;
  std::vector<std::shared_ptr<const PersonReadings>> own_;  ///< readings of members found
  std::vector<std::size_t> missing_;
  std::string source_;
  FamilyGraph graph_;
  Patterns patterns_;
};

template <class May>
std::vector<std::vector<std::size_t>> FamilyLikelihood::alike(const May& may) const {
  std::vector<std::vector<std::size_t>> sets;
  for (std::size_t m = 0; m < missing_.size(); ++m) {
    const auto same = [&](const std::vector<std::size_t>& set) {
      return may(set.front(), m) && may_be_exchanged(set.front(), m);
    };
    if (const auto set = std::find_if(sets.begin(), sets.end(), same); set != sets.end())
      set->push_back(m);
    else
      sets.push_back({m});
  }
  return sets;
}

/// People whose remains were found. The ratios of all people with a missing member are computed together.
class PeopleFound {
 public:
  /// \param people  must outlive this object; all of one panel
  PeopleFound(std::span<const PersonReadings> people, std::size_t n_sites);

  std::size_t size() const { return n_people_; }

  static constexpr std::size_t kTogether = 8;
  /// log10 LR of each person with each of up to kTogether missing members: [missing][person]. A sum's
  /// additions have one order, whichever people are computed together. \param weights  of one population;
  /// without blocks
  std::vector<std::vector<double>> log10_lr(const AlleleModel& model,
                                            std::span<const MissingWeights* const> weights) const;

 private:
  std::size_t n_people_, n_sites_;
  std::vector<ReadingId> known_;                     ///< all different readings, the first: none
  std::vector<std::uint16_t> at_;                    ///< [site][person]: into `known_`
  std::vector<std::vector<std::uint16_t>> present_;  ///< [site]: into `known_`, but for none
};

}  // namespace fastid::stats
