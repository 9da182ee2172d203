#include "stats/internal/peeling.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>

#include "base/error.hpp"

namespace fastid::stats {
namespace {

/// P(a child has 0, 1, 2 minor copies | its parents have f and m).
Probabilities child_of(std::size_t f, std::size_t m) {
  const double from_f = static_cast<double>(f) / 2, from_m = static_cast<double>(m) / 2;
  return {(1 - from_f) * (1 - from_m), from_f * (1 - from_m) + (1 - from_f) * from_m, from_f * from_m};
}

Polynomial operator*(const Polynomial& a, const Polynomial& b) {
  Polynomial product(a.size() + b.size() - 1);
  for (std::size_t i = 0; i < a.size(); ++i)
    for (std::size_t j = 0; j < b.size(); ++j) product[i + j] += a[i] * b[j];
  return product;
}

void add(double weight, const Polynomial& terms, Polynomial& sum) {
  sum.resize(std::max(sum.size(), terms.size()));
  for (std::size_t m = 0; m < terms.size(); ++m) sum[m] += weight * terms[m];
}

Polynomial mean_of(const ByGenotype& polynomials, const Probabilities& weights) {
  Polynomial sum{0};
  for (std::size_t g = 0; g < kGenotypes; ++g) add(weights[g], polynomials[g], sum);
  return sum;
}

const ByGenotype kNothingKnown{Polynomial{1}, Polynomial{1}, Polynomial{1}};
const ByGenotype kFounder{Polynomial{1}, Polynomial{0, 2}, Polynomial{0, 0, 1}};
constexpr Probabilities kAll{1, 1, 1};

/// Scales the largest coefficient to 1, so that large families do not underflow.
void scale(ByGenotype& polynomials) {
  double largest = 0;
  for (const Polynomial& polynomial : polynomials) largest = std::max(largest, std::ranges::max(polynomial));
  if (largest == 0) return;
  for (Polynomial& polynomial : polynomials)
    for (double& coefficient : polynomial) coefficient /= largest;
}

/// Parts of a graph that grow together as its edges are added.
class Parts {
 public:
  explicit Parts(std::size_t nodes) : next_(nodes) { std::iota(next_.begin(), next_.end(), std::size_t{0}); }

  std::size_t of(std::size_t node) const {
    while (next_[node] != node) node = next_[node];
    return node;
  }
  /// False where the two are joined already: one more edge closes a loop.
  bool join(std::size_t a, std::size_t b) {
    const std::size_t part = of(a), other = of(b);
    next_[part] = other;
    return part != other;
  }

