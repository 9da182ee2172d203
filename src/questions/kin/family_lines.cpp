#include "questions/kin/family_lines.hpp"

#include <algorithm>
#include <queue>
#include <span>
#include <utility>

#include "asking/stored_profiles.hpp"
#include "base/checked.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "stats/haplotype.hpp"

namespace fastid::kin {
namespace {

std::optional<std::size_t> parent_of(const asking::Person& person, Lineage line) {
  return line == Lineage::kPaternal ? person.father : person.mother;
}

bool is_woman(const std::optional<Sex>& sex) {
  return sex == Sex::kFemale;
}

/// The number of births between a person and each other one of the line; no value where the two are not
/// connected.
std::vector<std::optional<std::size_t>> births_from(const asking::FamilyFile& family, Lineage line,
                                                    std::size_t from) {
  std::vector<std::vector<std::size_t>> near(family.people.size());
  for (std::size_t i = 0; i < family.people.size(); ++i)
    if (const auto parent = parent_of(family.people[i], line)) {
      near[i].push_back(*parent);
      near[*parent].push_back(i);
    }
  std::vector<std::optional<std::size_t>> births(family.people.size());
  births[from] = 0;
  std::queue<std::size_t> open({from});
  for (; !open.empty(); open.pop())
    for (const std::size_t other : near[open.front()])
      if (!births[other]) {
        births[other] = *births[open.front()] + 1;
        open.push(other);
      }
  return births;
}

}  // namespace

std::optional<std::size_t> nearest_of_line(const asking::FamilyFile& family, Lineage line, std::size_t from,
                                           const std::function<bool(std::size_t)>& is_wanted) {
  const auto has_line = [&](std::size_t person) {
    return line == Lineage::kMaternal || !is_woman(family.people[person].sex);
  };
  if (!has_line(from)) return std::nullopt;
  const std::vector<std::optional<std::size_t>> births = births_from(family, line, from);
  std::optional<std::size_t> nearest;
  for (std::size_t i = 0; i < births.size(); ++i)
    if (i != from && births[i] && has_line(i) && (!nearest || *births[i] < *births[*nearest]) && is_wanted(i))
      nearest = i;
  return nearest;
}

FamilyLines::FamilyLines(const asking::FamilyFile& family, std::size_t missing,
                         const std::vector<std::optional<std::size_t>>& query_of,
                         const match::Queries& queries, const SiteClasses& classes,
                         const asking::Beside& beside)
    : queries_(queries), classes_(classes), beside_(beside), missing_sex_(family.people[missing].sex) {
  const auto nearest = [&](Lineage line, SiteClass of) -> std::optional<Typed> {
    const auto has_haplotype = [&](std::size_t person) {
      if (!query_of[person]) return false;
      const RowView row = queries.whole_row(*query_of[person]);
      return stats::sites_of_haplotype(row, classes.mask(of)) > 0 &&
             (line == Lineage::kMaternal || !is_woman(beside.sex_of(row).sex));
    };
    const auto person = nearest_of_line(family, line, missing, has_haplotype);
    if (!person) return std::nullopt;
    const std::size_t query = *query_of[*person];
    return Typed{query, beside.sex_of(queries.whole_row(query))};
  };
  if (classes.has(SiteClass::kY)) paternal_ = nearest(Lineage::kPaternal, SiteClass::kY);
  if (classes.has(SiteClass::kM)) maternal_ = nearest(Lineage::kMaternal, SiteClass::kM);
}

std::string FamilyLines::name_of_typed(const std::optional<Typed>& typed) const {
  return typed ? queries_.sources[typed->query].name : "";
}

match::BesideFigures FamilyLines::figures_of(const RowView& stored) const {
  const stats::SexFindings sex = beside_.sex_of(stored);
  const auto against = [&](const Typed& typed) {
    return beside_.of_people(queries_.whole_row(typed.query), typed.sex, stored, sex, asking::XRelation{});
  };
  match::BesideFigures figures;
  if (missing_sex_) figures.first_sex = name_of(*missing_sex_);
  if (sex.sex) figures.second_sex = name_of(*sex.sex);
  figures.second_copies = sex.x_copies.value_or(0);
  if (classes_.has(SiteClass::kX)) figures.x.emplace();
  if (classes_.has(SiteClass::kY)) figures.y.emplace();
  if (classes_.has(SiteClass::kM)) figures.m.emplace();
  if (paternal_) figures.y = against(*paternal_).y;
  if (maternal_) figures.m = against(*maternal_).m;
  return figures;
}

void FamilyLines::report(const BlockSource& database, std::size_t threads,
                         match::QueryMatches& matches) const {
  constexpr std::size_t kPiece = 64;
  if (!beside_.any()) return;
  if (missing_sex_) matches.beside.sex = name_of(*missing_sex_);
  for (const std::span<match::MatchRow> rows : {std::span(matches.rows), std::span(matches.typed_members)})
    in_parallel(ceil_div(rows.size(), kPiece), threads, [&](std::size_t piece) {
      const std::size_t begin = piece * kPiece;
      asking::for_each_stored(
          database, rows.subspan(begin, std::min(kPiece, rows.size() - begin)),
          [&](match::MatchRow& row, const RowView& stored) { row.beside = figures_of(stored); });
    });
}

void say_other_sexes(const asking::FamilyFile& family,
                     const std::vector<std::optional<std::size_t>>& query_of, const match::Queries& queries,
                     const asking::Beside& beside) {
  if (!beside.any()) return;
  for (std::size_t i = 0; i < family.people.size(); ++i) {
    if (!query_of[i] || !family.people[i].sex) continue;
    const std::optional<Sex> found = beside.sex_of(queries.whole_row(*query_of[i])).sex;
    if (found && *found != Sex::kUndecided && *found != *family.people[i].sex)
      log::warn("{}: {} is {} there, and {} by the X and Y of {}", family.path,
                printable(family.people[i].name), name_of(*family.people[i].sex), name_of(*found),
                display_name(queries.sources[*query_of[i]].file));
  }
}

}  // namespace fastid::kin
