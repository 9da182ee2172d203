#include "questions/dvi/event/event.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <set>
#include <span>

#include "base/thread_pool.hpp"
#include "base/union_find.hpp"
#include "questions/dvi/event/assignments.hpp"
#include "questions/dvi/event/pooling.hpp"

namespace fastid::victims {
namespace {

using stats::AssignedPerson;
using stats::FamilyLikelihood;
using stats::PersonReadings;

/// A pair this many deviations below what the member's own remains would have is somebody else.
constexpr double kFarBelow = 6;
/// A posterior below it is none.
constexpr double kNobody = 0.01;
/// Every ratio so near 1 says nothing.
constexpr double kSaysNothing = 1e-9;
constexpr double kExcluded = -4;  ///< a true pair has a ratio below it once in 10^4 times, log10
constexpr double kRise = 0.5;     ///< of the bar of a component with too many assignments, log10
constexpr double kForbidden = std::numeric_limits<double>::quiet_NaN();

/// One run over an event.
class Search {
 public:
  Search(const stats::AlleleModel& model, const std::vector<Family>& families,
         const std::vector<Remains>& remains, const Rules& rules, const std::string& source,
         std::size_t threads)
      : model_(model), families_(families), remains_(remains), rules_(rules), threads_(threads) {
    for (std::size_t f = 0; f < families.size(); ++f) {
      likelihoods_.emplace_back(model, families[f].members, families[f].missing, source);
      for (const std::size_t member : families[f].missing) {
        left_.push_back(findings_.missing.size());
        findings_.missing.push_back({.family = f, .member = member, .log10_lr = {}});
      }
    }
    at_first_ = likelihoods_;
  }

  Findings run(bool power) {
    find_consistency(power);
    find_people();
    const std::size_t most = std::max(findings_.missing.size(), findings_.people.size());
    findings_.log10_odds =
        rules_.odds ? *rules_.odds : -std::log10(static_cast<double>(std::max<std::size_t>(most, 1)));
    update_ratios(left_);
    for (const std::size_t m : left_) findings_.missing[m].log10_lr = ratios_[m];
    while (find_undisputed()) {
    }
    for (const Component& component : components()) findings_.components.push_back(component);
    for (const Component& component : findings_.components) conclude(component);
    find_suspects();
    return std::move(findings_);
  }

 private:
  const Missing& wanted(std::size_t m) const { return findings_.missing[m]; }
  const FamilyLikelihood& family_of(std::size_t m) const { return likelihoods_[wanted(m).family]; }
  /// The place among those of its family who are still missing.
  std::size_t place_of(std::size_t m) const {
    const auto missing = family_of(m).missing();
    return static_cast<std::size_t>(std::ranges::find(missing, wanted(m).member) - missing.begin());
  }
  std::optional<Sex> sex_of(std::size_t m) const {
    return families_[wanted(m).family].sexes[wanted(m).member];
  }
  const std::string& name_of(std::size_t m) const {
    return families_[wanted(m).family].members[wanted(m).member].name;
  }

  void find_consistency(bool power) {
    findings_.consistency.resize(families_.size());
    in_parallel(families_.size(), threads_,
                [&](std::size_t f) { findings_.consistency[f] = likelihoods_[f].consistency(); });
    findings_.power.resize(findings_.missing.size());
    if (power)
      in_parallel(findings_.missing.size(), threads_,
                  [&](std::size_t m) { findings_.power[m] = family_of(m).power(place_of(m)); });
  }

