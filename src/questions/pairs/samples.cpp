#include "questions/pairs/samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "asking/blocks_file.hpp"
#include "asking/frequencies.hpp"
#include "asking/panel_source.hpp"
#include "asking/queries.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/process.hpp"
#include "base/progress.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "db/linked_panel.hpp"
#include "match/wording.hpp"
#include "questions/pairs/findings.hpp"
#include "questions/pairs/question.hpp"
#include "stats/kinship.hpp"

namespace fastid::pairs {
namespace {

constexpr std::size_t kMostSamples = 5000;  // all of their likelihoods are held at once
constexpr std::size_t kPairsOfAPiece = 64;

}  // namespace

SamplePairSearch::SamplePairSearch(const PairsOptions& options, const SampleFiles& samples)
    : options_((check_pairs_evidence(options), options)),
      panel_(asking::panel_of(samples.panel)),
      classes_(panel_),
      queries_(asking::read_queries(samples.files, panel_, samples.import)),
      min_lr_(options.linked.min_lr.value_or(kCloseLr)) {
  facts_.database.path = samples.panel;
  choose_sites();
  take_samples();
  facts_.min_compared = options.min_compared;
  facts_.genome_build = std::string(name_of(panel_.build()));
  facts_.n_sites = panel_.n_sites();
  facts_.n_profiles = samples_.size();
  facts_.n_pairs = facts_.n_profiles * (facts_.n_profiles - 1) / 2;
  std::shared_ptr<const stats::LinkageBlocks> blocks;
  if (!options.blocks.empty()) {
    asking::BlocksOfPanel read = asking::read_blocks(options.blocks, panel_);
    facts_.evidence.blocks = std::move(read.facts);
    blocks = std::move(read.blocks);
  } else if (facts_.linked = db::linkage_warning(panel_, {}); !facts_.linked.empty()) {
    log::warn_text(facts_.linked);
  }
  models_ = stats::choose_populations(panel_,
                                      options.population == stats::kAllPopulations ? "" : options.population,
                                      options.parameters, {}, samples.panel);
  if (models_.empty())
    throw InputError(samples.panel, "", "has no allele frequencies, by which samples are weighed",
                     std::string(asking::kFrequencyCure));
  for (stats::PopulationModel& model : models_) model.weigh_by(blocks);
  facts_.populations = asking::facts_of(models_);
  for (const std::string& text : match::frequencies_texts(facts_.populations))
    log::note("{}: {}; {}", samples.panel, text, asking::kFrequencyCure);
  weigh_by(models_);
}

/// Chooses the autosomal sites, the only ones that likelihoods are read for.
void SamplePairSearch::choose_sites() {
  if (!classes_.has(SiteClass::kAutosomal))
    throw InputError(facts_.database.path, "", "its panel has no autosomal site", "name another panel");
  if (classes_.all_autosomal()) return;
  log::note("{} left out", asking::sites_beside(classes_));
  queries_.rows.keep_sites(classes_.mask(SiteClass::kAutosomal));
}

void SamplePairSearch::take_samples() {
  const std::size_t n = queries_.sources.size();
  if (n < 2)
    throw InputError(queries_.sources.front().file, "", "holds one sample, and pairs are of two",
                     "name more samples");
  if (n > kMostSamples)
    throw UsageError(
        fmt::format("{} samples are more than {}; make a database of them (fastid db build), or "
                    "name fewer at a time",
                    with_commas(n), with_commas(kMostSamples)));
  samples_.resize(n);
  for (std::size_t i = 0; i < n; ++i)
    if (queries_.likelihoods_of(i) == nullptr && queries_.sources[i].encoding != Encoding::kAlleles)
      throw InputError(
          queries_.sources[i].file, "",
          fmt::format("says of {} only where a minor allele was seen", printable(queries_.sources[i].name)),
          "give a file that says which alleles were seen, such as a VCF");
  in_parallel(n, threads_or_all(options_.threads), [&](std::size_t i) {
    const SampleLikelihoods* const sample = queries_.likelihoods_of(i);
    samples_[i] =
        sample != nullptr ? *sample : stats::likelihoods_of_calls(queries_.rows.row(i), panel_.n_sites());
  });
}

void SamplePairSearch::weigh_by(std::span<const stats::PopulationModel> models) {
  linked_.emplace(options_.linked, panel_, classes_.mask(SiteClass::kAutosomal), models, options_.margin,
                  facts_.n_pairs);
  if (linked_->available()) {
    facts_.evidence.map = linked_->facts();
    facts_.evidence.map->min_lr = min_lr_;
    return;
  }
  relations_.emplace(models, options_.margin, facts_.n_pairs);
  for (const stats::PopulationModel& model : models) site_pairs_.emplace_back(model);
}

/// Counts the calls of a pair, where both samples go by calls.
void SamplePairSearch::count(std::size_t first, std::size_t second, match::ClosePair& pair) const {
  pair.compared = stats::compared_sites(samples_[first], samples_[second]);
  pair.counted = queries_.likelihoods_of(first) == nullptr && queries_.likelihoods_of(second) == nullptr;
  if (!pair.counted) return;
  const engine::GenotypeCounts counts =
      engine::count_genotypes(queries_.rows.row(first), queries_.rows.row(second));
  pair.differing = counts.alleles_apart();
  pair.both_het = counts.both_het;
  pair.ibs0 = counts.ibs0;
  pair.kinship = stats::king_kinship(counts).value_or(pair.kinship);
}

bool SamplePairSearch::passes(const match::ClosePair& pair, double log10_best) const {
  return pair.compared >= options_.min_compared && log10_best >= min_lr_;
}

void SamplePairSearch::weigh(const Piece& piece, std::span<match::NamedPair> pairs) const {
  const SampleLikelihoods& later = samples_[piece.later];
  std::vector<const SampleLikelihoods*> earlier;
  for (std::size_t i = piece.begin; i < piece.end; ++i) earlier.push_back(&samples_[i]);
  if (relations_) {
    std::vector<asking::RelationFindings> found = relations_->weigh(site_pairs_, later, earlier);
    for (std::size_t i = 0; i < found.size(); ++i) {
      const double best = found[i].log10_best;
      put_findings(std::move(found[i]), facts_.n_pairs, pairs[i].pair);
      if (!passes(pairs[i].pair, best)) pairs[i].pair.compared = 0;
    }
    return;
  }
  std::vector<asking::LinkedFindings> found = linked_->weigh(later, earlier);
  std::map<std::size_t, std::vector<std::size_t>> listed;  // by population
  for (std::size_t i = 0; i < found.size(); ++i) {
    const double any = found[i].log10_any;
    const std::size_t population = found[i].population;
    put_findings(std::move(found[i]), facts_.n_pairs, pairs[i].pair);
    if (passes(pairs[i].pair, any))
      listed[population].push_back(i);
    else
      pairs[i].pair.compared = 0;
  }
  for (const auto& [population, places] : listed) {  // many together take hardly longer than one
    std::vector<const SampleLikelihoods*> others;
    for (const std::size_t i : places) others.push_back(earlier[i]);
    const std::vector<match::LinkedFigures::Shared> shared = linked_->shared(later, others, population);
    for (std::size_t i = 0; i < places.size(); ++i) pairs[places[i]].pair.linked->figures.shared = shared[i];
  }
}

/// The pairs of a piece that are listed.
std::vector<match::NamedPair> SamplePairSearch::pairs_of(const Piece& piece) const {
  std::vector<match::NamedPair> pairs;
  for (std::size_t i = piece.begin; i < piece.end; ++i) {
    match::NamedPair& of = pairs.emplace_back(match::NamedPair{
        {.first = i, .second = piece.later}, queries_.sources[i].name, queries_.sources[piece.later].name});
    count(i, piece.later, of.pair);
  }
  weigh(piece, pairs);
  std::erase_if(pairs, [](const match::NamedPair& of) { return of.pair.compared == 0; });
  return pairs;
}

std::uint64_t SamplePairSearch::run(const PairSearch::Take& take) const {
  const std::size_t threads = threads_or_all(options_.threads), most = 16 * threads;
  Progress progress(options_.progress, "comparing", "pairs", facts_.n_pairs);
  std::vector<Piece> pieces;
  std::uint64_t n = 0;
  const auto do_pieces = [&] {
    std::vector<std::vector<match::NamedPair>> found(pieces.size());
    in_parallel(pieces.size(), threads, [&](std::size_t i) {
      found[i] = pairs_of(pieces[i]);
      progress.add(pieces[i].end - pieces[i].begin);
    });
    for (const std::vector<match::NamedPair>& pairs : found) {
      if ((n += pairs.size()) > options_.max_pairs)
        throw Failure(
            fmt::format("more than {} have a likelihood ratio of at least 10^{:g}; raise the bound, or "
                        "--max-pairs",
                        counted(options_.max_pairs, "pair"), min_lr_));
      take(pairs);
    }
    pieces.clear();
    check_interrupt();
  };
  for (std::size_t later = 1; later < samples_.size(); ++later)
    for (std::size_t begin = 0; begin < later; begin += kPairsOfAPiece) {
      pieces.push_back({later, begin, std::min(later, begin + kPairsOfAPiece)});
      if (pieces.size() == most) do_pieces();
    }
  do_pieces();
  return n;
}

}  // namespace fastid::pairs
