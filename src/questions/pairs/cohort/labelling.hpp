/// \file
/// The labels of a cohort on its profiles, and the pairs that are wrong with this placement.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "base/union_find.hpp"
#include "questions/pairs/cohort/expectation.hpp"

namespace fastid::pairs {

/// A label, or the profile that it lies on at first: an index among all nodes that have an expected or a
/// found pair.
using Label = std::size_t;
using Place = std::size_t;

class Labelling {
 public:
  /// \param expected, found  in order; must outlive this object
  Labelling(const std::vector<ExpectedPair>& expected, const std::vector<FoundPair>& found,
            const Absence& absence);

  std::size_t size() const { return nodes_.size(); }
  Node node(Label label) const { return nodes_[label]; }
  Place place_of(Label label) const { return places_[label]; }
  void exchange(Label a, Label b);

  /// Whether two labels have the same expected pairs, since they are one person's.
  bool are_one(Label a, Label b) const { return persons_[a] == persons_[b]; }

  /// kFound also where the pair is neither expected nor found.
  Outcome outcome(Label a, Label b) const;
  bool is_wrong(Label a, Label b) const;
  /// The wrong pairs of a label.
  std::uint64_t n_wrong(Label label) const;
  /// The number by which wrong pairs decrease if two labels are exchanged.
  std::int64_t gain(Label a, Label b) const;

  /// Passes each label that has an expected or a found pair with this one to `see`; some twice.
  template <class See>
  void for_each_neighbour(Label label, const See& see) const {
    for (const Expected& of : expected_[label]) see(of.other);
    for (const Found& by : found_[places_[label]]) see(labels_[by.other]);
  }

  /// Passes to `see` each label whose exchange with this one may meet an expected pair that is not met now;
  /// some labels more than once, and labels of the same person too.
  template <class See>
  void for_each_candidate(Label label, const See& see) const {
    for (const Expected& of : expected_[label])
      if (!is_met(label, of))
        for (const Found& by : found_[places_[of.other]]) see(labels_[by.other]);
    for (const Found& by : found_[places_[label]]) {
      const Label middle = labels_[by.other];
      for (const Expected& of : expected_[middle])
        if (!is_met(middle, of)) see(of.other);
    }
  }

  /// The labels that are expected to be in a pair with this one.
  std::vector<Label> expected_with(Label label) const;

  std::uint64_t steps() const { return steps_; }

 private:
  struct Expected {
    Label other = 0;
    const ExpectedPair* pair = nullptr;
  };
  struct Found {
    Place other = 0;
    const FoundPair* pair = nullptr;
  };

  Label label_of(Node node) const;
  const ExpectedPair* expected(Label a, Label b) const;
  const FoundPair* found(Place a, Place b) const;
  bool is_wrong(const ExpectedPair* expected, const FoundPair* found) const;
  bool is_met(Label label, const Expected& of) const;
  std::uint64_t n_wrong_at(Label label, Place place, Label but) const;

  const Absence& absence_;
  std::vector<Node> nodes_;
  std::vector<std::vector<Expected>> expected_;  ///< by label, sorted
  std::vector<std::vector<Found>> found_;        ///< by place, sorted
  std::vector<Place> places_;                    ///< by label
  std::vector<Label> labels_;                    ///< by place
  std::vector<std::size_t> persons_;             ///< by label
  mutable std::uint64_t steps_ = 0;
};

}  // namespace fastid::pairs