  void find_people() {
    std::vector<std::vector<std::size_t>> groups;
    if (rules_.pool)
      groups = pooled(model_, remains_, rules_.bar, threads_);
    else
      for (std::size_t i = 0; i < remains_.size(); ++i) groups.push_back({i});
    for (std::vector<std::size_t>& group : groups) {
      Person person;
      PersonReadings readings(model_.n_sites());
      for (const std::size_t i : group) {
        readings.add(remains_[i].readings);
        if (remains_[i].sex && person.sex && *person.sex != *remains_[i].sex) person.sexes_differ = true;
        if (remains_[i].sex) person.sex = remains_[i].sex;
      }
      if (person.sexes_differ) person.sex.reset();
      person.called = readings.called();
      person.remains = std::move(group);
      readings_.push_back(std::move(readings));
      findings_.people.push_back(std::move(person));
    }
    unplaced_.assign(readings_.size(), true);
    matrix_ = std::make_unique<stats::PeopleFound>(readings_, model_.n_sites());
  }

  /// log10 of the factor of other evidence; -infinity forbids.
  double factor_of(std::size_t m, std::size_t person) const {
    double sum = 0;
    if (rules_.factors.empty()) return sum;
    for (const std::size_t i : findings_.people[person].remains)
      if (const auto at = rules_.factors.find({name_of(m), remains_[i].id}); at != rules_.factors.end())
        sum += std::log10(at->second);
    return sum;
  }
  bool is_allowed(std::size_t m, std::size_t person) const {
    const std::optional<Sex> sex = sex_of(m), of_person = findings_.people[person].sex;
    return (!sex || !of_person || *sex == *of_person) && std::isfinite(factor_of(m, person));
  }

  /// Makes the ratios of these missing members with everybody anew.
  void update_ratios(const std::vector<std::size_t>& of) {
    constexpr std::size_t kTogether = stats::PeopleFound::kTogether;
    ratios_.resize(findings_.missing.size());
    in_parallel((of.size() + kTogether - 1) / kTogether, threads_, [&](std::size_t batch) {
      const auto some =
          std::span(of).subspan(batch * kTogether, std::min(kTogether, of.size() - batch * kTogether));
      std::vector<Asked> asked;
      for (const std::size_t m : some) asked.push_back({&family_of(m), place_of(m)});
      const std::vector<std::vector<double>> ratios = ratios_of(asked);
      for (std::size_t k = 0; k < some.size(); ++k) {
        ratios_[some[k]] = ratios[k];
        for (std::size_t v = 0; v < readings_.size(); ++v)
          if (!is_allowed(some[k], v)) ratios_[some[k]][v] = kForbidden;
      }
    });
  }

  /// A missing member of a family, by the place among those who are missing.
  struct Asked {
    const FamilyLikelihood* family;
    std::size_t missing;
  };

  /// [asked][person], the lowest of all populations. \param asked  at most PeopleFound::kTogether
  std::vector<std::vector<double>> ratios_of(std::span<const Asked> asked) const {
    std::vector<std::vector<double>> lowest;
    if (model_.blocks() != nullptr) {
      for (const auto& [family, missing] : asked) {
        lowest.emplace_back();
        for (const PersonReadings& person : readings_) {
          const AssignedPerson pair{missing, &person};
          lowest.back().push_back(family->log10_lr({&pair, 1}));
        }
      }
      return lowest;
    }
    std::vector<std::vector<stats::MissingWeights>> weights;
    for (const auto& [family, missing] : asked) weights.push_back(family->weights(missing));
    for (std::size_t population = 0; population < model_.n_populations(); ++population) {
      std::vector<const stats::MissingWeights*> views;
      for (const auto& of_one : weights) views.push_back(&of_one[population]);
      const std::vector<std::vector<double>> ratios = matrix_->log10_lr(model_, views);
      if (lowest.empty()) lowest = ratios;
      for (std::size_t k = 0; k < ratios.size(); ++k)
        std::ranges::transform(ratios[k], lowest[k], lowest[k].begin(),
                               [](double a, double b) { return std::min(a, b); });
    }
    return lowest;
  }

  /// What the ratio of the missing member's own remains would be before anybody was found.
  stats::ExpectedRatio expected_at_first(const Missing& missing, std::size_t person) const {
    const FamilyLikelihood& family = at_first_[missing.family];
    const auto place = std::ranges::find(family.missing(), missing.member) - family.missing().begin();
    const PersonReadings* const as = &readings_[person];
    return family.expected(static_cast<std::size_t>(place), {&as, 1})[0];
  }

