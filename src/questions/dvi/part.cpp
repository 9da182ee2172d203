#include "questions/dvi/part.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace fastid::dvi {
namespace {

constexpr std::string_view kPeople = "people", kFit = "fit", kPower = "power", kRatios = "ratios";
constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

struct StoredPower {
  double true_mean = kNoValue, true_deviation = kNoValue, stranger_mean = kNoValue,
         stranger_deviation = kNoValue, log10_not_excluded = kNoValue;
};
static_assert(sizeof(StoredPower) == 40);

StoredPower stored_power(const std::optional<stats::FamilyPower>& of) {
  if (!of) return {};
  return {of->member.mean, of->member.deviation, of->stranger.mean, of->stranger.deviation,
          of->log10_not_excluded};
}

std::optional<stats::FamilyPower> restored_power(const StoredPower& of) {
  if (std::isnan(of.true_mean)) return std::nullopt;
  return stats::FamilyPower{
      {of.true_mean, of.true_deviation}, {of.stranger_mean, of.stranger_deviation}, of.log10_not_excluded};
}

/// All sections of a name, one after the other.
template <class T>
std::vector<T> all_of(const part::File& part, std::string_view name, std::size_t n) {
  std::vector<T> all;
  for (const part::Section* section : part.sections(name)) {
    const std::vector<T> some = part.read<T>(*section);
    all.insert(all.end(), some.begin(), some.end());
  }
  if (all.size() != n) part.refuse(name, "has a number of figures that cannot be");
  return all;
}

std::vector<std::vector<std::size_t>> groups_of(const part::File& part,
                                                std::span<const std::uint32_t> person_of) {
  std::vector<std::vector<std::size_t>> groups;
  for (std::size_t i = 0; i < person_of.size(); ++i) {
    if (person_of[i] > groups.size()) part.refuse(kPeople, "has people who are not in their order");
    if (person_of[i] == groups.size()) groups.emplace_back();
    groups[person_of[i]].push_back(i);
  }
  return groups;
}

/// Reads parts, whose valid content follows from the event alone.
class Restorer {
 public:
  Restorer(const fastid::dvi::Event& event, FirstFigures& all) : event_(event), all_(all) {}

  void add(const part::File& part) {
    const auto person_of = all_of<std::uint32_t>(part, kPeople, event_.n_remains());
    std::vector<std::vector<std::size_t>> groups = groups_of(part, person_of);
    if (!people_)
      people_.emplace(event_.people(groups));
    else if (groups != all_.groups)
      part.refuse(kPeople, "has other people than the first part");
    all_.groups = std::move(groups);
    const Range families = share_of(event_.families().size(), part.head().shard);
    add_fit(part, families);
    add_ratios(part, fastid::dvi::missing_of(event_.families(), families));
  }

 private:
  void add_fit(const part::File& part, const Range& families) {
    std::size_t n = 0;
    for (std::uint64_t f = families.first; f < families.end; ++f) n += event_.families()[f].members.size();
    const auto fit = all_of<double>(part, kFit, n);
    auto next = fit.begin();
    for (std::uint64_t f = families.first; f < families.end; ++f) {
      std::vector<std::optional<double>>& of = all_.consistency.emplace_back();
      for (const stats::Relative& member : event_.families()[f].members) {
        of.push_back(std::isnan(*next) ? std::nullopt : std::optional(*next));
        if (of.back().has_value() != (member.readings != nullptr))
          part.refuse(kFit, "has figures of other members than are typed");
        ++next;
      }
    }
  }

  void add_ratios(const part::File& part, const Range& missing) {
    for (const StoredPower& of : all_of<StoredPower>(part, kPower, missing.size()))
      all_.power.push_back(restored_power(of));
    const std::size_t n = people_->size();
    const auto ratios = all_of<double>(part, kRatios, missing.size() * n);
    for (std::uint64_t m = missing.first; m < missing.end; ++m) {
      const auto of = std::span(ratios).subspan((m - missing.first) * n, n);
      for (std::size_t v = 0; v < n; ++v)
        if (std::isnan(of[v]) == people_->is_allowed(m, v))
          part.refuse(kRatios, "has a ratio of a pair that is forbidden, or none of one that is not");
      all_.ratios.emplace_back(of.begin(), of.end());
    }
  }

  const fastid::dvi::Event& event_;
  FirstFigures& all_;
  std::optional<fastid::dvi::EventPeople> people_;
};

}  // namespace

void add_first_figures(part::Writer& to, const FirstFigures& figures, std::size_t n_remains) {
  std::vector<std::uint32_t> person_of(n_remains);
  for (std::size_t person = 0; person < figures.groups.size(); ++person)
    for (const std::size_t i : figures.groups[person]) person_of[i] = static_cast<std::uint32_t>(person);
  to.add<std::uint32_t>(kPeople, person_of);
  std::vector<double> fit;
  for (const auto& family : figures.consistency)
    for (const std::optional<double>& of : family) fit.push_back(of.value_or(kNoValue));
  to.add<double>(kFit, fit);
  std::vector<StoredPower> power;
  for (const auto& of : figures.power) power.push_back(stored_power(of));
  to.add<StoredPower>(kPower, power);
  for (const std::vector<double>& of : figures.ratios) to.add<double>(kRatios, of);
}

FirstFigures first_figures(const part::PartSet& parts, const fastid::dvi::Event& event) {
  FirstFigures all;
  Restorer restorer(event, all);
  for (std::size_t i = 0; i < parts.size(); ++i) restorer.add(parts.part(i));
  return all;
}

}  // namespace fastid::dvi
