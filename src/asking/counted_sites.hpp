/// \file
/// The sites that a question counts: those of one class, as a rule the autosomal ones. Queries are left with
/// these before any engine sees them, so that what is counted of a pair are sites of that class, and no
/// engine knows of classes. Questions about sites have theirs left out in the same way.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bits/rows.hpp"
#include "bits/turned.hpp"
#include "db/database.hpp"
#include "match/queries.hpp"
#include "panel/site_class.hpp"

namespace fastid::asking {

class CountedSites {
 public:
  /// \param asked  no value: the autosomal sites; of a panel with no such site those of Y, or of M, where it
  /// has only these, which is said \throws InputError where the panel has no site of the class
  explicit CountedSites(const db::Reader& reader, std::optional<SiteClass> asked = SiteClass::kAutosomal);

  const SiteClasses& classes() const { return classes_; }
  SiteClass counted() const { return counted_; }
  /// A row of bits, one for each site of the panel.
  std::span<const Word> mask() const { return classes_.mask(counted_); }
  /// Whether all sites are counted, so that nothing is masked.
  bool all() const { return classes_.count(counted_) == classes_.n_sites(); }

  /// Leaves the queries with the counted sites, and keeps their whole rows beside these. Queries without a
  /// counted site are left out with a warning. \param what  "query" \throws InputError where none is left
  void keep(std::string_view what, match::Queries& queries) const;
  /// A stored profile with the counted sites.
  MaskedRow keep(const RowView& stored) const { return {stored, mask()}; }

 private:
  SiteClasses classes_;
  SiteClass counted_;
};

/// "246 X and 829 Y sites are"; "1 M site is"; "" where a panel has none of these.
std::string sites_beside(const SiteClasses& classes);
/// Says once what is reported beside the evidence: "246 X and 829 Y sites are reported beside, not counted as
/// evidence".
void say_sites_beside(const SiteClasses& classes);

/// The autosomal sites of people of whom nothing else is compared.
class AutosomalSites {
 public:
  /// Says once how many sites of each other class are left out. \param listed  a file with the ids of the
  /// sites that are asked for; "": all \throws InputError where none is autosomal; as read_listed_sites()
  AutosomalSites(const Panel& panel, std::string_view file, const std::string& listed = "");

  std::uint32_t count() const { return static_cast<std::uint32_t>(sites_.size()); }
  const std::vector<Site>& sites() const { return sites_; }
  /// \param people  turned on their side, with the sites of the panel from `first` on
  TurnedBlocks keep(TurnedBlocks people, std::uint32_t first = 0) const;

 private:
  std::vector<Site> sites_;
  std::vector<std::uint32_t> places_;  ///< in the panel; empty: all of it
};

}  // namespace fastid::asking