  /// Those who could be the missing member as well, ascending. \param above  of those with a ratio above it
  std::vector<std::size_t> rivals_of(std::size_t m, double above) const {
    std::vector<std::size_t> likely, rivals;
    std::vector<const PersonReadings*> as;
    for (std::size_t v = 0; v < readings_.size(); ++v)
      if (unplaced_[v] && ratios_[m][v] >= rules_.bar && ratios_[m][v] > above) {
        likely.push_back(v);
        as.push_back(&readings_[v]);
      }
    if (likely.empty()) return rivals;
    const std::vector<stats::ExpectedRatio> own = family_of(m).expected(place_of(m), as);
    for (std::size_t i = 0; i < likely.size(); ++i)
      if (ratios_[m][likely[i]] > own[i].mean - kFarBelow * own[i].deviation) rivals.push_back(likely[i]);
    return rivals;
  }

  /// The highest and the second highest of some ratios.
  struct Highest {
    double first = -std::numeric_limits<double>::infinity(), second = first;
    void add(double ratio) {
      if (std::isnan(ratio)) return;
      second = std::max(second, std::min(first, ratio));
      first = std::max(first, ratio);
    }
    /// Whether `ratio`, one of them, is `bar` above all the others.
    bool is_apart(double ratio, double bar) const { return ratio == first && !(first - second < bar); }
  };

  /// Names the pairs that nothing speaks against; their remains then type the families. False where there is
  /// none.
  bool find_undisputed() {
    std::vector<Highest> of_person(readings_.size());
    std::map<std::size_t, Highest> of_missing;
    for (const std::size_t m : left_)
      for (std::size_t v = 0; v < readings_.size(); ++v)
        if (unplaced_[v]) {
          of_person[v].add(ratios_[m][v]);
          of_missing[m].add(ratios_[m][v]);
        }
    struct Hit {
      double log10_lr;
      std::size_t missing, person;
    };
    std::vector<Hit> hits;
    for (const std::size_t m : left_)
      for (std::size_t v = 0; v < readings_.size(); ++v) {
        const double ratio = ratios_[m][v];
        // Other evidence against a pair counts, other evidence for it is left to the assignments.
        if (!unplaced_[v] || !(ratio + std::min(0.0, factor_of(m, v)) >= rules_.bar)) continue;
        if (of_missing[m].is_apart(ratio, rules_.bar) && of_person[v].is_apart(ratio, rules_.bar) &&
            rivals_of(m, kExcluded) == std::vector{v})
          hits.push_back({ratio, m, v});
      }
    std::ranges::stable_sort(hits, std::ranges::greater{}, &Hit::log10_lr);
    std::set<std::size_t> touched;
    for (const Hit& hit : hits) {
      Missing& missing = findings_.missing[hit.missing];
      missing.people = {hit.person};
      missing.n_best = 1;
      missing.best_lr = missing.log10_lr[hit.person];
      missing.glr = hit.log10_lr;
      missing.conclusion = Conclusion::kUndisputed;
      missing.expected = expected_at_first(missing, hit.person);
      likelihoods_[missing.family] =
          family_of(hit.missing).with_found(place_of(hit.missing), readings_[hit.person]);
      unplaced_[hit.person] = false;
      std::erase(left_, hit.missing);
      touched.insert(missing.family);
    }
    std::vector<std::size_t> anew;
    for (const std::size_t m : left_)
      if (touched.contains(wanted(m).family)) anew.push_back(m);
    update_ratios(anew);
    return !hits.empty();
  }

