#include "questions/search/evidence.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "asking/frequencies.hpp"
#include "asking/matches.hpp"
#include "asking/stored_profiles.hpp"
#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/stage_time.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "bits/popcount.hpp"
#include "questions/search/along_map.hpp"
#include "questions/search/histogram.hpp"
#include "questions/search/sample_evidence.hpp"
#include "questions/search/stored_hits.hpp"
#include "stats/shown.hpp"
#include "stats/site_walk.hpp"

namespace fastid::search {
namespace {

/// Whether a hit's differing sites are listed (docs/output.md): if they are few, or the evidence supports the
/// hit, but not for the many hits that differ as unrelated people do.
bool lists_loci(const match::MatchRow& row) {
  constexpr std::uint32_t kFew = 10, kFewUnknown = 50, kMost = 1000;
  constexpr std::uint64_t kMostRanks = 100;
  if (row.rank > kMostRanks) return false;
  if (!row.log10_lr) return row.counts.count <= kFewUnknown;
  return row.counts.count <= (*row.log10_lr > 0 ? kMost : kFew);
}

/// The weights in units of 1e-5, rounded, so that they are the same integers on every machine.
match::PairWeights pair_weights_of(const stats::AverageWeight& weight) {
  constexpr double kUnits = 1e5, kMost = (1 << 24) - 1;
  const auto rounded = [=](double log10) {
    return log10 > 0 ? static_cast<std::uint32_t>(std::lround(std::min(log10 * kUnits, kMost))) : 0;
  };
  const match::PairWeights made{rounded(weight.count), rounded(weight.denominator)};
  return made.cost > 0 ? made : match::PairWeights{};
}

/// As --contributors has them.
std::string numbers_text(const stats::StainParameters& parameters) {
  if (parameters.estimated) return "auto";
  const std::string least = std::to_string(parameters.least);
  return parameters.least == parameters.most ? least : least + "-" + std::to_string(parameters.most);
}

/// What was seen at a site, as DifferingLocus has it.
Seen seen_at(const RowView& row, std::size_t site, Encoding by) {
  const std::size_t word = site / kWordBits, shift = site % kWordBits;
  const bool minor = (row.bits[word] >> shift & 1) != 0;
  if (by == Encoding::kMinor) return minor ? kMinorSeen : kMajorSeen;
  const bool major = (row.major[word] >> shift & 1) != 0;
  return static_cast<Seen>((minor ? kMinorSeen : 0) | (major ? kMajorSeen : 0));
}

}  // namespace

Evidence::Evidence(const asking::EvidenceOptions& options, engine::Comparison comparison, Encoding by,
                   const db::Reader& reader, const asking::CountedSites& sites, std::uint64_t searched,
                   match::Queries known, const MeasuredQueries& measured, std::uint64_t top,
                   std::size_t threads)
    : options_(options),
      comparison_(comparison),
      reader_(reader),
      sites_(sites),
      known_(std::move(known)),
      measured_(measured),
      weights_(question_, reverse()) {
  stats::check_parameters(options.parameters);
  stats::check_parameters(options.mixtures, known_.sources.size());
  if (against_stains() && !known_.sources.empty())
    throw UsageError("--known is of mixtures that people are held against; leave it out");
  if (against_stains() && options.alternative != stats::Relation::kUnrelated)
    throw UsageError("--alternative is of mixtures that people are held against; leave it out");
  blocks_ = asking::blocks_of(options.blocks, reader.panel());
  const auto blocks = blocks_ ? blocks_->blocks : nullptr;
  if (sites.counted() == SiteClass::kAutosomal)
    models_ = asking::models_of(reader, options.population, options.parameters, blocks);
  if (available() && comparison == engine::Comparison::kMixture &&
      options.population != stats::kAllPopulations)
    for (const stats::PopulationModel& model :
         asking::models_of(reader, stats::kAllPopulations, options.parameters, blocks))
      if (std::ranges::find(models_, model.name(), &stats::PopulationModel::name) == models_.end())
        others_.push_back(model);
  for (std::size_t i = 0; i < known_.sources.size(); ++i) known_rows_.push_back(known_.rows.row(i));
  listing_ = {.top = top,
              .shortlist = asking::shortlisted(top),
              .by_evidence = available() && !options.by_rate,
              .max_chance_matches = options.max_chance_matches};
  question_ = stats::make_question(comparison == engine::Comparison::kIdentity ? engine::Comparison::kIdentity
                                                                               : engine::Comparison::kMixture,
                                   by, searched, options.alternative, models_, known_rows_, options.mixtures,
                                   threads);
  if (against_stains())
    of_stored_ = stats::make_question(engine::Comparison::kMixture, by, searched, options.alternative,
                                      models_, {}, {.drop_in = options.mixtures.drop_in});
  if (reverse())
    for (const stats::PopulationModel& model : models_) people_.emplace_back(model, by, threads);
  if (available() && comparison == engine::Comparison::kIdentity && by == Encoding::kAlleles)
    heterozygosity_.emplace(asking::models_of(reader, stats::kAllPopulations, options.parameters));
  if (heterozygosity_ || (available() && weighs_contributors())) follow_map(reader.panel());
  if (!linked_ && options.linked.asks_for_map())
    throw UsageError(
        comparison == engine::Comparison::kIdentity
            ? "--map, --thin: no relative is weighed along a map by bits, without allele frequencies or "
              "without positions; leave them out"
            : "--map: no relative is weighed along a map of stored mixtures, without allele frequencies or "
              "without positions; leave it out");
  check_frequencies();
}

void Evidence::follow_map(const Panel& panel) {
  constexpr double kMargin = 1;  // log10, of what a row suggests
  asking::LinkedOptions options = options_.linked;
  options.relations = weighs_contributors() ? sibling_relations() : near_relations();
  if (weighs_contributors()) options.thin = 0;  // all sites count, as they do of the person
  options.in_detail = true;
  linked_.emplace(options, panel, sites_.mask(), models_, kMargin, question_.n_profiles);
  if (!linked_->available()) linked_.reset();
}

void Evidence::check_frequencies() const {
  if (sites_.counted() != SiteClass::kAutosomal) {
    if (options_.max_chance_matches)
      throw UsageError(
          "--max-chance-matches is of autosomal sites: Y and M are one haplotype each; leave it out");
    return;
  }
  if (!available() && options_.max_chance_matches)
    throw InputError(reader_.path(), "",
                     "its panel has no allele frequencies, which --max-chance-matches takes",
                     asking::kFrequencyCure);
  asking::say_frequencies(reader_, models_);
}

std::vector<std::optional<match::ChosenLimit>> Evidence::limits(const match::Queries& queries,
                                                                std::size_t threads,
                                                                Progress& progress) const {
  if (!options_.max_chance_matches || reverse() || against_stains()) return {};
  std::vector<std::optional<match::ChosenLimit>> limits(queries.sources.size());
  in_parallel(limits.size(), threads, [&](std::size_t q) {
    if (queries.likelihoods_of(q) == nullptr)
      limits[q] = match::ChosenLimit{evaluator(queries.rows, q).limit(*options_.max_chance_matches)};
    progress.add(1);
  });
  return limits;
}

std::vector<match::PairWeights> Evidence::pair_weights(const match::Queries& queries,
                                                       std::size_t threads) const {
  if (!orders()) return {};
  std::vector<match::PairWeights> weights(queries.sources.size());
  constexpr std::size_t kTogether = 64;
  in_parallel(ceil_div(weights.size(), kTogether), threads, [&](std::size_t piece) {
    std::vector<std::size_t> some;
    std::vector<RowView> rows;
    for (std::size_t q = piece * kTogether; q < std::min(weights.size(), (piece + 1) * kTogether); ++q)
      if (queries.likelihoods_of(q) == nullptr) some.push_back(q), rows.push_back(queries.rows.row(q));
    const std::vector<stats::AverageWeight> averages = weights_.of(rows);
    for (std::size_t i = 0; i < some.size(); ++i) weights[some[i]] = pair_weights_of(averages[i]);
  });
  return weights;
}

void Evidence::weigh(const match::Queries& all, bool with_loci, std::size_t threads, Progress& progress,
                     std::vector<match::QueryMatches>& matches) {
  const ProfileRows& queries = all.rows;
  const asking::ShortlistSource source(reader_, matches, threads);
  look_for_several(source, threads);
  in_parallel(matches.size(), threads, [&](std::size_t q) {
    const InStage stage(AnswerStage::kWeigh);
    if (const SampleLikelihoods* const sample = all.likelihoods_of(q))
      weigh_by_likelihoods(*sample, source, progress, matches[q]);
    else
      weigh_query(queries, q, source, progress, matches[q]);
  });
  if (reverse() && available()) weigh_stored_mixtures(queries, reader_, threads, progress, matches);
  if (options_.contributors && available() && comparison_ == engine::Comparison::kMixture)
    in_parallel(matches.size(), threads, [&](std::size_t q) {
      const InStage stage(AnswerStage::kWeigh);
      look_at_contributors(queries, q, matches[q]);
    });
  if (against_stains() && available()) return weigh_against_stains(queries, threads, progress, matches);
  if (with_loci && !against_stains())
    in_parallel(matches.size(), threads, [&](std::size_t q) {
      const InStage stage(AnswerStage::kWeigh);
      if (matches[q].by_likelihoods) return;
      asking::for_each_stored(source, matches[q].rows, [&](match::MatchRow& row, const RowView& stored) {
        if (lists_loci(row)) row.loci = differing_loci(stain_of(queries, q), stored, row);
      });
    });
}

stats::QueryEvaluator Evidence::evaluator(const ProfileRows& queries, std::size_t q) const {
  const stats::Stain stain = stain_of(queries, q);
  return {question_, stain.shown, stain.measured, explained_.empty() ? nullptr : &explained_[q]};
}

void Evidence::weigh_by_likelihoods(const SampleLikelihoods& sample, const asking::ShortlistSource& source,
                                    Progress& progress, match::QueryMatches& matches) const {
  progress.add(1);
  const auto look = [&](const RowView& stored, match::MatchRow& row) {
    look_for_several(stored, false, row);
  };
  weigh_sample(question_, sample, source, look, progress, matches);
  asking::list_rows(listing_, matches);
  if (!linked_) return;
  asking::for_some_stored(source, matches.rows,
                          [&](std::span<match::MatchRow* const> rows, std::span<const RowView> stored) {
                            std::vector<BarredRow> barred;
                            for (match::MatchRow* const row : rows) barred.push_back({.row = row});
                            suggest_along_map(*linked_, sample, barred, stored);
                            for (std::size_t i = 0; i < rows.size(); ++i) look(stored[i], *rows[i]);
                          });
}

void Evidence::weigh_query(const ProfileRows& queries, std::size_t q, const asking::ShortlistSource& source,
                           Progress& progress, match::QueryMatches& matches) const {
  const stats::Stain query = stain_of(queries, q);
  progress.add(1);
  if (!available()) return asking::list_rows(listing_, matches);
  if (reverse()) {
    matches.evidence = person_evidence(query.shown);
    return;
  }
  const stats::QueryEvaluator figures = evaluator(queries, q);
  matches.evidence = query_evidence(figures, query);
  if (against_stains()) return;
  if (comparison_ == engine::Comparison::kIdentity)
    matches.log10_agree_by_chance = asking::agree_by_chance(
        *matches.evidence.populations[matches.evidence.worst].log10_match_probability, question_.n_profiles);
  if (heterozygosity_) matches.several = heterozygosity_->of_several(query.shown);
  // Chance matches are computed for listed rows only, unless the list depends on them. For a mixture this
  // would save little: its ratio is most of the work.
  const bool identity = comparison_ == engine::Comparison::kIdentity;
  const bool list_first = !listing_.max_chance_matches && (identity || !listing_.by_evidence);
  const std::size_t shortlist = matches.rows.size();
  const auto put = [&](std::span<match::MatchRow* const> rows, std::span<const RowView> stored,
                       bool along_map, std::span<const stats::RelationRatios> by_blocks = {}) {
    std::vector<engine::PairCounts> counts;
    for (const match::MatchRow* const row : rows) counts.push_back(row->counts);
    std::vector<stats::HitReport> hits = figures.hits(stored, counts, by_blocks);
    if (linked_ && !identity) follow_siblings(*linked_, question_, figures, query, stored, hits);
    std::vector<BarredRow> barred;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      put_figures(figures, hits[i], *rows[i]);
      barred.push_back({rows[i], hits[i].relatives, hits[i].worst.weak});
    }
    if (along_map && identity) suggest_along_map(*linked_, query.shown, barred, stored);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      look_for_several(stored[i], matches.several.has_value(), *rows[i]);
      rows[i]->known = known_like(stored[i]);
    }
  };
  // Stretches take most of the work, and change neither which rows are listed nor their order.
  const auto put_all = [&](std::span<match::MatchRow* const> rows, std::span<const RowView> stored,
                           std::span<const stats::RelationRatios> by_blocks = {}) {
    put(rows, stored, list_first && linked_, by_blocks);
    progress.add(rows.size());
  };
  const auto put_listed = [&](std::span<match::MatchRow* const> rows, std::span<const RowView> stored) {
    put(rows, stored, true);
  };
  const auto list = [&] {
    asking::list_rows(listing_, matches);
    progress.add(shortlist - matches.rows.size());
  };
  const auto weigh_first = [&](std::span<match::MatchRow* const> rows, std::span<const RowView> stored) {
    const std::vector<stats::RelationRatios> by_blocks = figures.ratios_by_blocks(stored);
    const std::vector<double> ratios =
        by_blocks.empty() ? figures.log10_lr(stored) : figures.log10_lr(by_blocks);
    std::vector<std::uint64_t> weighed;  // in the database's order
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i]->log10_lr = ratios[i];
      weighed.push_back(rows[i]->row);
    }
    if (rows.size() < shortlist) return;
    list();  // the profiles of the listed rows are still at hand
    std::vector<match::MatchRow*> listed;
    std::vector<RowView> profiles;
    std::vector<stats::RelationRatios> of_listed;
    const auto one = static_cast<std::ptrdiff_t>(by_blocks.empty() ? 0 : by_blocks.size() / rows.size());
    for (match::MatchRow& row : matches.rows) {
      const auto at = std::ranges::lower_bound(weighed, row.row) - weighed.begin();
      listed.push_back(&row);
      profiles.push_back(stored[static_cast<std::size_t>(at)]);
      of_listed.insert(of_listed.end(), by_blocks.begin() + at * one, by_blocks.begin() + (at + 1) * one);
    }
    put_all(listed, profiles, of_listed);
  };
  const bool weighs_first = list_first && listing_.by_evidence;
  if (weighs_first) asking::for_some_stored(source, matches.rows, weigh_first);
  if (!weighs_first || shortlist > asking::profiles_at_once(source.database())) {
    if (list_first) list();
    asking::for_some_stored(source, matches.rows, put_all);
  }
  if (!list_first) {
    asking::list_rows(listing_, matches);
    if (linked_ && identity) asking::for_some_stored(source, matches.rows, put_listed);
  }
  if (matches.histogram) explain_histogram(figures, comparison_, question_.n_profiles, *matches.histogram);
}

