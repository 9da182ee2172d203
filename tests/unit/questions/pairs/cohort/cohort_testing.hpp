/// \file
/// Cohorts by name, for the tests of what is made of their pairs.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "questions/pairs/cohort.hpp"
#include "support/temp_folder.hpp"

namespace fastid::pairs::testing {

/// A database of these ids, the pairs that were found in it, and what was expected.
class Cohort {
 public:
  explicit Cohort(std::vector<std::string> ids, std::vector<std::string> others = {})
      : ids_(std::move(ids)), others_(std::move(others)) {
    options_.facts.database = {.path = "people.h5", .n_profiles = ids_.size()};
    options_.ids = ids_;
    options_.second_ids = others_;
    if (!others_.empty())
      options_.facts.second = match::PairsDatabase{.path = "others.h5", .n_profiles = others_.size()};
    options_.facts.min_kinship = 0.0884;
  }
  Cohort(const testing::Cohort&) = delete;

  CohortOptions& options() { return options_; }
  std::uint64_t row(std::string_view id, bool second = false) const {
    const std::vector<std::string>& ids = second && !others_.empty() ? others_ : ids_;
    return static_cast<std::uint64_t>(std::ranges::find(ids, id) - ids.begin());
  }

  /// A pair whose relation the evidence names.
  testing::Cohort& found(std::string_view a, std::string_view b, const std::string& relation = "same") {
    const std::uint64_t first = row(a), second = row(b, true);
    const bool in_order = !others_.empty() || first < second;
    pairs_.push_back({.first = in_order ? first : second,
                      .second = in_order ? second : first,
                      .compared = 1000,
                      .kinship = 0.25,
                      .relation = relation});
    return *this;
  }
  testing::Cohort& add(const match::ClosePair& pair) {
    pairs_.push_back(pair);
    return *this;
  }
  testing::Cohort& expecting(const std::string& text) {
    options_.expect = folder_.write("expected", text);
    return *this;
  }

  CohortTable table() const { return CohortAnalysis(options_).table(pairs_); }

  /// "A+B same", by the table's profiles.
  static std::string names(const CohortTable& table, std::size_t a, std::size_t b) {
    return table.profiles[a].id + "+" + table.profiles[b].id;
  }

  /// The pairs of an outcome: "A+B", and of an expected relation "A+B sibling".
  static std::vector<std::string> judged(const CohortTable& table, Outcome outcome) {
    std::vector<std::string> pairs;
    for (const JudgedPair& pair : table.expectation->judged)
      if (pair.outcome == outcome)
        pairs.push_back(names(table, pair.first, pair.second) +
                        (pair.expected.empty() ? "" : " " + std::string(pair.expected)));
    return pairs;
  }

  /// "A>B" of an exchange, "A>B>C" of a longer one, and its alternatives: "A>B or C>D".
  static std::vector<std::string> exchanges(const CohortTable& table) {
    std::vector<std::string> all;
    const auto text = [&](const std::vector<std::size_t>& profiles) {
      std::string names;
      for (const std::size_t profile : profiles)
        names += (names.empty() ? "" : ">") + table.profiles[profile].id;
      return names;
    };
    for (const LabelExchange& exchange : table.expectation->exchanges) {
      all.push_back(text(exchange.profiles));
      for (const auto& other : exchange.alternatives) all.back() += " or " + text(other);
    }
    return all;
  }

 private:
  std::vector<std::string> ids_, others_;
  std::vector<match::ClosePair> pairs_;
  CohortOptions options_;
  fastid::testing::TempFolder folder_;
};

}  // namespace fastid::pairs::testing