  std::vector<std::size_t> candidates_of(std::size_t m, double cut) const {
    std::vector<std::size_t> candidates;
    for (std::size_t v = 0; v < readings_.size(); ++v)
      if (unplaced_[v] && ratios_[m][v] > cut) candidates.push_back(v);
    return candidates;
  }
  Candidates candidates_of(const std::vector<std::size_t>& missing, double cut) const {
    Candidates candidates;
    for (const std::size_t m : missing) candidates.push_back(candidates_of(m, cut));
    return candidates;
  }
  /// Pairs that are not above it are excluded.
  double excluded() const { return -std::max(-kExcluded, rules_.bar); }

  bool says_nothing(std::size_t m) const {
    const auto is_allowed_pair = [](double ratio) { return !std::isnan(ratio); };
    return std::ranges::any_of(ratios_[m], is_allowed_pair) &&
           std::ranges::all_of(ratios_[m], [](double ratio) { return !(std::abs(ratio) >= kSaysNothing); });
  }

  /// Of those who are left, with their assignments.
  std::vector<Component> components() {
    std::vector<Component> all;
    split(left_, excluded(), all);
    alike_.resize(families_.size());
    in_parallel(families_.size(), threads_, [&](std::size_t f) {
      const FamilyLikelihood& family = likelihoods_[f];
      alike_[f] = family.alike([&](std::size_t a, std::size_t b) {
        return families_[f].sexes[family.missing()[a]] == families_[f].sexes[family.missing()[b]];
      });
    });
    in_parallel(all.size(), threads_, [&](std::size_t i) { assign(all[i]); });
    return all;
  }

  /// Adds the parts of missing members who share a family or a candidate. Where one has too many assignments,
  /// pairs of low ratios are left out, first up to the bar, then until it falls into parts that have not.
  void split(const std::vector<std::size_t>& open, double cut, std::vector<Component>& all) {
    for (std::vector<std::size_t>& part : parts_of(open, cut)) {
      double own = cut;
      const auto may_be_too_large = [&] {
        return n_choices(candidates_of(part, own)) > static_cast<double>(rules_.most_assignments);
      };
      const auto is_too_large = [&] { return are_more(candidates_of(part, own), rules_.most_assignments); };
      if (may_be_too_large() && cut == excluded())
        std::erase_if(part, [&](std::size_t m) {
          if (!says_nothing(m)) return false;
          findings_.missing[m].conclusion = Conclusion::kUninformative;
          return true;
        });
      while (own < rules_.bar && may_be_too_large()) own += kRise;
      if (own == cut && is_too_large()) own += kRise;
      for (const std::size_t m : part)
        if (candidates_of(m, own).size() < candidates_of(m, excluded()).size())
          findings_.missing[m].left_out = own;
      if (is_too_large())
        split(part, own, all);
      else
        all.push_back({.missing = std::move(part), .assignments = {}, .least_lr = own});
    }
  }

  /// In the order of their first members.
  std::vector<std::vector<std::size_t>> parts_of(const std::vector<std::size_t>& open, double cut) const {
    UnionFind connected(open.size());
    std::map<std::size_t, std::size_t> of_family, of_person;  // the first place with each
    for (std::size_t i = 0; i < open.size(); ++i) {
      connected.join(i, of_family.try_emplace(wanted(open[i]).family, i).first->second);
      for (const std::size_t v : candidates_of(open[i], cut))
        connected.join(i, of_person.try_emplace(v, i).first->second);
    }
    std::vector<std::vector<std::size_t>> parts(open.size());
    for (std::size_t i = 0; i < open.size(); ++i) parts[connected.find(i)].push_back(open[i]);
    std::erase_if(parts, [](const std::vector<std::size_t>& part) { return part.empty(); });
    return parts;
  }

  using PairsKey = std::vector<std::pair<std::size_t, const PersonReadings*>>;

  /// Pairs of a family by which their ratio is known: who is assigned to those of a set that are alike
  /// counts, not to which of them.
  PairsKey key_of(std::size_t family, std::span<const AssignedPerson> pairs) const {
    PairsKey key;
    for (const AssignedPerson& pair : pairs) {
      const auto set = std::ranges::find_if(alike_[family], [&](const std::vector<std::size_t>& places) {
        return std::ranges::find(places, pair.missing) != places.end();
      });
      key.emplace_back(set->front(), pair.readings);
    }
    std::ranges::sort(key, std::less<>());
    return key;
  }

