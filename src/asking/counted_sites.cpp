#include "asking/counted_sites.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "panel/listed_sites.hpp"

namespace fastid::asking {
namespace {

/// The only class that a panel without autosomal sites can be asked about, where there is one.
std::optional<SiteClass> only_haplotype(const SiteClasses& classes) {
  if (classes.has(SiteClass::kAutosomal) || classes.has(SiteClass::kX)) return std::nullopt;
  if (classes.has(SiteClass::kY) == classes.has(SiteClass::kM)) return std::nullopt;
  return classes.has(SiteClass::kY) ? SiteClass::kY : SiteClass::kM;
}

/// Leaves those of some queries; nothing is there where no query has any.
template <class T>
void keep_places(std::span<const std::size_t> places, std::vector<T>& of_queries) {
  if (of_queries.empty()) return;
  std::vector<T> kept;
  for (const std::size_t place : places) kept.push_back(std::move(of_queries[place]));
  of_queries = std::move(kept);
}

SiteClass chosen(const SiteClasses& classes, std::optional<SiteClass> asked, std::string_view database) {
  if (!asked)
    if (const std::optional<SiteClass> only = only_haplotype(classes)) {
      log::note("{}: its panel has only sites of {}: these are compared, as by --class {}", database,
                name_of(*only), name_of(*only));
      return *only;
    }
  const SiteClass counted = asked.value_or(SiteClass::kAutosomal);
  if (!classes.has(counted))
    throw InputError(
        database, "", fmt::format("its panel has no {} site ({})", name_of(counted), classes.describe()),
        counted == SiteClass::kAutosomal ? "name a database whose panel has some; Y and M are searched by "
                                           "`fastid search --class Y` or M"
                                         : "leave --class out, or name another database");
  return counted;
}

}  // namespace

CountedSites::CountedSites(const db::Reader& reader, std::optional<SiteClass> asked)
    : classes_(reader.panel()), counted_(chosen(classes_, asked, reader.path())) {}

void CountedSites::keep(std::string_view what, match::Queries& queries) const {
  if (all()) return;
  queries.whole = queries.rows;
  queries.rows.keep_sites(mask());
  std::vector<std::size_t> with_sites;
  std::vector<match::QuerySource> sources;
  for (std::size_t i = 0; i < queries.sources.size(); ++i) {
    const match::QuerySource& source = queries.sources[i];
    if (queries.sites_of(i) == 0) {
      log::warn("{}: {} has no called {} site, and is left out", display_name(source.file),
                printable(source.name), name_of(counted_));
      continue;
    }
    with_sites.push_back(i);
    sources.push_back(source);
  }
  if (with_sites.size() == queries.sources.size()) return;
  if (with_sites.empty())
    throw InputError(display_name(queries.sources.front().file), "",
                     fmt::format("no {} has a called {} site of the database's panel: nothing to compare",
                                 what, name_of(counted_)),
                     counted_ == SiteClass::kAutosomal
                         ? "its X, Y and M sites are no evidence; --class Y or M compares "
                           "these haplotypes"
                         : "leave --class out");
  keep_places(with_sites, queries.likelihoods);
  queries.rows.keep_rows(with_sites);
  queries.whole->keep_rows(with_sites);
  keep_places(with_sites, queries.signals);
  keep_places(with_sites, queries.few_reads);
  queries.sources = std::move(sources);
}

std::string sites_beside(const SiteClasses& classes) {
  std::vector<std::string> beside;
  for (const SiteClass of : {SiteClass::kX, SiteClass::kY, SiteClass::kM})
    if (classes.has(of)) beside.push_back(fmt::format("{} {}", with_commas(classes.count(of)), name_of(of)));
  if (beside.empty()) return {};
  std::string list = beside.front();
  for (std::size_t i = 1; i < beside.size(); ++i)
    list += (i + 1 == beside.size() ? " and " : ", ") + beside[i];
  const bool one = beside.size() == 1 && beside.front().starts_with("1 ");
  return fmt::format("{} {}", list, one ? "site is" : "sites are");
}

void say_sites_beside(const SiteClasses& classes) {
  if (const std::string beside = sites_beside(classes); !beside.empty())
    log::note("{} reported beside, not counted as evidence", beside);
}

AutosomalSites::AutosomalSites(const Panel& panel, std::string_view file, const std::string& listed)
    : sites_(panel.sites()) {
  const SiteClasses classes(panel);
  if (classes.all_autosomal() && listed.empty()) return;
  if (!classes.has(SiteClass::kAutosomal))
    throw InputError(file, "", fmt::format("has no autosomal site ({})", classes.parts()),
                     "give genotypes of autosomes: no others are compared");
  places_ = classes.sites(SiteClass::kAutosomal);
  if (!listed.empty()) {
    const std::vector<bool> is_listed = read_listed_sites(panel, listed).is_listed;
    std::erase_if(places_, [&](std::uint32_t place) { return !is_listed[place]; });
    if (places_.empty())
      throw InputError(listed, "", "lists no autosomal site", "list autosomal ones: no others are compared");
  }
  sites_.clear();
  for (const std::uint32_t place : places_) sites_.push_back(panel.sites()[place]);
  if (const std::string beside = sites_beside(classes); listed.empty() && !beside.empty())
    log::note("{}: {} left out, and the {} compared", file, beside,
              count() == 1 ? "autosomal site is" : with_commas(count()) + " autosomal sites are");
}

TurnedBlocks AutosomalSites::keep(TurnedBlocks people, std::uint32_t first) const {
  if (places_.empty()) return people;
  std::vector<std::uint32_t> places;
  for (const std::uint32_t place : places_)
    if (place >= first && place - first < people.view().shape.n_profiles) places.push_back(place - first);
  return people.chosen(places);
}

}  // namespace fastid::asking
