#include "asking/linked_evidence.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "asking/relation_evidence.hpp"
#include "asking/small_text.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "linked/segments.hpp"
#include "panel/genetic_map.hpp"
#include "panel/table_lines.hpp"
#include "stats/log_number.hpp"

namespace fastid::asking {
namespace {

constexpr std::uint64_t kMostMapBytes = std::uint64_t{256} << 20;
constexpr double kMostThinCm = 1000;

std::vector<linked::Relation> relations_of(const std::string& names) {
  const auto all = linked::all_relations();
  if (names.empty()) return {all.begin(), all.end()};
  std::vector<linked::Relation> chosen;
  for (const std::string_view name : split(names, ',')) {
    const auto relation = linked::relation_named(trim(name));
    if (!relation) {
      std::string known;
      for (const linked::Relation each : all)
        known += (known.empty() ? "" : ", ") + std::string(name_of(each));
      throw UsageError(
          fmt::format("--relations: '{}' is no relation; name some of {}", printable(name), known));
    }
    chosen.push_back(*relation);
  }
  std::ranges::sort(chosen);
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  if (chosen == std::vector{linked::Relation::kSame})
    throw UsageError("--relations names no relatives; name one besides same");
  return chosen;
}

std::vector<std::string> names_of(std::span<const linked::Relation> relations) {
  std::vector<std::string> names;
  for (const linked::Relation relation : relations) names.emplace_back(name_of(relation));
  return names;
}

double thin_of(const LinkedOptions& options, bool blocks) {
  const double thin = options.thin.value_or(blocks ? 0 : kThinCm);
  if (!(thin >= 0 && thin <= kMostThinCm))
    throw UsageError(fmt::format("--thin is {}; give centimorgans from 0 to {}", thin, kMostThinCm));
  return thin;
}

/// The map that options name, and what it is called.
struct ChosenMap {
  GeneticMap map;
  std::string name, sha256;  ///< as MapFacts has them
};

ChosenMap read_map(const std::string& path, const Panel& panel) {
  const SmallText text = read_small_text(path, kMostMapBytes);
  ChosenMap read{GeneticMap::parse(text.content, path), path, text.sha256};
  check_build(path, read.map.build(), panel, "give a map of the panel's build");
  return read;
}

ChosenMap choose_map(const LinkedOptions& options, const Panel& panel) {
  if (options.map != "default" && options.map != "none") return read_map(options.map, panel);
  if (options.map == "default")
    if (auto map = GeneticMap::shipped(panel.build()))
      return {*std::move(map), std::string(name_of(panel.build())), {}};
  return {};
}

std::vector<match::MappedChromosome> chromosomes_of(std::span<const MappedSite> sites) {
  std::vector<match::MappedChromosome> chromosomes;
  for (const MappedSite& site : sites) {
    if (chromosomes.empty() || chromosomes.back().name != site.chrom)
      chromosomes.push_back({std::string(site.chrom), site.cm, site.cm});
    chromosomes.back().end_cm = site.cm;
  }
  return chromosomes;
}

/// What a model is asked with of one and several others, who go by their calls or by likelihoods.
const RowView& asked_by(const linked::LinkedModel& /*model*/, const RowView& first,
                        std::span<const RowView> /*others*/) {
  return first;
}
auto asked_by(const linked::LinkedModel& model, const SampleLikelihoods& first,
              std::span<const RowView> /*others*/) {
  return model.emissions_of(first);
}
auto asked_by(const linked::LinkedModel& model, const SampleLikelihoods& first,
              std::span<const SampleLikelihoods* const> /*others*/) {
  return model.sums_of(first);
}

/// Where one's alleles are identical by descent with each of several others', over all relations by how
/// probable they are.
template <class First, class Other>
std::vector<std::vector<linked::SharedAlleles>> posteriors_of(const linked::LinkedModel& model,
                                                              const First& first,
                                                              std::span<const Other> others) {
  std::vector<linked::Weights> weights;
  for (const linked::Ratios& ratios : model.ratios(first, others)) weights.push_back(weights_of(ratios));
  return model.shared(first, others, weights);
}

/// By all degrees within the margin. One of the third degree is not told from a stranger.
stats::Suggestion suggestion_of(const linked::Findings& found) {
  using linked::Degree;
  const auto within = [&](Degree nearest, Degree farthest) {
    return found.nearest >= nearest && found.farthest <= farthest;
  };
  if (within(Degree::kSame, Degree::kSame)) return stats::Suggestion::kSame;
  if (within(Degree::kParentChild, Degree::kThreeQuarterSibling)) return stats::Suggestion::kFirstDegree;
  if (within(Degree::kSecond, Degree::kSecond)) return stats::Suggestion::kSecondDegree;
  return found.likeliest == Degree::kUnrelated && found.nearest >= Degree::kThird
             ? stats::Suggestion::kUnrelated
             : stats::Suggestion::kInconclusive;
}

double lowest(std::span<const linked::Ratios> ratios, linked::Relation relation) {
  double least = *ratios[0][relation];
  for (const linked::Ratios& in_population : ratios) least = std::min(least, *in_population[relation]);
  return least;
}

}  // namespace

LinkedEvidence::LinkedEvidence(const LinkedOptions& options, const Panel& panel, std::span<const Word> sites,
                               std::span<const stats::PopulationModel> models, double margin,
                               std::uint64_t n_pairs)
    : margin_(margin), speaks_above_(not_by_chance(0, n_pairs)) {
  const std::vector<linked::Relation> considered = relations_of(options.relations);
  const double thin = thin_of(options, !models.empty() && models[0].blocks() != nullptr);
  if (options.unlinked || models.empty()) return;
  const ChosenMap chosen = choose_map(options, panel);
  const std::vector<MappedSite> mapped = mapped_sites(panel, sites, chosen.map);
  if (mapped.empty()) {
    log::note_text("no counted site of the panel has a position, so that sites are taken as unlinked");
    return;
  }
  for (const stats::PopulationModel& model : models)
    models_.emplace_back(model, linked::thinned(mapped, model.minor_freq(), thin), considered);
  facts_ = {.map = chosen.name,
            .sha256 = chosen.sha256,
            .thin_cm = thin,
            .n_sites = static_cast<std::uint32_t>(models_[0].sites().size()),
            .relations = names_of(linked::all_relations()),
            .considered = names_of(considered),
            .min_lr = {},
            .chromosomes = chromosomes_of(models_[0].sites())};
  const auto say = options.in_detail && !chosen.name.empty() ? log::detail_text : log::note_text;
  say(fmt::format("relatives are weighed along {}, at {} of {} with a position{}",
                  chosen.name.empty()     ? "1.2 cM a Mb, for want of a map"
                  : chosen.sha256.empty() ? "the map of " + chosen.name
                                          : "the map " + chosen.name,
                  with_commas(facts_.n_sites), counted(mapped.size(), "site"),
                  thin > 0 ? fmt::format(": one of each {:g} cM", thin) : ""));
}

template <class First, class Other>
std::vector<std::vector<linked::Ratios>> LinkedEvidence::by_population(const First& first,
                                                                       std::span<const Other> others) const {
  std::vector<std::vector<linked::Ratios>> all;
  for (const linked::LinkedModel& model : models_)
    all.push_back(model.ratios(asked_by(model, first, others), others));
  return all;
}

std::vector<LinkedFindings> LinkedEvidence::weigh(const RowView& first,
                                                  std::span<const RowView> others) const {
  return of_all(by_population(first, others));
}

std::vector<LinkedFindings> LinkedEvidence::weigh(const SampleLikelihoods& first,
                                                  std::span<const RowView> others) const {
  return of_all(by_population(first, others));
}

std::vector<LinkedFindings> LinkedEvidence::weigh(const SampleLikelihoods& first,
                                                  std::span<const SampleLikelihoods* const> others) const {
  return of_all(by_population(first, others));
}

std::vector<LinkedIdentity> LinkedEvidence::identities(const RowView& first, std::span<const RowView> others,
                                                       const std::vector<bool>& relatives) const {
  return identities_of(by_population(first, others), relatives);
}

std::vector<LinkedIdentity> LinkedEvidence::identities(const SampleLikelihoods& first,
                                                       std::span<const RowView> others,
                                                       const std::vector<bool>& relatives) const {
  return identities_of(by_population(first, others), relatives);
}

std::vector<LinkedIdentity> LinkedEvidence::identities_of(
    std::span<const std::vector<linked::Ratios>> by_population, const std::vector<bool>& relatives) const {
  std::vector<LinkedIdentity> found;
  std::vector<linked::Ratios> ratios(models_.size());
  for (std::size_t i = 0; i < relatives.size(); ++i) {
    for (std::size_t p = 0; p < ratios.size(); ++p) ratios[p] = by_population[p][i];
    found.push_back(identity_of(ratios, relatives[i]));
  }
  return found;
}

LinkedIdentity LinkedEvidence::identity_of(std::span<const linked::Ratios> ratios, bool relatives) const {
  const auto same = [](const linked::Ratios& of) { return *of[linked::Relation::kSame]; };
  const auto against_sibling = [&](const linked::Ratios& of) {
    return stats::log10_ratio(same(of), *of[linked::Relation::kSibling]);
  };
  LinkedIdentity found{.log10_lr_sibling = std::numeric_limits<double>::infinity()};
  for (const linked::Ratios& of : ratios)
    found.log10_lr_sibling = std::min(found.log10_lr_sibling, against_sibling(of));
  linked::Ratios in = *std::ranges::min_element(ratios, {}, same);
  if (!relatives)
    for (const linked::Relation relation : linked::all_relations())
      if (relation != linked::Relation::kSame) in[relation].reset();
  const linked::Findings called = linked::findings_of(in, margin_);
  found.suggests = suggestion_of(called);
  const bool of_relative =
      found.suggests == stats::Suggestion::kFirstDegree || found.suggests == stats::Suggestion::kSecondDegree;
  if (of_relative && called.log10_any <= speaks_above_) found.suggests = stats::Suggestion::kInconclusive;
  return found;
}

std::vector<LinkedFindings> LinkedEvidence::of_all(
    std::span<const std::vector<linked::Ratios>> by_population) const {
  const std::size_t n = by_population.front().size();
  std::vector<LinkedFindings> found;
  found.reserve(n);
  std::vector<linked::Ratios> ratios(models_.size());
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t p = 0; p < ratios.size(); ++p) ratios[p] = by_population[p][i];
    found.push_back(of(ratios));
  }
  return found;
}