  void assign(Component& component) const {
    const Candidates candidates = candidates_of(component.missing, component.least_lr);
    std::map<std::pair<std::size_t, PairsKey>, double> known;  // by family and pairs
    const auto weight = [&](std::span<const std::optional<std::size_t>> person) {
      double sum = 0;
      std::map<std::size_t, std::vector<std::size_t>> of_family;  // places in the component
      for (std::size_t i = 0; i < person.size(); ++i)
        if (person[i]) {
          sum += findings_.log10_odds + factor_of(component.missing[i], *person[i]);
          of_family[wanted(component.missing[i]).family].push_back(i);
        }
      for (const auto& [family, places] : of_family) {
        std::vector<AssignedPerson> pairs;
        for (const std::size_t i : places)
          pairs.push_back({place_of(component.missing[i]), &readings_[*person[i]]});
        const auto [at, is_new] = known.try_emplace({family, key_of(family, pairs)}, 0);
        if (is_new) at->second = likelihoods_[family].log10_lr(pairs);
        sum += at->second;
      }
      return sum;
    };
    component.assignments = all_assignments(candidates, weight);
  }

  /// Says what the assignments of a component come to, for each set of missing members that are alike.
  void conclude(const Component& component) {
    std::set<std::size_t> done;
    for (const std::size_t m : component.missing) {
      if (!done.insert(m).second) continue;
      std::vector<std::size_t> set = alike(component, m);
      done.insert(set.begin(), set.end());
      std::vector<std::size_t> places;
      for (const std::size_t of : set)
        places.push_back(
            static_cast<std::size_t>(std::ranges::find(component.missing, of) - component.missing.begin()));
      conclude(component, set, findings_of(component.assignments, places));
    }
  }

  /// The missing members of the component who can be exchanged with this one, who is the first of them.
  std::vector<std::size_t> alike(const Component& component, std::size_t m) const {
    std::vector<std::size_t> set;
    for (const std::vector<std::size_t>& places : alike_[wanted(m).family]) {
      if (std::ranges::find(places, place_of(m)) == places.end()) continue;
      for (const std::size_t of : component.missing)
        if (wanted(of).family == wanted(m).family && std::ranges::find(places, place_of(of)) != places.end())
          set.push_back(of);
    }
    return set;
  }

  /// Whether the family's samples say nothing of this member, alone or together with others.
  bool is_uninformative(const Component& component, std::size_t m) const {
    const auto is_relative = [&](std::size_t of) { return of != m && wanted(of).family == wanted(m).family; };
    return says_nothing(m) && std::ranges::none_of(component.missing, is_relative);
  }

  void conclude(const Component& component, const std::vector<std::size_t>& set,
                const std::vector<PairFinding>& ranked) {
    const std::size_t m = set.front();
    Conclusion conclusion = Conclusion::kNone;
    std::vector<PairFinding> best;
    std::vector<std::size_t> rivals;
    if (is_uninformative(component, m)) {
      conclusion = Conclusion::kUninformative;
    } else if (!ranked.empty() && !(ranked[0].posterior < kNobody)) {
      for (const PairFinding& of : ranked)
        if (of.posterior >= rules_.posterior && of.glr >= rules_.bar) best.push_back(of);
      rivals = rivals_of(m, component.least_lr);
      const std::vector<std::optional<std::size_t>>& assigned = component.assignments[0].person;
      std::erase_if(rivals, [&](std::size_t v) {
        return std::ranges::find(assigned, std::optional(v)) != assigned.end();
      });
      conclusion = !rivals.empty()  ? Conclusion::kDisputed
                   : best.empty()   ? Conclusion::kOpen
                   : set.size() > 1 ? Conclusion::kSymmetric
                                    : Conclusion::kJoint;
      if (best.empty()) best.push_back(ranked[0]);
    }
    for (const std::size_t of : set) {
      Missing& missing = findings_.missing[of];
      missing.conclusion = conclusion;
      missing.alike = set;
      missing.n_best = best.size();
      for (const PairFinding& pair : best) missing.people.push_back(pair.person);
      missing.people.insert(missing.people.end(), rivals.begin(), rivals.end());
      if (best.empty()) continue;
      missing.best_lr = missing.log10_lr[best[0].person];
      missing.glr = best[0].glr;
      missing.posterior = best[0].posterior;
      missing.expected = expected_at_first(missing, best[0].person);
    }
  }

