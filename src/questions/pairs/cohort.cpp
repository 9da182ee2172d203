#include "questions/pairs/cohort.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/log.hpp"
#include "base/text.hpp"
#include "base/union_find.hpp"
#include "questions/pairs/cohort/exchanges.hpp"
#include "questions/pairs/cohort/expectation.hpp"
#include "questions/pairs/cohort/groups.hpp"
#include "questions/pairs/cohort/relations.hpp"
#include "questions/pairs/cohort/roster.hpp"
#include "questions/pairs/cohort/sexes.hpp"
#include "questions/pairs/cohort/statements.hpp"
#include "questions/pairs/cohort/unrelated.hpp"

namespace fastid::pairs {

namespace {

class Builder {
 public:
  Builder(const CohortOptions& options, const Roster& roster, const std::optional<Expected>& expected)
      : options_(options), roster_(roster), expected_(expected) {}

  CohortTable table(std::vector<match::ClosePair> pairs) {
    table_.facts = options_.facts;
    std::ranges::sort(pairs, {},
                      [](const match::ClosePair& pair) { return std::tie(pair.first, pair.second); });
    std::optional<Met> met;
    if (expected_) met = meet(pairs);
    name_profiles(pairs, met);
    take_pairs(std::move(pairs));
    table_.groups = fastid::pairs::groups_of(table_.pairs, table_.profiles.size());
    if (met) take_expectation(*met);
    if (options_.unrelated) choose_unrelated();
    return std::move(table_);
  }

 private:
  /// How the expectation was met, by nodes, before nodes have places in the table.
  struct Met {
    std::vector<Judged> judged;
    FoundExchanges exchanges;
    fastid::pairs::CheckedSexes sexes;
  };

  Node second_of(const match::ClosePair& pair) const {
    return roster_.node(roster_.has_two() ? 1 : 0, pair.second);
  }

  bool is_expected(Node first, Node second) const {
    return std::ranges::binary_search(expected_->pairs, std::pair(first, second), {},
                                      [](const auto& pair) { return std::pair(pair.first, pair.second); });
  }

  /// The pairs of relatives that were found. An undecided pair counts where it is expected.
  std::vector<FoundPair> found_among(const std::vector<match::ClosePair>& pairs) const {
    std::vector<FoundPair> found;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const std::string_view relation = fastid::pairs::relation_of(pairs[i], options_.facts);
      const Node first = pairs[i].first, second = second_of(pairs[i]);
      if (fastid::pairs::is_related(relation) ||
          (relation == fastid::pairs::kUndecided && is_expected(first, second)))
        found.push_back({first, second, relation, i});
    }
    return found;
  }

  bool was_compared(Node first, Node second) const {
    if (roster_.has_two() && roster_.database_of(first) == roster_.database_of(second)) return false;
    return !options_.compared || options_.compared(roster_.row_of(first), roster_.row_of(second));
  }

  Met meet(const std::vector<match::ClosePair>& pairs) const {
    const std::vector<FoundPair> found = found_among(pairs);
    const Absence absence = [this](const ExpectedPair& pair) {
      if (!was_compared(pair.first, pair.second)) return Outcome::kNotCompared;
      return fastid::pairs::must_be_found(pair.relation, options_.facts) ? Outcome::kMissing
                                                                         : Outcome::kBelow;
    };
    return {fastid::pairs::judge(expected_->pairs, found, absence),
            fastid::pairs::find_exchanges(expected_->pairs, found, absence, roster_),
            options_.sexes ? fastid::pairs::check_sexes(expected_->from, roster_, options_.sexes)
                           : fastid::pairs::CheckedSexes{}};
  }

  void name_profiles(const std::vector<match::ClosePair>& pairs, const std::optional<Met>& met) {
    for (const match::ClosePair& pair : pairs) nodes_.insert(nodes_.end(), {pair.first, second_of(pair)});
    if (met) {
      for (const Judged& pair : met->judged) nodes_.insert(nodes_.end(), {pair.first, pair.second});
      for (const fastid::pairs::OtherSex& of : met->sexes.contradicted) nodes_.push_back(of.node);
    }
    std::ranges::sort(nodes_);
    nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
    for (const Node node : nodes_)
      table_.profiles.push_back({roster_.database_of(node), roster_.row_of(node), roster_.id(node)});
  }