/// Called in one population: that in which the ratio of any relative is lowest. Nothing is named where chance
/// explains it.
LinkedFindings LinkedEvidence::of(std::span<const linked::Ratios> ratios) const {
  LinkedFindings found;
  linked::Findings called;
  for (std::size_t p = 0; p < ratios.size(); ++p) {
    const linked::Findings here = findings_of(ratios[p], margin_);
    if (p > 0 && here.log10_any >= called.log10_any) continue;
    called = here;
    found.population = p;
  }
  for (const linked::Relation relation : linked::all_relations())
    found.figures.log10_lr.push_back(ratios[0][relation] ? std::optional(lowest(ratios, relation))
                                                         : std::nullopt);
  found.log10_any = called.log10_any;
  found.margin = called.margin;
  found.figures.degree_range = called.range();
  const bool related = called.likeliest != linked::Degree::kUnrelated;
  const std::optional<double>& same = ratios[found.population][linked::Relation::kSame];
  const double speaks = called.likeliest == linked::Degree::kSame ? *same : found.log10_any;
  const bool explained = related && speaks <= speaks_above_;
  found.relation = kUndecided;
  if (!called.decided || explained) return found;
  if (related) found.figures.degree = name_of(called.likeliest);
  if (!related)
    found.relation = stats::name_of(stats::Relation::kUnrelated);
  else if (called.relation)
    found.relation = name_of(*called.relation);
  return found;
}

