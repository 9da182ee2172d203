#include "stats/internal/identity.hpp"

#include <algorithm>
#include <cmath>

#include "stats/log_number.hpp"
#include "stats/site_walk.hpp"

namespace fastid::stats {
namespace {

constexpr double kMargin = 1;  ///< the suggested relation's least log10 advantage over each other relation

class ExpectedSum {
 public:
  void add(double probability) {
    mean_ += probability;
    variance_ += probability * (1 - probability);
  }
  Expected value() const { return {mean_, std::sqrt(variance_)}; }

 private:
  double mean_ = 0, variance_ = 0;
};

}  // namespace

double log10_match_probability(const PopulationModel& model, const RowView& query) {
  double sum = 0;
  for_each_called(query, [&](std::size_t site, bool bit) { sum += std::log10(model.differs(site, bit).no); });
  return sum;
}

double RelationRatios::between(Relation first, Relation second) const {
  return log10_ratio((*this)[first], (*this)[second]);
}

IdentityRatios::IdentityRatios(const PopulationModel& model, const RowView& query, Relation alternative)
    : model_(&model), query_(query), corrections_(model.n_sites()) {
  const auto same = static_cast<std::size_t>(Relation::kSame), other = static_cast<std::size_t>(alternative);
  for_each_called(query, [&](std::size_t site, bool bit) {
    const SiteRatios& at = model.ratios()[site];
    for (std::size_t r = 0; r < kRelations; ++r) alike_.log10[r] += bit ? at[r].both : at[r].none;
    const double agrees = bit ? at[same].both - at[other].both : at[same].none - at[other].none;
    alike_lr_ += agrees;
    corrections_[site] = {log10_ratio(at[same].one, at[other].one) - agrees, -agrees};
  });
}

double IdentityRatios::log10_lr(const RowView& stored) const {
  double sum = alike_lr_;
  for (std::size_t word = 0; word < query_.called.size(); ++word) {
    const Word asked = query_.called[word], in = stored.called[word];
    for_each_set(word, asked & in & (query_.bits[word] ^ stored.bits[word]),
                 [&](std::size_t site) { sum += corrections_[site].differs; });
    for_each_set(word, asked & ~in, [&](std::size_t site) { sum += corrections_[site].lacks; });
  }
  return sum;
}

RelationRatios IdentityRatios::with(const RowView& stored) const {
  RelationRatios sum = alike_;
  const auto correct = [&](std::size_t word, Word mask, bool compared) {
    for_each_set(word, mask, [&](std::size_t site) {
      const SiteRatios& at = model_->ratios()[site];
      const bool bit = (query_.bits[word] >> (site % kWordBits) & 1) != 0;
      for (std::size_t r = 0; r < kRelations; ++r)
        sum.log10[r] += (compared ? at[r].one : 0) - (bit ? at[r].both : at[r].none);
    });
  };
  for (std::size_t word = 0; word < query_.called.size(); ++word) {
    correct(word, query_.called[word] & ~stored.called[word], false);
    correct(word, query_.called[word] & stored.called[word] & (query_.bits[word] ^ stored.bits[word]), true);
  }
  return sum;
}

std::string_view name_of(Suggestion suggestion) {
  static constexpr std::array<std::string_view, 5> kNames{"same", "first-degree", "second-degree",
                                                          "unrelated", "inconclusive"};
  return kNames[static_cast<std::size_t>(suggestion)];
}

Suggestion suggest(const RelationRatios& ratios) {
  struct Choice {
    Suggestion suggestion;
    double log10;
  };
  std::array<Choice, 4> choices{
      {{Suggestion::kSame, ratios[Relation::kSame]},
       {Suggestion::kFirstDegree, std::max(ratios[Relation::kParentChild], ratios[Relation::kSibling])},
       {Suggestion::kSecondDegree, ratios[Relation::kHalfSibling]},
       {Suggestion::kUnrelated, ratios[Relation::kUnrelated]}}};
  std::ranges::stable_sort(choices, std::ranges::greater{}, &Choice::log10);
  return choices[0].log10 - choices[1].log10 >= kMargin ? choices[0].suggestion : Suggestion::kInconclusive;
}

std::vector<Event> mismatch_events(const PopulationModel& model, const RowView& query,
                                   std::span<const Word> compared) {
  std::vector<Event> events;
  for_each_compared(query, {query.bits, compared},
                    [&](std::size_t site, bool bit, bool) { events.push_back(model.differs(site, bit)); });
  return events;
}

Expected expected_mismatches(const PopulationModel& model, Relation relation) {
  ExpectedSum sum;
  for (std::size_t site = 0; site < model.n_sites(); ++site) sum.add(2 * model.bits(site, relation).one);
  return sum.value();
}

Expected expected_mismatches(const PopulationModel& model, Relation relation, const RowView& query) {
  ExpectedSum sum;
  for_each_called(query, [&](std::size_t site, bool bit) {
    const BitPair& at = model.bits(site, relation);
    sum.add(at.one / (at.one + (bit ? at.both : at.none)));
  });
  return sum.value();
}

}  // namespace fastid::stats