  /// Where nobody was found: who would be without what was read of one member.
  void find_suspects() {
    struct Left {
      std::size_t missing, member;
    };
    std::vector<Left> all;
    for (const std::size_t m : left_)
      if (wanted(m).conclusion == Conclusion::kNone)
        for (std::size_t member = 0; member < family_of(m).members().size(); ++member)
          if (family_of(m).members()[member].readings != nullptr) all.push_back({m, member});
    constexpr std::size_t kTogether = stats::PeopleFound::kTogether;
    std::vector<std::vector<Suspect>> suspects(all.size());
    in_parallel((all.size() + kTogether - 1) / kTogether, threads_, [&](std::size_t batch) {
      const std::size_t first = batch * kTogether, n = std::min(kTogether, all.size() - first);
      std::vector<FamilyLikelihood> without;
      std::vector<Asked> asked;
      for (const auto& [m, member] : std::span(all).subspan(first, n))
        without.push_back(family_of(m).without(member));
      for (std::size_t k = 0; k < n; ++k) asked.push_back({&without[k], place_of(all[first + k].missing)});
      const std::vector<std::vector<double>> ratios = ratios_of(asked);
      for (std::size_t k = 0; k < n; ++k) {
        const auto& [m, member] = all[first + k];
        for (std::size_t v = 0; v < readings_.size(); ++v)
          if (unplaced_[v] && is_allowed(m, v) && ratios[k][v] >= rules_.bar)
            suspects[first + k].push_back({member, v, ratios[k][v]});
      }
    });
    for (std::size_t i = 0; i < all.size(); ++i) {
      std::vector<Suspect>& of = findings_.missing[all[i].missing].suspects;
      of.insert(of.end(), suspects[i].begin(), suspects[i].end());
    }
  }

  const stats::AlleleModel& model_;
  const std::vector<Family>& families_;
  const std::vector<Remains>& remains_;
  const Rules& rules_;
  std::size_t threads_;
  std::vector<FamilyLikelihood> at_first_, likelihoods_;  ///< of the families; the latter with what was found
  std::vector<PersonReadings> readings_;                  ///< of each person
  std::vector<bool> unplaced_;                            ///< the people
  std::vector<std::size_t> left_;                         ///< the missing members who are not found
  std::vector<std::vector<double>> ratios_;               ///< [missing][person], with what was found
  std::unique_ptr<stats::PeopleFound> matrix_;
  std::vector<std::vector<std::vector<std::size_t>>> alike_;  ///< of each family, among its missing
  Findings findings_;
};

}  // namespace

const char* name_of(Conclusion conclusion) {
  constexpr std::array kNames{"undisputed", "joint", "symmetric",    "disputed",
                              "open",       "none",  "uninformative"};
  return kNames[static_cast<std::size_t>(conclusion)];
}

Event::Event(const stats::AlleleModel& model, const std::vector<Family>& families,
             const std::vector<Remains>& remains, const Rules& rules, std::string source)
    : model_(model), families_(families), remains_(remains), rules_(rules), source_(std::move(source)) {}

Findings Event::findings(std::size_t threads, bool power) const {
  return Search(model_, families_, remains_, rules_, source_, threads).run(power);
}

}  // namespace fastid::victims
