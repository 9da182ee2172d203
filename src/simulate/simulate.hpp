/// \file
/// Simulated databases of any size, and query files whose right answers are known.
///
/// A person has two alleles at each site; each is the minor one with the frequency q of the panel
/// (Hardy-Weinberg proportions: P(bit 1) = 1 - (1 - q)^2). A database or a case holds observations of the
/// person: each allele is misread with the error rate, and a site is not called with the no-call rate.
/// Everything is determined by the seed: each block of 32 people has its own random streams, so the number of
/// threads does not matter, and the people of a case are generated again from the seed instead of being read
/// from the database. A person's alleles are independent from site to site; relatives share stretches of
/// chromosomes, by crossovers along the genetic map (GeneticMap::shipped()).
///
/// On a panel with sites of X, Y or M half of the people are men. A man has one copy of X; everybody has one
/// of M; only men have one of Y. Alleles of X are independent of each other; but relatives share stretches of
/// X by crossovers in each mother between them, at 1.2 cM a Mb, and a daughter has her father's X unchanged.
/// Y and M are haplotypes of a random tree (internal/lineages.hpp), inherited whole from the father or the
/// mother. Autosomal sites are the same as on a panel without the other sites.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/progress.hpp"
#include "bits/blocks.hpp"

namespace fastid::simulate {

/// How the people of a planted pair are related. A duplicate is a second sample of the same person; a twin is
/// another person with the same genome. The other relations are all that `fastid kin` names.
enum class Relation {
  kDuplicate,
  kTwin,
  kParentChild,
  kFullSiblings,
  kHalfSiblings,
  kFirstCousins,
  kThreeQuarterSibling,  ///< one parent in common, the others are siblings
  kGrandparent,
  kAvuncular,          ///< uncle or aunt
  kDoubleFirstCousin,  ///< parents are two pairs of siblings
  kGreatGrandparent,
  kHalfAvuncular,
  kGrandAvuncular,
  kFirstCousinOnceRemoved,
  kHalfFirstCousin,
  kGreatGreatGrandparent,
  kGreatGrandAvuncular,
  kSecondCousin,
  kHalfFirstCousinOnceRemoved,
  kGreatGreatGrandAvuncular
};
inline constexpr std::size_t kRelations = 20;
inline constexpr std::uint32_t kMostPairs = 1'000'000;  ///< of each relation
inline constexpr std::uint32_t kMostPopulations = 16;

/// "duplicate", "twin", "parent-child", "full-siblings", "half-siblings", "first-cousins", and the others as
/// `fastid kin` calls them: "grandparent", ...
std::string_view name_of(Relation relation);
/// The relation by its name, or by the name in `fastid kin`: "same" is a duplicate, "sibling" a full sibling.
std::optional<Relation> planted_relation(std::string_view name);
std::array<Relation, kRelations> planted_relations();

/// How three sites together put people at risk (internal/trait.hpp).
enum class EpistasisModel : std::uint8_t { kThreshold, kXor, kMajority };
std::string_view name_of(EpistasisModel model);  ///< "threshold", "xor", "majority"

/// A trait that depends on three sites.
struct PlantedTrait {
  EpistasisModel model = EpistasisModel::kThreshold;
  double heritability = 0.1;  ///< in (0, 1)
  double prevalence = 0.5;    ///< in (0, 1)
};

/// A disaster: families with missing members, and bodies.
struct PlantedDisaster {
  std::uint32_t families = 0;   ///< at most kMostFamilies
  std::uint32_t strangers = 0;  ///< bodies of nobody who is looked for, at most kMostStrangers
  // In how many families each error is made; each family has at most one:
  std::uint32_t unlisted_siblings =
      0;                            ///< a sibling of the missing child, whom the file does not name, died too
  std::uint32_t wrong_fathers = 0;  ///< somebody unrelated is typed as the father
  std::uint32_t exchanged_fathers = 0;  ///< pairs of families whose fathers' samples are exchanged
};
inline constexpr std::uint32_t kMostFamilies = 10'000, kMostStrangers = 50'000;

/// Stains of one kind: mixtures of people of the database, as reads of each allele (where shares are given)
/// or as the alleles that they show. Lists have one number for each contributor, in order.
struct PlantedStains {
  std::uint32_t stains = 0;        ///< how many
  std::vector<double> shares;      ///< of the reads; they add up to 1
  std::vector<double> drop_outs;   ///< probability that a copy leaves nothing; empty: 0 for each contributor
  double depth = 60;               ///< mean reads of a site, above 0, at most kMostDepth
  double read_error_rate = 0.002;  ///< share of reads of another allele than was read, below .5
  double drop_in = 0.005;          ///< without reads: probability that an allele shows which nobody left
  /// related_contributors: the first two contributors are a planted pair. stored_relatives: each other
  /// contributor (without related_contributors: each) has a planted relative in the database.
  bool related_contributors = false, stored_relatives = false;
};
inline constexpr std::uint32_t kLargestStain = 8, kMostStains = 9'999, kMostDepth = 100'000;

struct SimulateOptions {
  std::string output;          ///< the database
  std::uint64_t profiles = 0;  ///< at least 1
  std::uint32_t sites = 1024;  ///< of the simulated panel; ignored with panel_path
  std::string panel_path;      ///< a panel as TSV; empty: a simulated one (simulate_panel)
  std::string population;      ///< population whose frequencies are used; empty: the panel's first
  std::uint64_t seed = 1;
  Encoding encoding = Encoding::kMinor;  ///< of the database; the people are the same in either
  double no_call_rate = 0;               ///< of the database, in [0, 1)
  double error_rate = 0;                 ///< of the database, per allele, in [0, 1)
  /// Number of planted pairs of each Relation; each pair takes two rows.
  std::array<std::uint32_t, kRelations> pairs{};
  bool unlinked_meioses = false;        ///< relatives share each site independently, not stretches
  double duplicate_error_rate = 0.005;  ///< of duplicates, in addition to error_rate
  /// Number of populations that have drifted apart; 0: a single one without drift.
  std::uint32_t populations = 0;
  double fst = 0.1;                         ///< how far they have drifted, in [0, 1)
  std::optional<PlantedTrait> epistasis;    ///< not together with populations
  std::optional<PlantedDisaster> disaster;  ///< the database holds its remains; not together with pairs, a
                                            ///< trait or cases; `profiles` is not read
  std::uint32_t cases = 0;  ///< query files of each kind; they need at least kLargestMixture profiles
  std::optional<PlantedStains> stains;  ///< not together with a disaster
  std::string cases_dir;                ///< created where it does not exist
  double case_no_call_rate = 0.02;
  double case_error_rate = 0.005;  ///< of identity and absent cases
  std::size_t threads = 0;         ///< 0: as many as the process may use
  ProgressMode progress = ProgressMode::kNever;
  std::string command;  ///< the command line, for the log
};

inline constexpr std::uint32_t kLargestMixture = 5;  ///< people in a mixture: 2 to 5

/// The tables of truth beside a database: OUTPUT.relatives.tsv, OUTPUT.populations.tsv.
std::string relatives_path(const std::string& output);
/// The case files that a run writes, and the case files of an earlier run that it removes.
std::vector<std::string> case_files(const SimulateOptions& options);
std::string populations_path(const std::string& output);
/// OUTPUT.phenotypes.tsv: who is a case of the planted trait.
std::string phenotypes_path(const std::string& output);
/// The files of a disaster beside the remains: OUTPUT.families.ped; OUTPUT.typed.h5, a database of the
/// families' samples; OUTPUT.remains.tsv and OUTPUT.samples.tsv, the truth about whose the remains and
/// samples are.
std::string families_path(const std::string& output);
std::string typed_path(const std::string& output);
std::string remains_path(const std::string& output);
std::string samples_path(const std::string& output);
/// OUTPUT.sexes.tsv: who is a man, where the panel has sites of X, Y or M.
std::string sexes_path(const std::string& output);

/// Writes the database, then, where cases are asked for, in cases_dir for i = 1 .. cases:
///
///   identity-0001.snp   someone in the database, observed again with errors and no-calls
///   absent-0001.snp     someone who is not in it
///   mixture-0001.snp    all alleles of 2 to 5 people of the database, with no-calls
///   truth.tsv           file, kind, contributors (profile ids) and rows of each, separated by
///                       commas; "-" for none
///
/// Where stains are asked for, it also writes there:
///
///   stain-0001.snp      the alleles that the stain shows; with shares stain-0001.tsv, a table of reads
///   stains.tsv          file, contributor (1 and on), profile, row, share, drop_out of each contributor; and
///                       relation, relative, relative_row of its planted relative; "-" for none
///
/// A copy drops out by its contributor's rate. The copies left make up each contributor's share of a site;
/// reads are of the minor allele with a probability that varies about the share of minor copies, after
/// errors, as a beta distribution of concentration 60 does; the depths of sites are gamma distributed, of
/// shape 2, and lower by what has dropped out.
///
/// Profile ids are P000000001 and on. Memory does not grow with `profiles`.
///
/// Planted pairs lie at rows drawn from the seed. The second of a pair has, at each site, each of its two
/// alleles either from the first by descent or drawn anew:
///
///                     first allele   second allele     so at 2, 1, 0 alleles identical by descent
///   duplicate, twin   always         always            1    0    0
///   parent-child      always         never             0    1    0
///   full-siblings     1/2            1/2               1/4  1/2  1/4
///   half-siblings     1/2            never             0    1/2  1/2
///   first-cousins     1/4            never             0    1/4  3/4
///
/// and so on: an uncle's share is 1/2, a grandparent's too, and each further generation halves it.
/// Three-quarter siblings share the first allele as cousins do and the second as half siblings do; of double
/// first cousins each allele is shared as cousins share one.
///
/// Neighbouring sites are shared together: every meiosis of the pair's pedigree crosses over as
/// recombination() says. With unlinked_meioses each site is drawn independently.
///
/// OUTPUT.relatives.tsv has for each pair, ordered by row: relation; profile and row of the second (the
/// child); relative and relative_row of the first (the parent); and ibd0, ibd1, ibd2, the numbers of
/// autosomal sites with 0, 1, 2 alleles identical by descent. Where the panel has sites of X, Y or M it also
/// has kind, what the first is to the second by sexes and lines (stats/x_ratio.hpp: "father",
/// "maternal-half-sibling", "cousin-mothers-sisters", ...), and OUTPUT.sexes.tsv lists id and sex ("male",
/// "female") of each profile.
///
/// The populations are called pop1 and so on. Their frequencies are drawn at each site from the
/// Balding-Nichols model, a beta distribution with mean q and variance fst q (1 - q), in millionths, and are
/// added to the database's panel. Each profile belongs to one of them, drawn with equal probabilities;
/// relatives belong to the same population. OUTPUT.populations.tsv lists profile, row and population.
///
/// A planted trait depends on three autosomal sites drawn from the seed. OUTPUT.phenotypes.tsv lists profile
/// and phenotype, 1 (control) or 2 (case); its first lines name the sites and their table of penetrances.
/// \throws UsageError (invalid options), InputError (the panel), Failure (disk), Interrupted.
void simulate_database(const SimulateOptions& options);

}  // namespace fastid::simulate
