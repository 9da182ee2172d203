#include "asking/beside.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "asking/stored_profiles.hpp"
#include "stats/haplotype.hpp"

namespace fastid::asking {
namespace {

using stats::Relation;

std::string text_of(const std::optional<Sex>& sex) {
  return sex ? std::string(name_of(*sex)) : std::string();
}

}  // namespace

match::SitesByClass sites_by_class(const SiteClasses& classes) {
  return {.autosomal = classes.count(SiteClass::kAutosomal),
          .x = classes.count(SiteClass::kX),
          .y = classes.count(SiteClass::kY),
          .m = classes.count(SiteClass::kM)};
}

XRelation x_relation_named(std::string_view relation, bool along_map) {
  if (along_map && (relation == "half-sibling" || relation == "grandparent" || relation == "avuncular"))
    return {Relation::kHalfSibling, relation};
  if (along_map && relation == "first-cousin") return {Relation::kCousin};
  for (std::size_t r = 0; r < stats::kRelations; ++r)
    if (name_of(static_cast<Relation>(r)) == relation) return {static_cast<Relation>(r)};
  return {};
}

Beside::Beside(const Panel& panel, const SiteClasses& classes, std::span<const stats::PopulationModel> models,
               const stats::Parameters& parameters)
    : classes_(classes), parameters_(parameters) {
  if (!any()) return;
  for (const stats::PopulationModel& model : models) {
    sexes_.emplace_back(classes, &model);
    if (classes.has(SiteClass::kX)) x_.emplace_back(model, panel, classes);
  }
  const std::span<const Word> x = classes.mask(SiteClass::kX);
  x_sites_.assign(x.begin(), x.end());
  for (const std::uint32_t s : classes.sites(SiteClass::kX))
    if (panel.sites()[s].pos == 0) x_sites_[s / kWordBits] &= ~(Word{1} << s % kWordBits);
  if (sexes_.empty()) sexes_.emplace_back(classes, nullptr);
}

stats::SexFindings Beside::sex_of(const RowView& profile) const {
  stats::SexFindings least = sexes_.front().of(profile);
  for (const stats::SexModel& model : std::span(sexes_).subspan(1))
    if (const stats::SexFindings found = model.of(profile);
        std::abs(found.log10_woman) < std::abs(least.log10_woman))
      least = found;
  return least;
}

match::XFigures Beside::x_of(const RowView& first, unsigned first_copies, const RowView& second,
                             unsigned second_copies, XRelation relation) const {
  match::XFigures figures;
  figures.compared = stats::compared_x(first, first_copies, second, second_copies, x_sites_);
  for (const stats::XModel& model : x_) {
    const stats::XRatio ratio =
        model.ratio(relation.relation, first, first_copies, second, second_copies, relation.among);
    if (!ratio.log10_lr || (figures.log10_lr && *figures.log10_lr <= *ratio.log10_lr)) continue;
    figures.log10_lr = ratio.log10_lr;
    figures.kinds.clear();
    for (const auto& [kind, log10_lr] : ratio.kinds)
      figures.kinds.push_back({std::string(kind->name), log10_lr});
  }
  return figures;
}

match::HaplotypeFigures Beside::haplotype_of(const RowView& first, const RowView& second,
                                             SiteClass of) const {
  const stats::HaplotypeCounts counts = stats::count_haplotype(first, second, classes_.mask(of));
  match::HaplotypeFigures figures{
      .mismatches = counts.mismatches, .compared = counts.compared, .word = {}, .probability = {}};
  if (const auto word = stats::haplotype_word(counts, parameters_.error_rate)) figures.word = name_of(*word);
  return figures;
}

match::BesideFigures Beside::of_people(const RowView& first, const stats::SexFindings& first_sex,
                                       const RowView& second, const stats::SexFindings& second_sex,
                                       XRelation relation) const {
  match::BesideFigures figures{.first_sex = text_of(first_sex.sex),
                               .second_sex = text_of(second_sex.sex),
                               .first_copies = first_sex.x_copies.value_or(0),
                               .second_copies = second_sex.x_copies.value_or(0),
                               .x = {},
                               .y = {},
                               .m = {}};
  if (classes_.has(SiteClass::kX))
    figures.x = first_sex.x_copies && second_sex.x_copies
                    ? x_of(first, *first_sex.x_copies, second, *second_sex.x_copies, relation)
                    : match::XFigures{};
  const bool woman = first_sex.sex == Sex::kFemale || second_sex.sex == Sex::kFemale;
  if (classes_.has(SiteClass::kY))
    figures.y = woman ? match::HaplotypeFigures{} : haplotype_of(first, second, SiteClass::kY);
  if (classes_.has(SiteClass::kM)) figures.m = haplotype_of(first, second, SiteClass::kM);
  return figures;
}

match::BesideFigures Beside::of_mixture(const RowView& mixture, const RowView& person) const {
  match::BesideFigures figures;
  const auto not_seen = [&](SiteClass of) {
    const auto [mismatches, compared] = stats::not_seen_in_mixture(mixture, person, classes_.mask(of));
    return match::HaplotypeFigures{
        .mismatches = mismatches, .compared = compared, .word = {}, .probability = {}};
  };
  if (classes_.has(SiteClass::kY))
    figures.y = sex_of(person).sex == Sex::kFemale ? match::HaplotypeFigures{} : not_seen(SiteClass::kY);
  if (classes_.has(SiteClass::kM)) figures.m = not_seen(SiteClass::kM);
  return figures;
}

/// Of the other stored profiles: the listed one is not among them.
void Beside::count_agreeing(const match::CountHistograms& tally, std::size_t query, std::uint32_t sites,
                            engine::Comparison comparison, match::HaplotypeFigures& found) const {
  const bool mixture = comparison == engine::Comparison::kMixture;
  if (!stats::covers(found.compared, sites)) return;
  if (!mixture && found.word != name_of(stats::HaplotypeWord::kAgree)) return;
  const std::span<const std::uint64_t> profiles(tally.of_query(query));
  const auto sum = [](std::span<const std::uint64_t> of) { return std::reduce(of.begin(), of.end()); };
  found.others = sum(profiles) - 1;
  found.agreeing = sum(profiles.first(mixture ? found.mismatches + std::size_t{1} : 1)) - 1;
  found.probability = stats::haplotype_probability(found.agreeing, found.others, parameters_.theta);
}

void Beside::report(const BlockSource& database, const match::Queries& queries, engine::Comparison comparison,
                    const HaplotypeTallies& tallies, std::size_t threads,
                    std::vector<match::QueryMatches>& matches) const {
  if (!any()) return;
  in_parallel(matches.size(), threads, [&](std::size_t q) {
    const RowView query = queries.whole_row(q);
    const bool of_mixture =
        comparison == engine::Comparison::kMixture || comparison == engine::Comparison::kReverseMixture;
    const stats::SexFindings sex = sex_of(query);
    const std::uint32_t y_sites = haplotype_sites(query, classes_.mask(SiteClass::kY), comparison),
                        m_sites = haplotype_sites(query, classes_.mask(SiteClass::kM), comparison);
    match::QueryMatches& of = matches[q];
    if (comparison == engine::Comparison::kMixture && classes_.has(SiteClass::kY))
      of.beside.paternal_lines =
          stats::least_paternal_lines(query, classes_.mask(SiteClass::kY), parameters_.error_rate);
    if (comparison != engine::Comparison::kMixture) {
      of.beside.sex = text_of(sex.sex);
      of.beside.x_copies = sex.x_copies.value_or(0);
    }
    for_each_stored(database, of.rows, [&](match::MatchRow& row, const RowView& stored) {
      if (of_mixture) {
        const bool reverse = comparison == engine::Comparison::kReverseMixture;
        row.beside = reverse ? this->of_mixture(stored, query) : this->of_mixture(query, stored);
        if (reverse) return;
      } else {
        const XRelation relation = comparison == engine::Comparison::kIdentity
                                       ? XRelation{Relation::kSame}
                                       : x_relation_named(row.kin->relation, row.kin->linked.has_value());
        row.beside = of_people(query, sex, stored, sex_of(stored), relation);
      }
      if (row.beside->y) count_agreeing(tallies.y, q, y_sites, comparison, *row.beside->y);
      if (row.beside->m) count_agreeing(tallies.m, q, m_sites, comparison, *row.beside->m);
    });
  });
}

}  // namespace fastid::asking
