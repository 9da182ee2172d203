/// \file
/// The one table that comes back from a search, and what it was made from. Reports only print it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/rare.hpp"
#include "bits/contributor_place.hpp"
#include "engine/comparison.hpp"
#include "match/beside.hpp"
#include "match/ranking.hpp"

namespace fastid::match {

// Probabilities and expected numbers are stored as log10, since they may be far below what a double can hold.

/// A site at which the stored profile and the query differ (mixtures: the person carries an allele that the
/// mixture lacks).
struct DifferingLocus {
  std::string id, chrom;
  std::uint32_t pos = 0;  ///< 0 where not known
  char major = 0, minor = 0;
  /// By alleles: the alleles seen. By bits: kMinorSeen where a minor allele was seen, else kMajorSeen.
  Seen query = kNoneSeen, profile = kNoneSeen;
  std::optional<double> minor_frequency;  ///< in the population that the hit's log10_lr comes from
  std::optional<double> log10_lr;         ///< what this site adds to the hit's log10_lr
};

/// What explains a mixture's reads, or the heights of its peaks, besides its contributors' shares.
struct MixtureReads {
  double concentration = 0, error = 0;  ///< for peaks: the height of a copy, and its coefficient of variation
  bool of_peaks = false;
  std::string kin;  ///< of the two contributors to each other; "": they are unrelated
};

/// One explanation of a mixture: the number of contributors, and each one's drop-out (share of allele copies
/// that are not shown) or, where reads are weighed, each one's share of the mixture.
struct MixtureSupport {
  unsigned contributors = 0;    ///< known ones included
  double own = 0;               ///< drop-out or share of the contributor in question
  std::vector<double> unknown;  ///< of the other unknown contributors: drop-outs ascending, shares descending
  std::vector<double> known;    ///< of each known person
  double weight = 0;            ///< the weights of all supports add up to 1
  std::optional<MixtureReads> reads = {};  ///< the numbers are shares

