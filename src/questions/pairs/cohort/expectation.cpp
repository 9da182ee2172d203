#include "questions/pairs/cohort/expectation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "base/error.hpp"
#include "base/text.hpp"
#include "base/union_find.hpp"
#include "questions/pairs/cohort/relations.hpp"

namespace fastid::pairs {
namespace {

/// Groups names into persons by the statements of "same", and holds the relations of persons.
class Persons {
 public:
  explicit Persons(const Statements& from) : from_(from), same_(from.names.size()) {
    for (const Statement& statement : from.statements)
      if (statement.relation == kSame) same_.join(statement.first, statement.second);
    for (std::size_t name = 0; name < from.names.size(); ++name) {
      std::vector<Node>& nodes = nodes_[same_.find(name)];
      nodes.insert(nodes.end(), from.names[name].nodes.begin(), from.names[name].nodes.end());
    }
    for (const Statement& statement : from.statements)
      if (statement.relation != kSame) relate(statement);
  }

  std::vector<ExpectedPair> pairs() const {
    check_number();
    std::vector<ExpectedPair> pairs;
    for (const auto& [person, nodes] : nodes_)
      for (std::size_t b = 1; b < nodes.size(); ++b)
        for (std::size_t a = 0; a < b; ++a) add(nodes[a], nodes[b], kSame, pairs);
    for (const auto& [persons, statement] : relations_)
      if (statement->relation != kUnrelated)
        for (const Node a : nodes_.at(persons.first))
          for (const Node b : nodes_.at(persons.second)) add(a, b, statement->relation, pairs);
    std::ranges::sort(pairs, {}, [](const ExpectedPair& pair) { return std::tie(pair.first, pair.second); });
    return pairs;
  }

 private:
  static void add(Node a, Node b, std::string_view relation, std::vector<ExpectedPair>& pairs) {
    pairs.push_back({std::min(a, b), std::max(a, b), relation});
  }

  void relate(const Statement& statement) {
    const auto [a, b] = std::minmax({same_.find(statement.first), same_.find(statement.second)});
    if (a == b) contradict(statement, "the same person by other lines");
    const auto [at, is_new] = relations_.try_emplace({a, b}, &statement);
    if (!is_new && at->second->relation != statement.relation)
      contradict(statement, fmt::format("{} by line {}", at->second->relation, at->second->line));
  }

  [[noreturn]] void contradict(const Statement& statement, std::string_view otherwise) const {
    throw InputError(
        from_.path, fmt::format("line {}", statement.line),
        fmt::format("{} and {} are {} here, but {}", printable(from_.names[statement.first].text),
                    printable(from_.names[statement.second].text), statement.relation, otherwise),
        "leave out what is wrong");
  }

  void check_number() const {
    std::size_t n = 0;
    for (const auto& [person, nodes] : nodes_) n += nodes.size() * (nodes.size() - 1) / 2;
    for (const auto& [persons, statement] : relations_)
      n += nodes_.at(persons.first).size() * nodes_.at(persons.second).size();
    if (n > kMostExpected)
      throw InputError(from_.path, "", fmt::format("expects more than {} pairs", with_commas(kMostExpected)),
                       "name fewer people as the same person, or as relatives");
  }

  const Statements& from_;
  UnionFind same_;
  std::map<std::size_t, std::vector<Node>> nodes_;  ///< by person
  std::map<std::pair<std::size_t, std::size_t>, const Statement*> relations_;
};

}  // namespace

std::vector<ExpectedPair> expected_pairs(const Statements& statements) {
  return Persons(statements).pairs();
}

Outcome outcome_of(const ExpectedPair* expected, const FoundPair* found, const Absence& absence) {
  if (expected == nullptr) return Outcome::kUnexpected;
  if (found == nullptr) return absence(*expected);
  return agrees(expected->relation, found->relation) ? Outcome::kFound : Outcome::kOtherRelation;
}

std::vector<Judged> judge(const std::vector<ExpectedPair>& expected, const std::vector<FoundPair>& found,
                          const Absence& absence) {
  std::vector<Judged> judged;
  const auto key = [](const auto& pair) { return std::pair(pair.first, pair.second); };
  auto e = expected.begin();
  auto f = found.begin();
  while (e != expected.end() || f != found.end()) {
    const bool is_expected = e != expected.end() && (f == found.end() || key(*e) <= key(*f));
    const bool is_found = f != found.end() && (e == expected.end() || key(*f) <= key(*e));
    const auto [first, second] = is_expected ? key(*e) : key(*f);
    Judged pair{.first = first, .second = second};
    pair.outcome = outcome_of(is_expected ? &*e : nullptr, is_found ? &*f : nullptr, absence);
    if (is_expected) pair.expected = e++->relation;
    if (is_found) pair.pair = f++->index;
    judged.push_back(pair);
  }
  return judged;
}

}  // namespace fastid::pairs
