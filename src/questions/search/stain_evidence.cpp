// Mixtures against stored mixtures: what they say of a contributor that they may have in common.
#include <algorithm>
#include <cmath>
#include <string>

#include "asking/stored_profiles.hpp"
#include "base/thread_pool.hpp"
#include "bits/popcount.hpp"
#include "questions/search/evidence.hpp"
#include "questions/search/stored_hits.hpp"

namespace fastid::search {
namespace {

/// How many alleles of one mixture the other does not show, over the sites called in both.
std::uint32_t not_shown(const RowView& one, const RowView& other, Encoding by) {
  const engine::Terms terms = engine::terms_of(engine::Comparison::kReverseMixture, by);
  int count = 0;
  for (const engine::Term& term : terms.counted())
    for (std::size_t word = 0; word < one.bits.size(); ++word)
      count += bits_set(engine::counted_sites(term, one.bits[word], one.major_word(word), one.called[word],
                                              other.bits[word], other.major_word(word), other.called[word]));
  return static_cast<std::uint32_t>(count);
}

}  // namespace

void Evidence::put_shared(std::size_t query, const stats::Stain& stain, const stats::Stain& stored,
                          const stats::StainExplanations& of_stored, match::MatchRow& row) const {
  using stats::Relation;
  const stats::StainExplanations& of_query = explained_[query];
  stats::SharedEvidence worst;
  for (std::size_t p = 0; p < models_.size(); ++p) {
    const stats::SharedEvidence found = question_.stains[p].shared(stain, of_query[p], stored, of_stored[p]);
    if (p > 0 && found.relations[Relation::kSame] >= worst.relations[Relation::kSame]) continue;
    worst = found;
    row.lr_population = row.chance_population = p;
  }
  const double log10_mixtures = std::log10(static_cast<double>(question_.n_profiles)),
               same = worst.relations[Relation::kSame];
  row.log10_lr = same;
  row.log10_chance_matches = std::min(log10_mixtures, log10_mixtures - same);
  const stats::Suggestion suggests = stats::suggest(worst.relations, stats::kContributorMargin);
  row.suggests = suggests == stats::Suggestion::kSame ? "contributor" : name_of(suggests);
  const stats::Standing standing = stats::standing_of(worst.relations, question_.n_profiles);
  const Relation relative = stats::likeliest_relative(worst.relations);
  row.relative = standing == stats::Standing::kRelative;
  const std::size_t p = row.lr_population;
  row.contributor = match::ContributorFigures{
      .log10_lr_relative = worst.relations[relative],
      .relative = std::string(name_of(relative)),
      .apart = standing == stats::Standing::kApart,
      .support = support_of(of_query[p][worst.support], question_by_peaks()),
      .stored = match::StoredContributor{support_of(of_stored[p][worst.other], false),
                                         not_shown(stain.shown, stored.shown, question_.by)}};
}

void Evidence::weigh_against_stains(const ProfileRows& queries, std::size_t threads, Progress& progress,
                                    std::vector<match::QueryMatches>& matches) {
  const auto mixtures = hits_by_stored(matches);
  std::vector<stats::StainExplanations*> explanations;
  for (const auto& [mixture, hits] : mixtures)
    explanations.push_back(&explained_stored_.try_emplace(mixture).first->second);
  in_parallel(mixtures.size(), threads, [&](std::size_t i) {
    const auto& [mixture, hits] = mixtures[i];
    asking::StoredProfiles profiles(reader_);
    const MaskedRow counted = sites_.keep(profiles.read(mixture));
    const stats::Stain stored(counted.view());
    stats::StainExplanations& explained = *explanations[i];
    if (explained.empty()) explained = stats::explanations_of(of_stored_, stored);
    for (const auto& [query, row] : hits)
      put_shared(query, stain_of(queries, query), stored, explained, *row);
    progress.add(hits.size());
  });
  for (match::QueryMatches& query : matches) {
    query.histogram.reset();  // of people
    asking::list_rows(listing_, query);
  }
}

}  // namespace fastid::search