  /// "drop-out", "share": what the numbers are.
  std::string_view what() const { return reads ? "share" : "drop-out"; }
  /// The rank of the contributor in question among the unknown ones, from 1; who left most comes first.
  std::size_t place() const { return place_of_contributor(own, unknown, reads.has_value()) + 1; }
};

/// For two mixtures: the contributor of the stored mixture who would be in both, and the number of alleles of
/// the query's contributor that the stored mixture does not show.
struct StoredContributor {
  MixtureSupport support;
  std::uint32_t not_shown = 0;
};

/// Figures of a pair by `fastid mixture`, in MatchRow::lr_population.
struct ContributorFigures {
  /// log10 ratio of "a contributor is the person's likeliest relative" to "nobody related contributed".
  double log10_lr_relative = 0;
  std::string relative;                          ///< that relation: "parent-child", "sibling", "half-sibling"
  bool apart = false;                            ///< neither chance nor a relative explains the ratio
  MixtureSupport support;                        ///< the support that adds most to log10_lr
  std::optional<StoredContributor> stored = {};  ///< where mixtures are held against mixtures
};

/// For each relation, log10 of how much more probable two people's genotypes are under it than if they are
/// unrelated.
struct RelationFigures {
  double same = 0, parent_child = 0, sibling = 0, half_sibling = 0, cousin = 0;
};

/// A stretch of a chromosome that two people have by descent.
struct SharedStretch {
  std::string chrom;
  std::uint32_t start = 0, end = 0;  ///< positions of its first and last site
  double start_cm = 0, end_cm = 0;   ///< half way to the next site outside, or the chromosome's last site
  std::uint32_t sites = 0;
  unsigned state = 1;         ///< 1: one allele or two are identical by descent; 2: two
  double mean_posterior = 0;  ///< of its sites
};

/// Figures of two people along the genetic map (linked/relations.hpp).
struct LinkedFigures {
  /// For each of MapFacts::relations, log10 of the ratio, the lowest of all populations; no value where it is
  /// not considered.
  std::vector<std::optional<double>> log10_lr;
  std::string degree;        ///< "0", "1", "1.5", "2" to "5"; "" where none is named
  std::string degree_range;  ///< "3", "3-5", "5-unrelated"
  /// Shared lengths in MatchRow::lr_population; no value for rows that are not listed.
  struct Shared {
    double any_cm = 0, two_cm = 0;  ///< expected lengths where alleles, or two, are identical by descent
    std::uint64_t segments = 0;
    double longest_cm = 0;
  };
  std::optional<Shared> shared;
  std::optional<std::vector<SharedStretch>> stretches = {};  ///< of rows that are listed, where asked for
};

/// A profile that shows both alleles at more sites than one person does, as shares of its called sites.
struct SeveralPeople {
  double seen = 0, expected = 0;
};

/// What `fastid kin` counts and weighs of a pair.
struct KinFigures {
  double kinship = 0;                    ///< KING's coefficient; NaN where the query goes by its likelihoods
  std::uint32_t ibs0 = 0, both_het = 0;  ///< 0 by likelihoods
  std::optional<RelationFigures> log10_lr;  ///< each the lowest of all populations; not with --family
  std::string relation;                     ///< by `lr_population`; "undecided"; "" where it is not weighed
  std::optional<double> margin;  ///< log10: the likeliest relation (along the map: degree) to the next one
  std::string relative;          ///< --family: the relative whom the counts are of, the nearest one
  std::string member = {};  ///< --family: the typed member whose own profile, or a twin's, this is; else ""
  /// --family: the likeliest other place in the family ("aunt", "sibling of mother"), and log10_lr of that;
  /// "": none, or the row is not listed.
  std::string other_role = {};
  double log10_lr_other_role = 0;
  std::optional<LinkedFigures> linked = {};  ///< with EvidenceParameters::map; then in place of log10_lr
};

/// What is expected of a sample's ratio with a stored person, where the query goes by its likelihoods.
struct SampleFigures {
  /// Mean and standard deviation of MatchRow::log10_lr, if the reads were that person's own.
  double expected = 0, sd = 0;
  /// log10_lr is so far below `expected` that the reads are hardly all of that person: contamination, or a
  /// relative.
  bool below_expected = false;
};

/// One line of output.
struct MatchRow {
  std::uint64_t rank = 0;     ///< from 1, for each query; 0: not ranked
  std::uint64_t row = 0;      ///< zero-based place in the database
  std::string profile;        ///< the stored profile's id (with --reverse: the stored mixture's)
  engine::PairCounts counts;  ///< for a query by likelihoods only `compared` has a meaning
  std::optional<SampleFigures> sample = {};  ///< for a query by likelihoods
  // Evidence: no value if the panel has no allele frequencies. Populations are indices in
  // Provenance::populations.
  /// log10 ratio to EvidenceParameters::alternative, the lowest of all populations. fastid kin: the ratio of
  /// any relative (along the map), else of the likeliest relation in a population; with --family, of the
  /// missing member.
  std::optional<double> log10_lr;
  std::size_t lr_population = 0;  ///< the population of log10_lr
  std::optional<double>
      log10_lr_sibling;  ///< identity: against a full sibling, the lowest of all populations
  /// "same" (mixtures: "contributor"), "first-degree", "second-degree", "unrelated", "inconclusive"
  std::string suggests;
  /// Neither chance nor the same person (mixtures: a contributor) explains the hit.
  bool relative = false;
  std::optional<double> log10_p_rmne;          ///< mixtures
  std::optional<double> log10_chance_matches;  ///< the highest of all populations
  std::size_t chance_population = 0;           ///< the population of log10_chance_matches
  bool saturated = false;                ///< mixtures: chance alone gives such a hit at the sites compared
  std::optional<SeveralPeople> several;  ///< people: the stored profile seems to be a mixture
  Rare<ContributorFigures> contributor;  ///< mixtures
  std::string known;           ///< mixtures: the known contributor whose profile this seems to be; else ""
  Rare<KinFigures> kin;        ///< fastid kin
  Rare<BesideFigures> beside;  ///< where the panel has sites of X, Y or M; the query is the first
  /// No value if they were not asked for, or are too many to be informative (docs/output.md).
  std::optional<std::vector<DifferingLocus>> loci;
};

/// A query's evidential value in one population, before any hit.
struct PopulationEvidence {
  std::string name;
  std::optional<double>
      log10_match_probability;  ///< of the query's bits or genotypes in a random person; not for mixtures
  std::optional<double> log10_p_rmne_0;  ///< for mixtures: P(RMNE given 0)
};

/// The reads of one site.
struct MixtureSite {
  std::uint32_t minor = 0, major = 0;