 private:
  std::vector<std::size_t> next_;
};

/// "person mother"; "member 3" where the member has no name.
std::string place_of(std::span<const Member> members, std::size_t member) {
  return member < members.size() && !members[member].name.empty() ? "person " + members[member].name
                                                                  : fmt::format("member {}", member + 1);
}

void check_members(std::span<const Member> members, std::size_t missing, std::string_view source) {
  if (members.size() > kMostMembers)
    throw InputError(source, "", fmt::format("the family has {} members", members.size()),
                     fmt::format("list at most {}, the nearest relatives", kMostMembers));
  const auto refuse = [&](std::size_t member, std::string_view problem, std::string_view cure) {
    throw InputError(source, place_of(members, member), problem, cure);
  };
  if (missing >= members.size()) refuse(missing, "the missing member is not listed", "list all members");
  if (members[missing].typed)
    refuse(missing, "the missing member is typed", "leave the genotypes out, or ask for another member");
  for (std::size_t i = 0; i < members.size(); ++i)
    for (const auto& parent : {members[i].father, members[i].mother})
      if (parent && *parent >= members.size())
        refuse(i, fmt::format("its parent, member {}, is not listed", *parent + 1), "list all members");
}

}  // namespace

Peeling::Peeling(std::span<const Member> members, std::size_t missing, std::string_view source)
    : people_(members.size()) {
  check_members(members, missing, source);
  const auto person = [&](const std::optional<std::size_t>& listed) {
    if (listed) return *listed;
    people_.emplace_back();
    return people_.size() - 1;
  };
  // The nodes are all people, with at most one unlisted parent for each member, then the marriages.
  const std::size_t most_people = 2 * members.size();
  Parts parts(most_people + members.size());
  for (std::size_t i = 0; i < members.size(); ++i) {
    const auto& [father, mother, typed, name] = members[i];
    if (!father && !mother) continue;
    const std::size_t known = marriages_.size(), marriage = marriage_of({person(father), person(mother)}),
                      node = most_people + marriage;
    people_[i].parents = marriage;
    marriages_[marriage].children.push_back(i);
    bool is_tree = parts.join(node, i);
    if (marriage == known)
      for (const std::size_t parent : marriages_[marriage].parents) is_tree &= parts.join(node, parent);
    if (!is_tree)
      throw InputError(
          source, place_of(members, i),
          "with it the family has a loop: its ancestors are related by blood or by more than one marriage",
          "leave out the people that close the loop");
  }
  std::vector<bool> rooted(most_people + members.size());
  const auto root = [&](std::size_t at) {
    if (!rooted[parts.of(at)]) roots_.push_back(at);
    rooted[parts.of(at)] = true;
  };
  root(missing);
  for (std::size_t at = 0; at < people_.size(); ++at) root(at);
}

std::size_t Peeling::marriage_of(const std::array<std::size_t, 2>& parents) {
  const auto known = std::ranges::find(marriages_, parents, &Marriage::parents);
  if (known != marriages_.end()) return static_cast<std::size_t>(known - marriages_.begin());
  for (const std::size_t parent : parents) people_[parent].marriages.push_back(marriages_.size());
  marriages_.push_back({parents, {}});
  return marriages_.size() - 1;
}

std::size_t Peeling::n_founders() const {
  return static_cast<std::size_t>(std::ranges::count(people_, kNone, &Person::parents));
}

/// All that is seen of a person and beyond the person's marriages and parents, but for one marriage.
ByGenotype Peeling::about(std::size_t person, std::size_t but,
                          std::span<const Probabilities> evidence) const {
  const Person& at = people_[person];
  ByGenotype about = at.parents == kNone ? kFounder
                     : at.parents == but ? kNothingKnown
                                         : message(at.parents, person, evidence);
  if (person < evidence.size())
    for (std::size_t g = 0; g < kGenotypes; ++g)
      for (double& coefficient : about[g]) coefficient *= evidence[person][g];
  for (const std::size_t marriage : at.marriages)
    if (marriage != but) {
      const ByGenotype beyond = message(marriage, person, evidence);
      for (std::size_t g = 0; g < kGenotypes; ++g) about[g] = about[g] * beyond[g];
    }
  return about;
}

/// All that is seen beyond a marriage, for one of the parents or children.
ByGenotype Peeling::message(std::size_t marriage, std::size_t to,
                            std::span<const Probabilities> evidence) const {
  const auto& [parents, children] = marriages_[marriage];
  const auto told = [&](std::size_t person) {
    return person == to ? kNothingKnown : about(person, marriage, evidence);
  };
  const ByGenotype first = told(parents[0]), second = told(parents[1]);
  std::vector<ByGenotype> offspring;
  for (const std::size_t child : children)
    if (child != to) offspring.push_back(told(child));
  ByGenotype message{Polynomial{0}, Polynomial{0}, Polynomial{0}};
  for (std::size_t f = 0; f < kGenotypes; ++f)
    for (std::size_t m = 0; m < kGenotypes; ++m) {
      const Probabilities child = child_of(f, m);
      Polynomial all = first[f] * second[m];
      for (const ByGenotype& one : offspring) all = all * mean_of(one, child);
      if (to == parents[0]) add(1, all, message[f]);
      if (to == parents[1]) add(1, all, message[m]);
      if (to != parents[0] && to != parents[1])
        for (std::size_t g = 0; g < kGenotypes; ++g) add(child[g], all, message[g]);
    }
  scale(message);
  return message;
}

ByGenotype Peeling::of_missing(std::span<const Probabilities> evidence) const {
  ByGenotype seen = about(roots_.front(), kNone, evidence);
  for (const std::size_t root : std::span(roots_).subspan(1)) {
    const Polynomial apart = mean_of(about(root, kNone, evidence), kAll);
    for (Polynomial& polynomial : seen) polynomial = polynomial * apart;
  }
  return seen;
}

}  // namespace fastid::stats