std::vector<match::LinkedFigures::Shared> LinkedEvidence::shared(const RowView& first,
                                                                 std::span<const RowView> others,
                                                                 std::size_t population) const {
  return shared_with(first, others, models_[population]);
}

std::vector<match::LinkedFigures::Shared> LinkedEvidence::shared(const SampleLikelihoods& first,
                                                                 std::span<const RowView> others,
                                                                 std::size_t population) const {
  return shared_with(first, others, models_[population]);
}

std::vector<match::LinkedFigures::Shared> LinkedEvidence::shared(
    const SampleLikelihoods& first, std::span<const SampleLikelihoods* const> others,
    std::size_t population) const {
  return shared_with(first, others, models_[population]);
}

template <class First, class Other>
std::vector<match::LinkedFigures::Shared> LinkedEvidence::shared_with(
    const First& first, std::span<const Other> others, const linked::LinkedModel& model) const {
  std::vector<match::LinkedFigures::Shared> all;
  for (const std::vector<linked::SharedAlleles>& posterior :
       posteriors_of(model, asked_by(model, first, others), others)) {
    const auto [any_cm, two_cm] = linked::shared_length(model.sites(), posterior);
    match::LinkedFigures::Shared& shared =
        all.emplace_back(match::LinkedFigures::Shared{.any_cm = any_cm, .two_cm = two_cm});
    for (const linked::Segment& segment : linked::segments_of(model.sites(), posterior)) {
      if (segment.state != 1) continue;
      ++shared.segments;
      shared.longest_cm = std::max(shared.longest_cm, segment.length_cm());
    }
  }
  return all;
}