  std::size_t profile_of(Node node) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(nodes_, node) - nodes_.begin());
  }

  std::vector<std::size_t> profiles_of(const std::vector<Node>& nodes) const {
    std::vector<std::size_t> profiles;
    for (const Node node : nodes) profiles.push_back(profile_of(node));
    return profiles;
  }

  void take_pairs(std::vector<match::ClosePair> pairs) {
    table_.pairs.reserve(pairs.size());
    for (match::ClosePair& pair : pairs) {
      const std::string_view relation = fastid::pairs::relation_of(pair, options_.facts);
      table_.pairs.push_back(
          {profile_of(pair.first), profile_of(second_of(pair)), std::move(pair), relation});
    }
  }

  void take_expectation(const Met& of) {
    CohortExpectation& to = table_.expectation.emplace();
    to.path = expected_->from.path;
    to.sha256 = expected_->from.sha256;
    to.kind = expected_->from.kind;
    to.n_expected = expected_->pairs.size();
    to.n_present = expected_->from.names.size();
    to.n_absent = expected_->from.n_absent;
    for (const Judged& pair : of.judged) {
      to.judged.push_back(
          {profile_of(pair.first), profile_of(pair.second), pair.outcome, pair.expected, pair.pair});
      ++to.outcomes[static_cast<std::size_t>(pair.outcome)];
    }
    for (const NodeExchange& exchange : of.exchanges.exchanges) {
      to.exchanges.push_back({profiles_of(exchange.nodes),
                              exchange.missing_found,
                              exchange.unexpected_gone,
                              exchange.made_wrong,
                              {}});
      for (const std::vector<Node>& nodes : exchange.alternatives)
        to.exchanges.back().alternatives.push_back(profiles_of(nodes));
    }
    to.exchanges_cut = of.exchanges.cut;
    to.n_sexes = of.sexes.n_checked;
    for (const fastid::pairs::OtherSex& sex : of.sexes.contradicted)
      to.sexes.push_back({profile_of(sex.node), sex.stated, sex.found});
  }

  /// Chooses all rows that are in no near pair, and as many as possible of the rows that near pairs connect.
  void choose_unrelated() {
    UnrelatedSet& set = table_.unrelated.emplace();
    set.kinship = options_.unrelated_kinship;
    if (!set.kinship && !options_.facts.max_mismatch_rate) set.kinship = options_.facts.min_kinship;
    std::vector<bool> left_out(options_.ids.size());
    for (const NearSet& near : near_sets()) {
      const ChosenMembers chosen = fastid::pairs::largest_unrelated(near.members.size(), near.pairs);
      for (const std::size_t profile : near.members) left_out[table_.profiles[profile].row] = true;
      for (const std::size_t member : chosen.members)
        left_out[table_.profiles[near.members[member]].row] = false;
      if (!chosen.exact) ++set.greedy_groups, set.greedy_members += near.members.size();
    }
    for (std::uint64_t row = 0; row < left_out.size(); ++row) {
      if (options_.takes_part && !options_.takes_part(row)) continue;
      ++set.n_profiles;
      if (!left_out[row]) set.ids.push_back(options_.ids[row]);
    }
  }

  /// A connected set of profiles in near pairs.
  struct NearSet {
    std::vector<std::size_t> members;                        ///< profiles, ascending
    std::vector<std::pair<std::size_t, std::size_t>> pairs;  ///< of indices of members
  };

  bool is_near(const CohortPair& pair) const {
    constexpr double kRounding = 1e-10;  // kinships are fractions of far larger steps
    return !options_.unrelated_kinship || pair.close.kinship + kRounding >= *options_.unrelated_kinship;
  }

  std::vector<NearSet> near_sets() const {
    UnionFind connected(table_.profiles.size());
    std::vector<bool> is_in_pair(table_.profiles.size());
    for (const CohortPair& pair : table_.pairs) {
      if (!is_near(pair)) continue;
      connected.join(pair.first, pair.second);
      is_in_pair[pair.first] = is_in_pair[pair.second] = true;
    }
    std::vector<NearSet> sets;
    std::map<std::size_t, std::size_t> set_of;  // by root
    std::vector<std::size_t> place(table_.profiles.size());
    for (std::size_t profile = 0; profile < place.size(); ++profile) {
      if (!is_in_pair[profile]) continue;
      const auto [at, is_new] = set_of.try_emplace(connected.find(profile), sets.size());
      if (is_new) sets.emplace_back();
      std::vector<std::size_t>& members = sets[at->second].members;
      place[profile] = members.size();
      members.push_back(profile);
    }
    for (const CohortPair& pair : table_.pairs)
      if (is_near(pair))
        sets[set_of.at(connected.find(pair.first))].pairs.emplace_back(place[pair.first], place[pair.second]);
    return sets;
  }

  const CohortOptions& options_;
  const Roster& roster_;
  const std::optional<Expected>& expected_;
  std::vector<Node> nodes_;  ///< of each profile of the table
  CohortTable table_;
};

}  // namespace

struct CohortAnalysis::Impl {
  explicit Impl(CohortOptions of) : options(std::move(of)), roster(options) {
    if (options.expect.empty()) return;
    expected.emplace(Expected{.from = fastid::pairs::read_statements(options.expect, roster), .pairs = {}});
    expected->pairs = fastid::pairs::expected_pairs(expected->from);
    log::note("{}: read as {}{}", printable(options.expect), expected->from.kind == "pedigree" ? "a " : "",
              expected->from.kind);
  }

  CohortOptions options;
  Roster roster;
  std::optional<Expected> expected;
};

CohortAnalysis::CohortAnalysis(CohortOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
CohortAnalysis::~CohortAnalysis() = default;

CohortTable CohortAnalysis::table(std::vector<match::ClosePair> pairs) const {
  return Builder(impl_->options, impl_->roster, impl_->expected).table(std::move(pairs));
}

}  // namespace fastid::pairs