match::QueryEvidence Evidence::query_evidence(const stats::QueryEvaluator& figures,
                                              const stats::Stain& row) const {
  match::QueryEvidence evidence{.worst = figures.worst_population()};
  const bool mixture = comparison_ == engine::Comparison::kMixture;
  for (std::size_t p = 0; p < models_.size(); ++p) {
    const stats::QueryEvidence& query = figures.query()[p];
    match::PopulationEvidence population{.name = models_[p].name()};
    (mixture ? population.log10_p_rmne_0 : population.log10_match_probability) =
        mixture ? query.log10_p_rmne_0 : query.log10_match_probability;
    evidence.populations.push_back(std::move(population));
  }
  if (mixture) evidence.mixture = mixture_evidence(figures, row);
  return evidence;
}

match::QueryEvidence Evidence::person_evidence(const RowView& person) const {
  match::QueryEvidence evidence;
  for (const stats::IdentityModel& model : people_)
    evidence.populations.push_back(
        {.name = model.population().name(),
         .log10_match_probability = stats::log10_match_probability(model, person)});
  const auto worst =
      std::ranges::max_element(evidence.populations, {}, &match::PopulationEvidence::log10_match_probability);
  evidence.worst = static_cast<std::size_t>(worst - evidence.populations.begin());
  return evidence;
}

