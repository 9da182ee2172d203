#include "simulate/internal/disaster_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"

namespace fastid::simulate {
namespace {

std::uint64_t families_changed(const PlantedDisaster& disaster) {
  return std::uint64_t{disaster.unlisted_siblings} + disaster.wrong_fathers +
         2 * std::uint64_t{disaster.exchanged_fathers};
}

bool one_in(std::uint64_t n, Stream& stream) {
  return stream.below(n) == 0;
}

template <class T>
void shuffle(std::vector<T>& all, Stream& stream) {
  for (std::size_t i = all.size(); i > 1; --i) std::swap(all[i - 1], all[stream.below(i)]);
}

/// How many samples of a body are found: 1 to 4, mostly 1.
std::size_t drawn_fragments(Stream& stream) {
  static constexpr std::size_t kFragments[] = {1, 1, 1, 1, 1, 1, 2, 2, 3, 4};
  return kFragments[stream.below(std::size(kFragments))];
}

/// Half of the samples are whole. For the others, a share from 1/16 to 1 of the sites can be read, evenly
/// distributed by its logarithm.
double drawn_share(Stream& stream) {
  constexpr double kMostHalvings = 4;
  return one_in(2, stream) ? 1 : std::exp2(-kMostHalvings * stream.uniform());
}

std::string padded(const char* letter, std::size_t number, std::size_t of, std::size_t least) {
  return fmt::format("{}{:0{}}", letter, number, std::max(least, std::to_string(of).size()));
}

class Planner {
 public:
  Planner(const SimulateOptions& options, DisasterPlan& plan)
      : options_(options),
        disaster_(*options.disaster),
        plan_(plan),
        stream_(options.seed, Purpose::kDisaster, 0) {}

  void run() {
    std::vector<std::size_t> order(disaster_.families);
    std::iota(order.begin(), order.end(), std::size_t{0});
    shuffle(order, stream_);
    const std::size_t n_changed = families_changed(disaster_);
    std::vector<bool> is_changed(disaster_.families);
    for (std::size_t i = 0; i < n_changed; ++i) is_changed[order[i]] = true;
    for (std::size_t f = 0; f < disaster_.families; ++f) {
      Stream kinds(options_.seed, Purpose::kKindreds, f);
      add(is_changed[f] ? kindred_with_parents(kinds) : drawn_kindred(kinds));
    }
    plan_.n_families = plan_.kindreds.size();
    add_samples();
    add_bodies();
    change(order);
    add_strangers();
    shuffle(plan_.remains, stream_);
  }

 private:
  void add(Kindred kindred) {
    plan_.kindreds.push_back(std::move(kindred));
    plan_.populations.push_back(
        options_.populations > 1 ? static_cast<std::uint32_t>(stream_.below(options_.populations)) : 0);
  }
  void add_samples() {
    for (std::size_t f = 0; f < plan_.n_families; ++f)
      for (std::size_t i = 0; i < plan_.kindreds[f].members.size(); ++i)
        if (plan_.kindreds[f].members[i].typed) plan_.samples.push_back({{f, i}, {f, i}});
  }
  /// Adds the remains of missing members, except of one in six.
  void add_bodies() {
    constexpr std::uint64_t kNotThere = 6;
    for (std::size_t f = 0; f < plan_.n_families; ++f)
      for (std::size_t i = 0; i < plan_.kindreds[f].members.size(); ++i)
        if (plan_.kindreds[f].members[i].missing && !one_in(kNotThere, stream_)) add_remains({f, i});
  }
  void add_remains(const PlannedPerson& person) {
    constexpr std::uint64_t kSexNotKnown = 4;
    for (std::size_t n = drawn_fragments(stream_); n > 0; --n)
      plan_.remains.push_back({person, drawn_share(stream_), !one_in(kSexNotKnown, stream_)});
  }
  /// The father's sample, in a family with both parents typed.
  PlannedSample& father_of(std::size_t family) {
    return *std::ranges::find(plan_.samples, PlannedPerson{family, 0}, &PlannedSample::named);
  }
  void change(const std::vector<std::size_t>& order) {
    auto next = order.begin();
    for (std::uint32_t i = 0; i < disaster_.unlisted_siblings; ++i) {
      Kindred& family = plan_.kindreds[*next];
      Kin sibling = family.members.back();
      sibling.role = "sibling";
      sibling.missing = false;
      add_remains({*next, family.add_unlisted(std::move(sibling))});
      ++next;
    }
    for (std::uint32_t i = 0; i < disaster_.wrong_fathers; ++i, ++next)
      father_of(*next).of = {*next, plan_.kindreds[*next].add_unlisted({.role = "stranger"})};
    for (std::uint32_t i = 0; i < disaster_.exchanged_fathers; ++i, next += 2)
      std::swap(father_of(next[0]).of, father_of(next[1]).of);
  }
  void add_strangers() {
    for (std::uint32_t i = 0; i < disaster_.strangers; ++i) {
      Kindred stranger;
      stranger.add_unlisted({.role = "stranger", .sex = one_in(2, stream_) ? Sex::kMale : Sex::kFemale});
      add(std::move(stranger));
      add_remains({plan_.kindreds.size() - 1, 0});
    }
  }

  const SimulateOptions& options_;
  const PlantedDisaster& disaster_;
  DisasterPlan& plan_;
  Stream stream_;
};

}  // namespace

void check_disaster(const PlantedDisaster& disaster) {
  const std::uint64_t changed = families_changed(disaster);
  if (changed > disaster.families)
    throw UsageError("unlisted siblings, wrong and exchanged fathers are of " + with_commas(changed) +
                     " families, all different ones; the disaster has " + with_commas(disaster.families) +
                     ": plant fewer, or simulate more families");
}

DisasterPlan::DisasterPlan(const SimulateOptions& options) {
  Planner(options, *this).run();
}

std::string DisasterPlan::family_name(std::size_t kindred) const {
  constexpr std::size_t kLeastDigits = 2;
  return padded("F", kindred + 1, n_families, kLeastDigits);
}

std::string DisasterPlan::name(const PlannedPerson& person) const {
  if (is_stranger(person))
    return padded("X", person.kindred - n_families + 1, kindreds.size() - n_families, 1);
  return family_name(person.kindred) + "-" + kin(person).role;
}

std::string remains_id(std::size_t row) {
  return fmt::format("R{:06}", row + 1);
}

}  // namespace fastid::simulate
