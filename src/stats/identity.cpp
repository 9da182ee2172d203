#include "stats/identity.hpp"

#include <cmath>

#include "stats/site_walk.hpp"

namespace fastid::stats {
namespace {

/// P(the two read differently) at one site: where the query reads 0 and the other 1, and the other way round.
struct Differ {
  double query_0 = 0, query_1 = 0;
};

/// Joint probabilities, of the query's bit and a difference.
Differ differ(const PopulationModel& model, std::size_t site, Relation relation) {
  const double q = model.minor_freq()[site], p = 1 - q;
  const double c = carrier_probability(q, 0), none = non_carrier_probability(q, 0);
  switch (relation) {
    case Relation::kUnrelated:
      return {none * c, c * none};
    case Relation::kParentChild:  // the allele that they share is major, one's other minor, the other's major
      return {p * p * q, p * p * q};
    case Relation::kSiblings: {  // 1/4 share nothing by descent, 1/2 one allele, 1/4 both
      const double either = none * c / 4 + p * p * q / 2;
      return {either, either};
    }
    case Relation::kSame:
      break;
  }
  const double w = model.parameters().error_rate;
  const ByGenotype people = genotype_probabilities(q, 0), read_1 = read_as_carrier(w),
                   read_0 = read_as_non_carrier(w);
  const double either = people.major_hom * read_0.major_hom * read_1.major_hom +
                        people.het * read_0.het * read_1.het +
                        people.minor_hom * read_0.minor_hom * read_1.minor_hom;
  return {either, either};
}

/// P(bit 1), theta 0, as it is read.
double read_carrier(const PopulationModel& model, std::size_t site, Relation relation) {
  const double q = model.minor_freq()[site];
  if (relation != Relation::kSame) return carrier_probability(q, 0);
  const ByGenotype people = genotype_probabilities(q, 0),
                   read_1 = read_as_carrier(model.parameters().error_rate);
  return people.major_hom * read_1.major_hom + people.het * read_1.het + people.minor_hom * read_1.minor_hom;
}

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
  for_each_called(query, [&](std::size_t site, bool carrier) {
    sum += std::log10(carrier ? model.carrier()[site] : model.non_carrier()[site]);
  });
  return sum;
}

double log10_identity_ratio(const PopulationModel& model, const RowView& query, const RowView& stored) {
  const std::span<const IdentityRatios> ratios = model.identity();
  double sum = 0;
  for_each_compared(query, stored, [&](std::size_t site, bool x, bool y) {
    const IdentityRatios& at = ratios[site];
    sum += x != y ? at.one : x ? at.both : at.none;
  });
  return sum;
}

std::vector<Event> mismatch_events(const PopulationModel& model, const RowView& query,
                                   std::span<const Word> compared) {
  std::vector<Event> events;
  for_each_compared(query, {query.bits, compared}, [&](std::size_t site, bool carrier, bool) {
    const double c = model.carrier()[site], none = model.non_carrier()[site];
    events.push_back(carrier ? Event{none, c} : Event{c, none});
  });
  return events;
}

Expected expected_mismatches(const PopulationModel& model, Relation relation) {
  ExpectedSum sum;
  for (std::size_t site = 0; site < model.n_sites(); ++site) {
    const auto [query_0, query_1] = differ(model, site, relation);
    sum.add(query_0 + query_1);
  }
  return sum.value();
}

Expected expected_mismatches(const PopulationModel& model, Relation relation, const RowView& query) {
  ExpectedSum sum;
  for_each_called(query, [&](std::size_t site, bool carrier) {
    const auto [query_0, query_1] = differ(model, site, relation);
    const double c = read_carrier(model, site, relation);
    sum.add(carrier ? query_1 / c : query_0 / (1 - c));
  });
  return sum.value();
}

}  // namespace fastid::stats