void Evidence::put_figures(const stats::QueryEvaluator& figures, const stats::HitReport& hit,
                           match::MatchRow& row) const {
  const stats::HitEvidence& worst = hit.worst;
  row.log10_lr = worst.log10_lr;
  row.lr_population = hit.lr_population;
  row.log10_chance_matches = worst.log10_chance_matches;
  row.chance_population = hit.chance_population;
  row.relative = hit.relative;
  if (comparison_ == engine::Comparison::kIdentity) {
    row.log10_lr_sibling = worst.log10_lr_sibling;
    row.suggests = name_of(hit.suggests);
    return;
  }
  row.log10_p_rmne = worst.log10_chance;
  row.saturated = worst.saturated;
  row.suggests = hit.suggests == stats::Suggestion::kSame ? "contributor" : name_of(hit.suggests);
  const stats::Relation relative = hit.likeliest_relative;
  row.contributor = match::ContributorFigures{
      .log10_lr_relative = worst.relations[relative],
      .relative = std::string(name_of(relative)),
      .apart = hit.standing == stats::Standing::kApart,
      .support = support_of(figures.query()[hit.lr_population].supports[worst.support], question_by_peaks())};
}

std::optional<match::SeveralPeople> Evidence::several_people(const RowView& stored) const {
  if (!heterozygosity_) return std::nullopt;
  return heterozygosity_->of_several(sites_.all() ? stored : sites_.keep(stored).view());
}