std::vector<std::vector<match::SharedStretch>> LinkedEvidence::stretches(const RowView& first,
                                                                         std::span<const RowView> others,
                                                                         std::size_t population) const {
  return stretches_with(first, others, models_[population]);
}

std::vector<std::vector<match::SharedStretch>> LinkedEvidence::stretches(const SampleLikelihoods& first,
                                                                         std::span<const RowView> others,
                                                                         std::size_t population) const {
  return stretches_with(first, others, models_[population]);
}

template <class First>
std::vector<std::vector<match::SharedStretch>> LinkedEvidence::stretches_with(
    const First& first, std::span<const RowView> others, const linked::LinkedModel& model) const {
  std::vector<std::vector<match::SharedStretch>> all;
  const std::span<const MappedSite> sites = model.sites();
  for (const std::vector<linked::SharedAlleles>& posterior :
       posteriors_of(model, asked_by(model, first, others), others)) {
    std::vector<match::SharedStretch>& stretches = all.emplace_back();
    for (const linked::Segment& segment : linked::segments_of(sites, posterior))
      stretches.push_back({.chrom = std::string(sites[segment.first_site].chrom),
                           .start = sites[segment.first_site].pos,
                           .end = sites[segment.last_site].pos,
                           .start_cm = segment.start_cm,
                           .end_cm = segment.end_cm,
                           .sites = static_cast<std::uint32_t>(segment.sites()),
                           .state = segment.state,
                           .mean_posterior = segment.mean_posterior});
  }
  return all;
}

void LinkedEvidence::check_stretches(const LinkedOptions& options, const std::string& source) const {
  if (options.stretches && !available())
    throw InputError(source, "",
                     "its panel lacks allele frequencies or positions, by which stretches are found",
                     "leave --segments out");
}

std::unique_ptr<linked::PairScreen> LinkedEvidence::pair_screen(double min_lr) const {
  constexpr double kBelow = 2;                     // log10: the chain stands for relatives of any degree
  constexpr std::uint32_t kSecondDegree = 88'400;  // KING's bound, in millionths
  return std::make_unique<linked::PairScreen>(models_, min_lr - kBelow, kSecondDegree);
}

}  // namespace fastid::asking