  std::uint64_t total() const { return std::uint64_t{minor} + major; }
};

/// The reads of a mixture, or the heights of its peaks.
struct MixtureDepths {
  double median = 0;  ///< median over the sites that have some
  bool of_peaks = false;
  std::uint32_t threshold = 1;       ///< fewer reads of an allele are not counted
  std::uint32_t read_by_read = 0;    ///< sites whose few reads are weighed one by one
  std::vector<MixtureSite> sites{};  ///< sites that shares were fitted to; empty for peaks
};

/// An unknown contributor to a mixture, with the likeliest number of contributors.
struct MixtureContributor {
  double left = 0;            ///< share of the mixture, or drop-out
  std::uint32_t sites = 0;    ///< called sites
  std::uint32_t certain = 0;  ///< called sites whose genotype has a probability of kCertain or more
};

/// What a mixture says by itself, in one population.
struct MixtureEvidence {
  double saturation = 0;  ///< fraction of its called sites that show the minor allele (by alleles: both)
  std::optional<double> expected_saturation;  ///< mean over `supports`, where these are by drop-outs
  std::vector<double> numbers;                ///< [n - 1]: P(n contributors)
  std::vector<MixtureSupport> supports;       ///< fewer contributors first
  std::optional<MixtureDepths> depths = {};   ///< where reads are weighed
  static constexpr double kCertain = .99;
  std::vector<MixtureContributor> people = {};  ///< who left most first; html
  bool saturated = false;                       ///< its ranking cannot tell contributors from chance matches
  /// A population of the panel that was not asked for and that makes the mixture's alleles far more probable
  /// than each population that was. The evidence is then overstated. "" if there is none.
  std::string better_population;
  double log10_better = 0;  ///< how much more probable
};

/// Where in the histogram people with one relation to the query are expected.
struct RelationMark {
  std::string name;  ///< "same person", "unrelated", else a relation
  double mean = 0, sd = 0;
};

/// Centre and spread of a distribution.
struct CentreAndSpread {
  double centre = 0, spread = 0;  ///< half of it lies below the centre, 68 % within one spread of it