/// Looks once at each profile that is in memory, since many queries have it.
void Evidence::look_for_several(const asking::ShortlistSource& source, std::size_t threads) {
  several_.clear();
  if (source.rows() == nullptr) return;
  several_.resize(source.rows()->n_rows());
  in_parallel(several_.size(), threads,
              [&](std::size_t row) { several_[row] = several_people(source.rows()->row(row)); });
}

/// Who a profile of several people is of cannot be said by likelihood ratios that take it as one person's.
void Evidence::look_for_several(const RowView& stored, bool query_of_several, match::MatchRow& row) const {
  row.several = several_.empty() ? several_people(stored) : several_[static_cast<std::size_t>(row.row)];
  if (!query_of_several && !row.several) return;
  row.suggests = name_of(stats::Suggestion::kInconclusive);
  row.relative = false;
}

std::vector<match::DifferingLocus> Evidence::differing_loci(const stats::Stain& stain, const RowView& stored,
                                                            const match::MatchRow& row) const {
  const RowView& query = stain.shown;
  std::vector<match::DifferingLocus> loci;
  const Encoding by = question_.by;
  const engine::Terms terms = engine::terms_of(comparison_, by);
  const stats::SiteWeights weights(blocks_ ? blocks_->blocks.get() : nullptr,
                                   stats::compared_sites(query, stored));
  for (std::size_t word = 0; word < query.bits.size(); ++word) {
    Word differ = 0;
    for (const engine::Term& term : terms.counted())
      differ |= engine::counted_sites(term, query.bits[word], query.major_word(word), query.called[word],
                                      stored.bits[word], stored.major_word(word), stored.called[word]);
    stats::for_each_set(word, differ, [&](std::size_t s) {
      const Site& site = reader_.panel().sites()[s];
      match::DifferingLocus locus{site.id, site.chrom, site.pos, site.major, site.minor};
      locus.query = seen_at(query, s, by);
      locus.profile = seen_at(stored, s, by);
      if (available()) {
        locus.minor_frequency = models_[row.lr_population].minor_freq()[s];
        locus.log10_lr = weights[s] * log10_lr_at(s, stain, stored, row);
      }
      loci.push_back(std::move(locus));
    });
  }
  return loci;
}

