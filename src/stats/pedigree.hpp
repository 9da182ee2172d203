/// \file
/// Is the query this missing member of a family? The likelihood ratio over all relatives that are typed,
/// against an unrelated person of the same population:
///
///   P(what is seen of the relatives and the query | the query is the missing member)
///   -------------------------------------------------------------------------------
///   P(what is seen of the relatives and the query | the query is unrelated to them)
///
/// It is exact, site by site: the family's untyped members are summed out (stats/internal/family_graph.hpp),
/// the founders' alleles, and under the second hypothesis the query's too, come by the sampling formula with
/// theta (stats/internal/genotype.hpp), and each copy is misread with probability w. Sites are taken to be
/// unlinked, except that the sites of a linkage block weigh as one. Single bases mutate so rarely (1e-8 a
/// generation) that w stands for mutations too.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "stats/population_model.hpp"
#include "stats/shown.hpp"

namespace fastid::stats {

/// A member of a family. Parents are indices of members. A parent with no value is not listed: unrelated to
/// everybody else, and a different person for each child. So where children share a parent, list that parent,
/// untyped.
struct Member {
  std::optional<std::size_t> father, mother;
  std::optional<RowView> typed;  ///< a row with the model's sites and `major`; no value: not typed
  std::string name = {};         ///< for messages
};

/// The largest family. The time grows with the square of the number of founders.
inline constexpr std::size_t kMostMembers = 64;

/// FamilyLikelihood::consistency() of these members. \param models  at least one \throws InputError naming
/// `source` and the member, where the family cannot be
std::vector<std::optional<double>> consistency_of(std::span<const PopulationModel> models,
                                                  std::span<const Member> members, std::string_view source);

class MissingMember {
 public:
  /// Takes the model's frequencies, theta, error rate and blocks. The sums are made once for each pattern of
  /// genotypes that the typed relatives show at some site. \param missing  index of a member
  /// \param source  for messages: where the family comes from \throws InputError naming `source` and the
  /// member (by name, else from 1): there are more than kMostMembers, a parent or the missing member is not
  /// listed, the missing member is typed, somebody is an own ancestor, or loops make too many depend on each
  /// other at once.
  MissingMember(const PopulationModel& model, std::span<const Member> members, std::size_t missing,
                std::string_view source);

  /// The log10 ratio over the query's called sites; -infinity is possible only where w is 0.
  double log10_lr(const RowView& query) const;
  /// log10_lr() of each of several people, who together take a fraction of the time.
  std::vector<double> log10_lr(std::span<const RowView> queries) const;

  /// [x]: the log10 ratio at a site where x is seen of the query. 0 where no relative is called, and where w
  /// is 0 and what is seen of the relatives is impossible.
  const std::array<double, kGenotypes>& at(std::size_t site) const { return sites_[site]; }

 private:
  std::vector<std::array<double, kGenotypes>> sites_;
  std::vector<Word> typed_;  ///< the mask of the sites at which a relative is called
  std::shared_ptr<const LinkageBlocks> blocks_;
};

}  // namespace fastid::stats