  /// Where about one in a thousand lies lower, if the distribution is normal.
  double lower_end() const { return centre - 3 * spread; }
};

/// Where a sample of the database's profiles lies, by mismatches if all of the query's sites were compared,
/// and where unrelated people are expected.
struct Strangers {
  std::uint64_t profiles = 0;
  CentreAndSpread own, expected;
  /// The lower end of the sample lies clearly below what is expected, so that few mismatches are no evidence
  /// against chance.
  bool nearer = false;
};

/// The number of stored profiles at each count.
struct QueryHistogram {
  std::vector<std::uint64_t> profiles;  ///< [count]
  std::vector<double> expected;         ///< expected number of as many unrelated people; empty if not known
  std::vector<RelationMark> marks;      ///< by count, lowest first; none for mixtures
  std::uint64_t n_profiles = 0;         ///< number of profiles counted
  std::uint64_t not_comparable = 0;     ///< profiles without a compared site, which have no count
  std::uint64_t step = 1;               ///< every step-th block of 32 profiles was counted; 1: all
  std::optional<CentreAndSpread> own, model;  ///< of `profiles` and of `expected`
};

/// The limit that --max-chance-matches sets for a query, as it was chosen before the search.
struct ChosenLimit {
  /// Most mismatches, or alleles not seen; no value: not even 0 is rare enough, so nothing is listed.
  std::optional<std::uint32_t> max_count;
};

/// What a query's figures are computed from; no population if the panel has no allele frequencies.
struct QueryEvidence {
  std::vector<PopulationEvidence> populations;
  std::size_t worst = 0;                   ///< index of the population that supports a match least
  std::optional<ChosenLimit> limit;        ///< no value: no limit was chosen before the search
  std::optional<MixtureEvidence> mixture;  ///< fastid mixture, in the worst population
};

/// One query and what was found for it.
struct QueryMatches {
  std::string name;
  std::string file;
  std::string sha256;               ///< of the file
  std::uint32_t called_sites = 0;   ///< by likelihoods: sites where these say something
  std::uint32_t minor_alleles = 0;  ///< called sites with a minor allele; by likelihoods 0
  PairWeights weights;              ///< by which the shortlist was ranked
  std::vector<MatchRow> rows;       ///< best first
  std::uint64_t ties_cut = 0;
  /// For rows sorted by evidence: even the last row of a full shortlist has a log10_lr above 0 (fastid kin:
  /// one that chance does not explain), so rows that were not weighed may have one too.
  bool more_may_match = false;
  QueryEvidence evidence;
  std::optional<QueryHistogram> histogram;  ///< html and json
  QueryBeside beside = {};
  std::optional<Strangers> strangers = {};    ///< identity, with frequencies; of some of many queries
  std::optional<SeveralPeople> several = {};  ///< of people: the query seems to be a mixture
  /// People, with frequencies: log10 of the number of unrelated people expected to agree with the query at
  /// all of its sites, where that is stats::kExplainedByChance or more.
  std::optional<double> log10_agree_by_chance = {};
  /// fastid kin --family: the typed members' own profiles, by row. They are not ranked.
  std::vector<MatchRow> typed_members = {};
  bool by_likelihoods = false;  ///< its genotypes are not called: MatchRow::sample
};

/// A person who is assumed to have contributed to each mixture, or a typed relative.
struct KnownPerson {
  std::string name, file, sha256;
};

/// A member of a family who is looked for.
struct MissingFacts {
  std::string name;
  /// The typed relatives whose Y and M the rows' are held against: the nearest of the member's paternal and
  /// maternal line. "": none is typed there, or the panel has no such site.
  std::string paternal = {}, maternal = {};
  /// Bits of an inheritance vector of the family with the member; no value: sites are taken as unlinked.
  std::optional<unsigned> bits = {};
  bool along_map = false;              ///< false where the family is too large
  std::size_t places_not_weighed = 0;  ///< other places that would make the family too large
};

/// The family of `fastid kin --family`.
struct FamilyFacts {
  std::string file, sha256;
  std::vector<MissingFacts> missing;  ///< of each of the table's queries
  std::size_t members = 0;
  std::vector<KnownPerson> relatives;  ///< the typed members
};

/// The blocks of linked sites that each weigh as one site.
struct LinkageBlockFacts {
  std::string file, sha256;
  std::uint32_t n_blocks = 0;  ///< blocks that have at least two sites of the panel
  std::uint32_t n_sites = 0;   ///< sites of the panel in these blocks
};

/// The part of a chromosome where sites are weighed.
struct MappedChromosome {
  std::string name;
  double start_cm = 0, end_cm = 0;
};

/// The genetic map along which relatives are weighed.
struct MapFacts {
  std::string map;            ///< "GRCh37": the map that comes with fastid; or a file; "": 1.2 cM a Mb
  std::string sha256;         ///< of the file; else ""
  double thin_cm = 0;         ///< one site of each stretch of this length is weighed; 0: all are
  std::uint32_t n_sites = 0;  ///< sites that are weighed
  std::vector<std::string> relations;   ///< names of all relations, in the order of LinkedFigures::log10_lr
  std::vector<std::string> considered;  ///< the relations that were asked for
  std::optional<double> min_lr;         ///< the least log10_lr that is listed; no value: no limit
  std::vector<MappedChromosome> chromosomes = {};
};

/// What evidence was computed with.
struct EvidenceParameters {
  std::string population;  ///< as asked for: names, or "all"
  double theta = 0;
  double error_rate = 0;  ///< identity
  std::optional<LinkageBlockFacts> blocks;
  std::string alternative;  ///< "unrelated", "sibling", ...: the likelihood ratio's other hypothesis
  std::string sort;         ///< "evidence", "rate", "kinship"
  std::optional<double> max_chance_matches;
  std::string contributors = {};                ///< mixtures, down to `known`: "auto", "2", "2-3"
  std::string model = {};                       ///< "auto", "semi-continuous", "continuous", "gamma"
  std::vector<double> shares = {};              ///< of each contributor; empty: fitted to the mixture
  std::optional<std::uint32_t> threshold = {};  ///< fewer reads of an allele are not counted; none: by depth
  std::vector<double> drop_outs = {};  ///< of all contributors, or of each; empty: fitted to the mixture
  double drop_in = 0;
  std::vector<KnownPerson> known;
  std::optional<double> min_kinship = {};  ///< fastid kin; no value: any kinship is listed
  double margin = 0;                       ///< fastid kin
  std::optional<MapFacts> map = {};        ///< fastid kin; no value: sites are taken as unlinked
};

/// How the queries' files were read.
struct ReadingParameters {
  bool ignore_build = false;
  bool absent_as_reference = false;
  std::string palindromic;  ///< "keep", "drop", "frequency"
  /// Least depth, where allele depths are read; set together with min_allele_fraction.
  std::optional<std::uint32_t> min_depth;
  std::optional<double> min_allele_fraction;
  std::optional<std::uint32_t> min_quality;  ///< of genotypes, where one was asked for
  /// Where a query goes by its likelihoods: the rule ("auto", "PL"), and another person's share of reads,
  /// no value where it was estimated for each file.
  std::string likelihoods = {};
  std::optional<double> contamination = {};
  std::string reference;  ///< path as given; empty: none
};

/// Allele frequencies that were used.
struct PopulationFacts {
  std::string name;
  double frequency_floor = 0;       ///< lower frequencies are taken as this, those above 1 - this as 1 - this
  std::uint32_t floored_sites = 0;  ///< how many sites have such frequencies
  /// The number N of people that they were counted in, if known: the frequencies used are then (x + 1) / (2N
  /// + 2).
  std::optional<std::uint64_t> people;
};

/// Which profiles of the database were searched.
struct SearchedRows {
  std::uint64_t n_profiles = 0;
  std::uint64_t n_expired = 0;             ///< left out only because they have expired
  std::string only;                        ///< the expression on tags; "": none
  std::string ids_sha256, exclude_sha256;  ///< of the lists of ids, one on each line; "": none
};

/// What a result was made from. The same for every device, thread count and tile size.
struct Provenance {
  std::string database;       ///< path as given
  std::string database_kind;  ///< "individuals", "mixtures"
  std::uint64_t database_bytes = 0;
  std::uint64_t n_profiles = 0;  ///< of the database
  std::uint32_t n_sites = 0;
  SitesByClass sites;
  std::string counted_class;  ///< class whose sites are counted: "autosomal", "Y", "M"
  std::uint32_t counted_sites() const {
    return counted_class == "Y" ? sites.y : counted_class == "M" ? sites.m : sites.autosomal;
  }
  SearchedRows searched;
  std::string genome_build;
  std::string panel_sha256;
  std::string content_sha256;
  std::uint32_t format_version = 0;
  KeepRule rule;
  EvidenceParameters evidence;
  std::string linked = {};  ///< a warning that sites are linked, which evidence does not allow for; "": none
  std::vector<PopulationFacts> populations;  ///< none: the panel has no allele frequencies
  ReadingParameters reading;
  bool skip_checksums = false;
};

/// A file of queries that was rejected, with --keep-going.
struct FailedInput {
  std::string file, problem;
};

/// Facts of one run, which may differ between runs with the same result.
struct RunInfo {
  std::string command_line;
  std::string engine;       ///< Engine::name()
  std::string description;  ///< Engine::description()
  std::string started_utc;
  std::size_t workers = 0;
  std::size_t tile_blocks = 0;
  std::uint64_t peak_memory_bytes = 0;
  double open_seconds = 0, query_seconds = 0, search_seconds = 0, evidence_seconds = 0, total_seconds = 0;
};

struct MatchTable {
  engine::Comparison comparison = engine::Comparison::kIdentity;
  std::optional<FamilyFacts> family;  ///< fastid kin --family
  Encoding by = Encoding::kMinor;     ///< whether minor alleles were counted, or both (terms_of())
  std::vector<QueryMatches> queries;
  std::vector<FailedInput> failed;
  Provenance provenance;
  RunInfo run;
};

}  // namespace fastid::match