/// What a differing site adds to a hit's log10 likelihood ratio if it weighs 1.
double Evidence::log10_lr_at(std::size_t site, const stats::Stain& query, const RowView& stored,
                             const match::MatchRow& row) const {
  const std::size_t asked = stats::kind_at(query.shown, site, question_.by),
                    in = stats::kind_at(stored, site, question_.by);
  if (comparison_ == engine::Comparison::kIdentity)
    return question_.identities[row.lr_population]
        .ratios(site, asked, in)
        .between(stats::Relation::kSame, options_.alternative);
  const std::size_t person = reverse() ? asked : in;
  const stats::Stain mixture = reverse() ? stats::Stain(stored) : query;
  const auto [unrelated, one, two] =
      question_.stains[row.lr_population].joint_at(site, mixture, support_from(row.contributor->support));
  return stats::relation_ratios(unrelated[person], one[person], two[person])
      .between(stats::Relation::kSame, options_.alternative);
}

match::EvidenceParameters Evidence::parameters() const {
  match::EvidenceParameters parameters{
      .population = options_.population,
      .theta = options_.parameters.theta,
      .error_rate = options_.parameters.error_rate,
      .blocks = {},
      .alternative = std::string(name_of(options_.alternative)),
      .sort = orders() ? "evidence" : "rate",
      .max_chance_matches = options_.max_chance_matches,
      .contributors = numbers_text(options_.mixtures),
      .model = std::string(
          name_of(reverse() ? stats::StainModelChoice::kSemiContinuous : options_.mixtures.model)),
      .shares = options_.mixtures.shares,
      .threshold = options_.mixtures.threshold,
      .drop_outs = options_.mixtures.drop_outs,
      .drop_in = options_.mixtures.drop_in,
      .known = {}};
  if (blocks_) parameters.blocks = blocks_->facts;
  if (linked_) parameters.map = linked_->facts();
  for (const match::QuerySource& person : known_.sources)
    parameters.known.push_back({person.name, person.file, person.sha256});
  return parameters;
}

std::vector<match::PopulationFacts> Evidence::populations() const {
  return asking::facts_of(models_);
}

}  // namespace fastid::search
