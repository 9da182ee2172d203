#include "questions/kin/evidence.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "asking/family_check.hpp"
#include "asking/frequencies.hpp"
#include "asking/likelihoods.hpp"
#include "asking/matches.hpp"
#include "asking/stored_profiles.hpp"
#include "base/thread_pool.hpp"
#include "pipeline/search.hpp"
#include "questions/kin/family_roles.hpp"
#include "stats/evidence.hpp"

namespace fastid::kin {
namespace {

/// Rows that one thread reads and weighs.
struct Batch {
  std::size_t query = 0;
  std::span<match::MatchRow> rows;
};

std::vector<Batch> batches_of(std::span<match::QueryMatches> matches, std::size_t of_rows = 64) {
  std::vector<Batch> batches;
  for (std::size_t q = 0; q < matches.size(); ++q) {
    const std::span<match::MatchRow> rows(matches[q].rows);
    for (std::size_t first = 0; first < rows.size(); first += of_rows)
      batches.push_back({q, rows.subspan(first, std::min(of_rows, rows.size() - first))});
  }
  return batches;
}

/// The counts of a pair, and its kinship; no value where either has no heterozygous site among the compared
/// sites.
std::optional<match::KinFigures> figures_of(const engine::GenotypeCounts& counts) {
  const std::optional<double> kinship = stats::king_kinship(counts);
  if (!kinship) return std::nullopt;
  return match::KinFigures{.kinship = *kinship,
                           .ibs0 = counts.ibs0,
                           .both_het = counts.both_het,
                           .log10_lr = {},
                           .relation = {},
                           .margin = {},
                           .relative = {},
                           .member = {}};
}

/// The figures of a pair where one goes by likelihoods, so that there is nothing to count.
match::KinFigures figures_without_counts() {
  return {.kinship = std::numeric_limits<double>::quiet_NaN(),
          .log10_lr = {},
          .relation = {},
          .margin = {},
          .relative = {},
          .member = {}};
}

std::optional<match::KinFigures> figures_of(const RowView& asked, const RowView& stored) {
  return figures_of(engine::count_genotypes(asked, stored));
}
std::optional<match::KinFigures> figures_of(const SampleLikelihoods&, const RowView&) {
  return figures_without_counts();
}

/// Calls act(the query's likelihoods, or its row).
template <class Act>
void with_asked(const match::Queries& queries, std::size_t query, const Act& act) {
  if (const SampleLikelihoods* const sample = queries.likelihoods_of(query))
    act(*sample);
  else
    act(queries.rows.row(query));
}

/// The profiles of rows, read again, with the counted sites.
struct StoredOfRows {
  StoredOfRows(const db::Reader& reader, const asking::CountedSites& sites, std::span<match::MatchRow> of) {
    asking::for_each_stored(reader, of, [&](match::MatchRow& row, const RowView& whole) {
      rows.push_back(&row);
      counted.push_back(sites.keep(whole));
    });
    for (const MaskedRow& each : counted) views.push_back(each.view());
  }
  std::vector<match::MatchRow*> rows;
  std::vector<MaskedRow> counted;
  std::vector<RowView> views;  ///< of each of `rows`
};

}  // namespace

KinEvidence::KinEvidence(const KinOptions& options, const db::Reader& reader,
                         const asking::CountedSites& sites, std::uint64_t searched)
    : options_(options),
      reader_(reader),
      sites_(sites),
      searched_(searched),
      blocks_(asking::blocks_of(options.search.evidence.blocks, reader.panel())),
      models_(asking::models_of(reader, options.search.evidence.population,
                                options.search.evidence.parameters, blocks_ ? blocks_->blocks : nullptr)),
      relations_(models_, options.margin, reader.shape().n_profiles),
      linked_(options.linked, reader.panel(), sites.mask(), models_, options.margin, searched),
      heterozygosity_(asking::models_of(reader, stats::kAllPopulations, options.search.evidence.parameters)) {
  for (const stats::PopulationModel& model : models_) probabilities_.emplace_back(model);
  if (models_.empty() && !options.family.empty())
    throw InputError(reader.path(), "", "its panel has no allele frequencies, which --family takes",
                     asking::kFrequencyCure);
  asking::say_frequencies(reader, models_);
}

void KinEvidence::count(const match::Queries& queries, std::vector<match::QueryMatches>& matches) const {
  const asking::ShortlistSource shortlists(reader_, matches, asking::threads_of(options_.search));
  const std::vector<Batch> batches = batches_of(matches);
  in_parallel(batches.size(), asking::threads_of(options_.search), [&](std::size_t i) {
    if (queries.likelihoods_of(batches[i].query) != nullptr) {
      for (match::MatchRow& row : batches[i].rows) row.kin = figures_without_counts();
      return;
    }
    const RowView asked = queries.rows.row(batches[i].query);
    asking::for_some_stored(shortlists, batches[i].rows,
                            [&](std::span<match::MatchRow* const> some, std::span<const RowView> stored) {
                              for (std::size_t r = 0; r < some.size(); ++r) {
                                const engine::GenotypeCounts counts =
                                    engine::count_genotypes(asked, stored[r]);
                                some[r]->counts = pipeline::counts_of(engine::Comparison::kKinship, counts);
                                some[r]->kin = figures_of(counts);
                              }
                            });
  });
  for (match::QueryMatches& query : matches)
    std::erase_if(query.rows, [&](const match::MatchRow& row) {
      return !row.kin ||
             (options_.min_kinship && !query.by_likelihoods && row.kin->kinship < *options_.min_kinship);
    });
}

void KinEvidence::weigh(const match::Queries& queries, Progress& progress,
                        std::vector<match::QueryMatches>& matches) const {
  in_parallel(matches.size(), asking::threads_of(options_.search), [&](std::size_t q) {
    if (queries.likelihoods_of(q) == nullptr) look_at(queries.rows.row(q), matches[q]);
  });
  const asking::ShortlistSource shortlists(reader_, matches, asking::threads_of(options_.search));
  const std::vector<Batch> batches = batches_of(matches);
  in_parallel(batches.size(), asking::threads_of(options_.search), [&](std::size_t i) {
    const auto& [query, rows] = batches[i];
    const bool of_several = matches[query].several.has_value();
    with_asked(queries, query, [&](const auto& asked) { weigh_listed(asked, shortlists, rows, of_several); });
    progress.add(rows.size());
  });
}

template <class Asked>
void KinEvidence::weigh_listed(const Asked& asked, const asking::ShortlistSource& source,
                               std::span<match::MatchRow> rows, bool of_several) const {
  asking::for_some_stored(source, rows,
                          [&](std::span<match::MatchRow* const> some, std::span<const RowView> stored) {
                            for (std::size_t r = 0; r < some.size(); ++r)
                              some[r]->kin = figures_of(asked, stored[r]);
                            if (available()) weigh_some(asked, some, stored);
                            for (std::size_t r = 0; r < some.size(); ++r) {
                              match::MatchRow& row = *some[r];
                              row.several = heterozygosity_.of_several(sites_.keep(stored[r]).view());
                              if (!row.kin || (!of_several && !row.several)) continue;
                              row.kin->relation = asking::kUndecided;
                              if (row.kin->linked) row.kin->linked->degree.clear();
                            }
                          });
}

std::vector<asking::RelationFindings> KinEvidence::unlinked(const RowView& asked,
                                                            std::span<const RowView> stored) const {
  return relations_.weigh(asked, stored);
}

std::vector<asking::RelationFindings> KinEvidence::unlinked(const SampleLikelihoods& asked,
                                                            std::span<const RowView> stored) const {
  return relations_.weigh(
      asking::ratios_of_sample(models_, Encoding::kAlleles, asked, stats::Relation::kUnrelated), stored);
}

template <class Asked>
void KinEvidence::weigh_some(const Asked& asked, std::span<match::MatchRow* const> rows,
                             std::span<const RowView> stored) const {
  const auto put = [&](auto found) {
    for (std::size_t r = 0; r < rows.size(); ++r) put_ratios(std::move(found[r]), *rows[r]);
  };
  if (along_map())
    put(linked_.weigh(asked, stored));
  else
    put(unlinked(asked, stored));
}

void KinEvidence::share(const match::Queries& queries, std::vector<match::QueryMatches>& matches) const {
  constexpr std::size_t kTogether = 8;  // take little longer than one
  if (!along_map()) return;
  const std::vector<Batch> batches = batches_of(matches, kTogether);
  in_parallel(batches.size(), asking::threads_of(options_.search), [&](std::size_t i) {
    with_asked(queries, batches[i].query, [&](const auto& asked) {
      asking::for_some_stored(reader_, batches[i].rows,
                              [&](std::span<match::MatchRow* const> some, std::span<const RowView> stored) {
                                for (std::size_t p = 0; p < models_.size(); ++p)
                                  share(asked, p, some, stored);
                              });
    });
  });
}

/// Fills in the shared lengths of the rows whose lowest ratio is in this population.
template <class Asked>
void KinEvidence::share(const Asked& asked, std::size_t population, std::span<match::MatchRow* const> rows,
                        std::span<const RowView> stored) const {
  std::vector<match::MatchRow*> of;
  std::vector<RowView> others;
  for (std::size_t r = 0; r < rows.size(); ++r)
    if (rows[r]->lr_population == population) {
      of.push_back(rows[r]);
      others.push_back(stored[r]);
    }
  const std::vector<match::LinkedFigures::Shared> shared = linked_.shared(asked, others, population);
  for (std::size_t r = 0; r < of.size(); ++r) of[r]->kin->linked->shared = shared[r];
  if (!options_.linked.stretches) return;
  std::vector<std::vector<match::SharedStretch>> stretches = linked_.stretches(asked, others, population);
  for (std::size_t r = 0; r < of.size(); ++r) of[r]->kin->linked->stretches = std::move(stretches[r]);
}

std::optional<double> KinEvidence::min_lr() const {
  constexpr double kLeast = 0;
  if (!options_.family.empty()) return std::nullopt;
  if (!along_map() || options_.linked.min_lr) return along_map() ? options_.linked.min_lr : std::nullopt;
  return options_.min_kinship ? std::nullopt : std::optional(kLeast);
}

bool KinEvidence::screens() const {
  const bool by_ratio = options_.family.empty() ? min_lr().has_value() : !options_.min_kinship;
  return along_map() && by_ratio && !options_.search.evidence.by_rate;
}

std::optional<double> KinEvidence::min_kinship() const {
  if (options_.min_kinship || screens()) return options_.min_kinship;
  return min_lr() ? kShortlistKinship : kLeastKinship;
}

void KinEvidence::look_at(const RowView& query, match::QueryMatches& matches) const {
  if (!available()) return;
  matches.several = heterozygosity_.of_several(query);
  double log10_match = -std::numeric_limits<double>::infinity();
  for (const stats::MatchProbability& of : probabilities_)
    log10_match = std::max(log10_match, of.log10(query));
  matches.log10_agree_by_chance = asking::agree_by_chance(log10_match, searched_);
}

void KinEvidence::put_ratios(asking::RelationFindings found, match::MatchRow& row) const {
  row.kin->log10_lr = found.log10_lr;
  row.kin->margin = found.margin;
  row.kin->relation = std::move(found.relation);
  row.log10_lr = found.log10_best;
  row.lr_population = found.population;
  put_chance(row);
}

void KinEvidence::put_ratios(asking::LinkedFindings found, match::MatchRow& row) const {
  row.kin->linked = std::move(found.figures);
  row.kin->margin = found.margin;
  row.kin->relation = std::move(found.relation);
  row.log10_lr = found.log10_any;
  row.lr_population = found.population;
  put_chance(row);
}

void KinEvidence::weigh(const match::Queries& relatives, std::span<const stats::Member> members,
                        std::size_t missing, std::string_view source, Progress& progress,
                        match::QueryMatches& matches) const {
  const MissingRatios unlinked = ratios_of(members, missing, source, false);
  const asking::ShortlistSource shortlists(reader_, {&matches, 1}, asking::threads_of(options_.search));
  const std::vector<Batch> batches = batches_of({&matches, 1});
  in_parallel(batches.size(), asking::threads_of(options_.search), [&](std::size_t i) {
    asking::for_some_stored(shortlists, batches[i].rows,
                            [&](std::span<match::MatchRow* const> rows, std::span<const RowView> whole) {
                              std::vector<MaskedRow> counted;
                              for (const RowView& of : whole) counted.push_back(sites_.keep(of));
                              std::vector<RowView> stored;
                              for (const MaskedRow& of : counted) stored.push_back(of.view());
                              const std::vector<LowestRatio> ratios = unlinked.of(stored, 1);
                              for (std::size_t r = 0; r < rows.size(); ++r) {
                                compare_with(relatives, stored[r], *rows[r]);
                                put_ratio(ratios[r], *rows[r]);
                              }
                            });
    progress.add(batches[i].rows.size());
  });
  std::erase_if(matches.rows, [](const match::MatchRow& row) { return !row.kin; });
  if (follows(members, missing)) follow(members, missing, matches);
}

bool KinEvidence::follows(std::span<const stats::Member> members, std::size_t missing) const {
  return along_map() && linked::LinkedFamily::can_follow(members, missing, options_.max_bits);
}

MissingRatios KinEvidence::ratios_of(std::span<const stats::Member> members, std::size_t missing,
                                     std::string_view source, bool along_map) const {
  return along_map ? MissingRatios(models_, linked_, members, missing)
                   : MissingRatios(models_, members, missing, source);
}

/// Replaces the ratios of the likeliest candidates and of the typed members' own profiles by ratios along the
/// map.
void KinEvidence::follow(std::span<const stats::Member> members, std::size_t missing,
                         match::QueryMatches& matches) const {
  std::vector<match::MatchRow>& rows = matches.rows;
  const bool by_kinship = options_.search.evidence.by_rate;
  const auto place = [&](const match::MatchRow& row) {
    return std::pair(!row.kin->member.empty(), by_kinship ? row.kin->kinship : *row.log10_lr);
  };
  std::ranges::stable_sort(rows, std::ranges::greater{}, place);
  const std::size_t most =
      followed_along_map(linked::LinkedFamily::bits_of(members, missing), options_.search.rule.top);
  const auto own = static_cast<std::size_t>(
      std::ranges::count_if(rows, [&](const match::MatchRow& row) { return place(row).first; }));
  if (rows.size() - own > most) {
    const auto left_out = rows.begin() + static_cast<std::ptrdiff_t>(own + most);
    matches.more_may_match = std::any_of(
        left_out, rows.end(), [&](const match::MatchRow& row) { return *row.log10_lr > speaks_above(); });
    rows.erase(left_out, rows.end());
  }
  std::ranges::sort(rows, {}, &match::MatchRow::row);
  const StoredOfRows stored(reader_, sites_, rows);
  const std::vector<LowestRatio> ratios =
      ratios_of(members, missing, {}, true).of(stored.views, asking::threads_of(options_.search));
  for (std::size_t r = 0; r < stored.rows.size(); ++r) put_ratio(ratios[r], *stored.rows[r]);
}

void KinEvidence::warn_of_misfits(std::span<const stats::Member> members, std::string_view source) const {
  std::vector<std::optional<double>> ratios = stats::consistency_of(models_, members, source);
  for (std::size_t i = 0; i < members.size(); ++i) {
    std::vector<stats::Member> others(members.begin(), members.end());
    others[i].typed.reset();
    if (members[i].typed && may_follow_beside(others, i))
      ratios[i] = ratios_of(others, i, source, true)
                      .of({&*members[i].typed, 1}, asking::threads_of(options_.search))
                      .front()
                      .log10_lr;
    asking::warn_of_misfit("", members[i].name, ratios[i]);
  }
}

/// Whether other questions about the family may be followed along the map: by at most kMostBitsBeside bits.
bool KinEvidence::may_follow_beside(std::span<const stats::Member> members, std::size_t missing) const {
  return follows(members, missing) && linked::LinkedFamily::bits_of(members, missing) <= kMostBitsBeside;
}

std::size_t KinEvidence::weigh_other_roles(std::span<const stats::Member> members, std::size_t missing,
                                           std::string_view source, match::QueryMatches& matches) const {
  const StoredOfRows stored(reader_, sites_, matches.rows);
  const bool along_map = follows(members, missing);
  std::vector<FamilyRole> roles = other_roles(members, missing, along_map);
  const std::size_t n_roles = roles.size();
  if (along_map)
    std::erase_if(roles,
                  [&](const FamilyRole& role) { return !may_follow_beside(role.members, role.place); });
  std::vector<std::vector<LowestRatio>> ratios(roles.size());  // [role][row]
  in_parallel(roles.size(), asking::threads_of(options_.search), [&](std::size_t i) {
    ratios[i] = ratios_of(roles[i].members, roles[i].place, source, along_map).of(stored.views, 1);
  });
  constexpr double kSame = 1e-9;  // log10: where two names have one place, the first counts
  for (std::size_t r = 0; r < stored.rows.size(); ++r)
    for (std::size_t i = 0; i < roles.size(); ++i) {
      match::KinFigures& of = *stored.rows[r]->kin;
      if (!of.other_role.empty() && of.log10_lr_other_role + kSame >= ratios[i][r].log10_lr) continue;
      of.other_role = roles[i].name;
      of.log10_lr_other_role = ratios[i][r].log10_lr;
    }
  return n_roles - roles.size();
}

/// Fills in the counts with the relative of the highest kinship.
void KinEvidence::compare_with(const match::Queries& relatives, const RowView& stored,
                               match::MatchRow& row) const {
  std::size_t nearest = 0;
  for (std::size_t r = 0; r < relatives.sources.size(); ++r) {
    const engine::GenotypeCounts counts = engine::count_genotypes(relatives.rows.row(r), stored);
    const std::optional<match::KinFigures> kin = figures_of(counts);
    if (!kin || (row.kin && row.kin->kinship >= kin->kinship)) continue;
    nearest = r;
    row.kin = kin;
    row.kin->relative = relatives.sources[r].name;
    row.counts = pipeline::counts_of(engine::Comparison::kKinship, counts);
  }
  if (row.kin && is_same_person(relatives.rows.row(nearest), stored)) row.kin->member = row.kin->relative;
}

bool KinEvidence::is_same_person(const RowView& relative, const RowView& stored) const {
  return relations_.weigh(relative, stored).relation == stats::name_of(stats::Relation::kSame);
}

double KinEvidence::log10_hypotheses() const {
  return options_.family.empty() && !along_map() ? asking::log10_relations() : 0;
}

double KinEvidence::speaks_above() const {
  return asking::not_by_chance(log10_hypotheses(), searched_);
}

void KinEvidence::put_ratio(const LowestRatio& ratio, match::MatchRow& row) const {
  row.log10_lr = ratio.log10_lr;
  row.lr_population = ratio.population;
  put_chance(row);
}

void KinEvidence::put_chance(match::MatchRow& row) const {
  row.log10_chance_matches = stats::log10_expected_strangers(*row.log10_lr - log10_hypotheses(), searched_);
  row.chance_population = row.lr_population;
}

match::EvidenceParameters KinEvidence::parameters() const {
  const asking::EvidenceOptions& evidence = options_.search.evidence;
  std::optional<match::MapFacts> map;
  if (along_map()) {
    map = linked_.facts();
    map->min_lr = min_lr();
    if (!options_.family.empty()) map->considered.clear();
  }
  return {.population = evidence.population,
          .theta = evidence.parameters.theta,
          .error_rate = evidence.parameters.error_rate,
          .blocks = blocks_ ? std::optional(blocks_->facts) : std::nullopt,
          .alternative = std::string(stats::name_of(stats::Relation::kUnrelated)),
          .sort = available() && !evidence.by_rate ? "evidence" : "kinship",
          .max_chance_matches = {},
          .known = {},
          .min_kinship = min_kinship(),
          .margin = options_.margin,
          .map = std::move(map)};
}

std::vector<match::PopulationFacts> KinEvidence::populations() const {
  return asking::facts_of(models_);
}

}  // namespace fastid::kin
