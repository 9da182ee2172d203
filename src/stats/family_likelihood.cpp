#include "stats/family_likelihood.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "base/checked.hpp"
#include "stats/internal/genotype_ratios.hpp"
#include "stats/internal/site_sums.hpp"
#include "stats/log_number.hpp"

namespace fastid::stats {
namespace {

constexpr Probabilities kUnknown{1, 1, 1};
/// The founder alleles of one more person with 0, 1, 2 minor copies: how many sequences make that genotype.
constexpr Probabilities kSequences{1, 2, 1};

double dot(std::span<const double> coefficients, const double* sequences) {
  double sum = 0;
  for (std::size_t m = 0; m < coefficients.size(); ++m) sum += coefficients[m] * sequences[m];
  return sum;
}

std::vector<std::string> names_of(std::span<const Relative> members) {
  std::vector<std::string> names;
  for (const Relative& member : members) names.push_back(member.name);
  return names;
}

std::vector<Parents> parents_of(std::span<const Relative> members) {
  std::vector<Parents> parents;
  for (const Relative& member : members) parents.push_back(member.parents);
  return parents;
}

/// P(genotypes read), from P(genotypes).
Probabilities read_as(const Probabilities& genotypes, const Readings& read) {
  Probabilities seen{};
  double sum = 0;
  for (std::size_t g = 0; g < kGenotypes; ++g)
    for (std::size_t x = 0; x < kGenotypes; ++x) {
      seen[x] += genotypes[g] * read[g][x];
      sum += genotypes[g] * read[g][x];
    }
  for (double& probability : seen) probability = sum > 0 ? probability / sum : 0;
  return seen;
}

/// The log10 ratio of each reading of a site where it may be read at all.
Probabilities ratios_of(const Probabilities& member, const Probabilities& stranger) {
  Probabilities ratios{};
  for (std::size_t x = 0; x < kGenotypes; ++x) ratios[x] = log10_quotient(member[x], stranger[x]);
  return ratios;
}

/// 1 for each genotype that explains the readings without an error, else 0.
Probabilities possible_genotypes(ReadingId id) {
  const ReadingCounts counts = reading_counts(id);
  const unsigned all = counts[0] + counts[1] + counts[2];
  Probabilities possible{};
  for (std::size_t g = 0; g < kGenotypes; ++g) possible[g] = counts[g] == all ? 1 : 0;
  return possible;
}

/// The mean and variance of a weighted sum of independent values, each drawn from the distribution `of`.
class Moments {
 public:
  void add(const Probabilities& of, const Probabilities& ratios, double weight) {
    double mean = 0, square = 0;
    for (std::size_t x = 0; x < kGenotypes; ++x)
      if (of[x] > 0) {
        mean += of[x] * ratios[x];
        square += of[x] * ratios[x] * ratios[x];
      }
    mean_ += weight * mean;
    variance_ += weight * weight * (square - mean * mean);
  }
  ExpectedRatio sum() const { return {mean_, std::sqrt(std::max(variance_, 0.0))}; }

 private:
  double mean_ = 0, variance_ = 0;
};

}  // namespace

AlleleModel::AlleleModel(std::span<const PopulationModel> models) : models_(models) {
  const Readings read = readings(models[0].parameters().error_rate);
  likelihoods_.resize(std::size_t{reading_id({kMostReadings, 0, 0})} + 1, kUnknown);
  for (unsigned n = 1; n <= kMostReadings; ++n)
    for (unsigned first = 0; first <= n; ++first)
      for (unsigned second = 0; first + second <= n; ++second) {
        ReadingCounts counts{first, second, n - first - second};
        Probabilities& of = likelihoods_[reading_id(counts)];
        const std::size_t last = counts[2] > 0 ? 2 : counts[1] > 0 ? 1 : 0;
        --counts[last];
        of = likelihoods_[reading_id(counts)];
        for (std::size_t g = 0; g < kGenotypes; ++g) of[g] *= read[g][last];
      }
}

const std::vector<double>& AlleleModel::sequences(std::size_t population, std::size_t n) const {
  const std::lock_guard guard(lock_);
  std::unique_ptr<std::vector<double>>& made = sequences_[{population, n}];
  if (made == nullptr) {
    const PopulationModel& model = models_[population];
    std::vector<double> all;
    all.reserve(n_sites() * (n + 1));
    for (const double q : model.minor_freq())
      for (unsigned m = 0; m <= n; ++m)
        all.push_back(
            sequence_probability(q, model.parameters().theta, {}, {m, static_cast<unsigned>(n) - m}));
    made = std::make_unique<std::vector<double>>(std::move(all));
  }
  return *made;
}

std::vector<Probabilities> log10_ratios(const AlleleModel& model, const MissingWeights& weights) {
  const Readings read = readings(model.models()[0].parameters().error_rate);
  std::vector<Probabilities> ratios;
  for (std::size_t site = 0; site < weights.member.size(); ++site)
    ratios.push_back(ratios_of(read_as(weights.member[site], read), read_as(weights.stranger[site], read)));
  return ratios;
}

FamilyLikelihood::FamilyLikelihood(const AlleleModel& model, std::vector<Relative> members,
                                   std::vector<std::size_t> missing, std::string_view source)
    : model_(&model),
      members_(std::move(members)),
      missing_(std::move(missing)),
      source_(source),
      graph_(parents_of(members_), names_of(members_), source),
      patterns_(patterns_of(members_)) {}

FamilyLikelihood FamilyLikelihood::with_found(std::size_t found, const PersonReadings& readings) const {
  FamilyLikelihood family = *this;
  Relative& member = family.members_[missing_[found]];
  auto all = std::make_shared<PersonReadings>(readings);
  if (member.readings != nullptr) {
    *all = *member.readings;
    all->add(readings);
  }
  member.readings = all.get();
  family.own_.push_back(std::move(all));
  family.missing_.erase(family.missing_.begin() + static_cast<std::ptrdiff_t>(found));
  family.patterns_ = patterns_of(family.members_);
  return family;
}

FamilyLikelihood FamilyLikelihood::without(std::size_t member) const {
  FamilyLikelihood family = *this;
  family.members_[member].readings = nullptr;
  family.patterns_ = patterns_of(family.members_);
  return family;
}

FamilyLikelihood::Patterns FamilyLikelihood::patterns_of(std::span<const Relative> members) const {
  Patterns patterns{std::vector<std::uint32_t>(model_->n_sites()), {std::vector<ReadingId>(members.size())}};
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i].readings == nullptr) continue;
    std::unordered_map<std::uint64_t, std::uint32_t> longer;  // by the pattern so far and what is read here
    std::vector<std::vector<ReadingId>> readings = {patterns.readings[0]};
    longer.emplace(0, 0);
    for (std::size_t site = 0; site < patterns.of_site.size(); ++site) {
      const ReadingId read = (*members[i].readings)[site];
      const std::uint64_t key = std::uint64_t{patterns.of_site[site]} << 16 | read;
      const auto [at, is_new] = longer.emplace(key, static_cast<std::uint32_t>(readings.size()));
      if (is_new) {
        readings.push_back(patterns.readings[patterns.of_site[site]]);
        readings.back()[i] = read;
      }
      patterns.of_site[site] = at->second;
    }
    patterns.readings = std::move(readings);
  }
  return patterns;
}

std::vector<FamilyTable> FamilyLikelihood::tables(std::span<const std::size_t> asked,
                                                  const Patterns& patterns, bool as_read) const {
  const FamilyGraph::Plan plan = graph_.plan(asked);
  std::vector<FamilyTable> tables;
  std::vector<Probabilities> evidence(members_.size());
  for (const std::vector<ReadingId>& readings : patterns.readings) {
    for (std::size_t i = 0; i < readings.size(); ++i)
      evidence[i] = as_read ? possible_genotypes(readings[i]) : model_->likelihood(readings[i]);
    tables.push_back(graph_.table(plan, evidence));
  }
  return tables;
}

std::vector<std::size_t> FamilyLikelihood::members_at(std::span<const std::size_t> missing) const {
  std::vector<std::size_t> members;
  for (const std::size_t m : missing) members.push_back(missing_[m]);
  return members;
}

MissingWeights FamilyLikelihood::weights(std::size_t population,
                                         const std::vector<FamilyTable>& tables) const {
  const std::size_t n = 2 * graph_.n_founders(), n_sites = model_->n_sites();
  const std::vector<double>&family = model_->sequences(population, n),
        &with_stranger = model_->sequences(population, n + 2);
  std::vector<Coefficients> totals;
  for (const FamilyTable& table : tables) totals.push_back(table.total());
  MissingWeights weights{std::vector<Probabilities>(n_sites), std::vector<Probabilities>(n_sites),
                         std::vector<Word>(ceil_div<std::size_t>(n_sites, kWordBits))};
  for (std::size_t site = 0; site < n_sites; ++site) {
    const std::uint32_t pattern = patterns_.of_site[site];
    if (pattern == 0) continue;
    weights.typed[site / kWordBits] |= Word{1} << site % kWordBits;
    for (std::size_t g = 0; g < kGenotypes; ++g) {
      weights.member[site][g] = dot(tables[pattern].of(g), family.data() + site * (n + 1));
      weights.stranger[site][g] =
          kSequences[g] * dot(totals[pattern], with_stranger.data() + site * (n + 3) + g);
    }
  }
  return weights;
}

std::vector<MissingWeights> FamilyLikelihood::weights(std::size_t missing) const {
  const std::vector<FamilyTable> of_patterns = tables(std::span(&missing_[missing], 1), patterns_);
  std::vector<MissingWeights> all;
  for (std::size_t p = 0; p < model_->n_populations(); ++p) all.push_back(weights(p, of_patterns));
  return all;
}

/// The weight of each site at which the family and one of the people are typed; 0 at other sites.
/// \param people  empty: somebody who is typed everywhere
SiteWeights FamilyLikelihood::weights_at(std::span<const PersonReadings* const> people) const {
  std::vector<Word> compared(ceil_div<std::size_t>(model_->n_sites(), kWordBits));
  for (std::size_t site = 0; site < model_->n_sites(); ++site)
    if (is_compared(site, people)) compared[site / kWordBits] |= Word{1} << site % kWordBits;
  return {model_->blocks(), compared};
}

bool FamilyLikelihood::is_compared(std::size_t site, std::span<const PersonReadings* const> people) const {
  const auto is_read = [&](const PersonReadings* person) { return (*person)[site] != kNotRead; };
  return patterns_.of_site[site] != 0 && (people.empty() || std::ranges::any_of(people, is_read));
}

/// The lowest sum of a population over the sites at which the family and one of the people are typed.
/// \param at  at(population, site): log10 of the site's ratio
template <class At>
double FamilyLikelihood::lowest_sum(const At& at, std::span<const PersonReadings* const> people) const {
  const SiteWeights weights = weights_at(people);
  double lowest = std::numeric_limits<double>::infinity();
  for (std::size_t population = 0; population < model_->n_populations(); ++population) {
    double sum = 0;
    for (std::size_t site = 0; site < model_->n_sites(); ++site)
      if (is_compared(site, people)) sum += weights[site] * at(population, site);
    lowest = std::min(lowest, sum);
  }
  return lowest;
}

double FamilyLikelihood::log10_lr(std::span<const AssignedPerson> pairs) const {
  if (pairs.empty()) return 0;
  std::vector<std::size_t> asked;
  std::vector<const PersonReadings*> people;
  for (const AssignedPerson& pair : pairs) {
    asked.push_back(missing_[pair.missing]);
    people.push_back(pair.readings);
  }
  const std::vector<FamilyTable> of_patterns = tables(asked, patterns_);
  std::vector<Coefficients> totals;
  for (const FamilyTable& table : of_patterns) totals.push_back(table.total());
  const std::size_t n = 2 * graph_.n_founders(), n_all = n + 2 * pairs.size();
  const auto at = [&](std::size_t population, std::size_t site) {
    const std::uint32_t pattern = patterns_.of_site[site];
    const FamilyTable& table = of_patterns[pattern];
    Coefficients members(table.n_coefficients), strangers = totals[pattern];
    for (std::size_t joint = 0; joint < table.n_genotypes(); ++joint) {
      double weight = 1;
      std::size_t rest = joint;
      for (const PersonReadings* person : people) {
        weight *= model_->likelihood((*person)[site])[rest % kGenotypes];
        rest /= kGenotypes;
      }
      for (std::size_t m = 0; m < members.size(); ++m) members[m] += weight * table.of(joint)[m];
    }
    for (const PersonReadings* person : people) {
      Probabilities stranger = model_->likelihood((*person)[site]);
      for (std::size_t g = 0; g < kGenotypes; ++g) stranger[g] *= kSequences[g];
      strangers = multiply(strangers, stranger);
    }
    return log10_quotient(dot(members, model_->sequences(population, n).data() + site * (n + 1)),
                          dot(strangers, model_->sequences(population, n_all).data() + site * (n_all + 1)));
  };
  return lowest_sum(at, people);
}

std::vector<ExpectedRatio> FamilyLikelihood::expected(std::size_t missing,
                                                      std::span<const PersonReadings* const> as) const {
  const Readings read = readings(model_->models()[0].parameters().error_rate);
  std::vector<ExpectedRatio> all(as.size(), {std::numeric_limits<double>::infinity(), 0});
  for (const MissingWeights& of : weights(missing))
    for (std::size_t i = 0; i < as.size(); ++i) {
      const std::span<const PersonReadings* const> person(&as[i], 1);
      const SiteWeights site_weights = weights_at(person);
      Moments moments;
      for (std::size_t site = 0; site < model_->n_sites(); ++site)
        if (is_compared(site, person)) {
          const Probabilities member = read_as(of.member[site], read);
          moments.add(member, ratios_of(member, read_as(of.stranger[site], read)), site_weights[site]);
        }
      if (moments.sum().mean < all[i].mean) all[i] = moments.sum();
    }
  return all;
}

FamilyPower FamilyLikelihood::power(std::size_t missing) const {
  const Readings read = readings(model_->models()[0].parameters().error_rate);
  const SiteWeights site_weights = weights_at({});
  FamilyPower lowest;
  lowest.member.mean = std::numeric_limits<double>::infinity();
  for (const MissingWeights& of : weights(missing)) {
    Moments member, stranger;
    for (std::size_t site = 0; site < model_->n_sites(); ++site) {
      if (!is_compared(site, {})) continue;
      const Probabilities of_member = read_as(of.member[site], read),
                          of_stranger = read_as(of.stranger[site], read),
                          ratios = ratios_of(of_member, of_stranger);
      member.add(of_member, ratios, site_weights[site]);
      stranger.add(of_stranger, ratios, site_weights[site]);
    }
    if (member.sum().mean < lowest.member.mean) lowest = {member.sum(), stranger.sum(), 0};
  }
  lowest.log10_not_excluded = log10_not_excluded(missing);
  return lowest;
}

double FamilyLikelihood::log10_not_excluded(std::size_t missing) const {
  std::vector<std::array<bool, kGenotypes>> possible;  // of each pattern
  for (const FamilyTable& table : tables(std::span(&missing_[missing], 1), patterns_, true)) {
    std::array<bool, kGenotypes> of{};
    for (std::size_t g = 0; g < kGenotypes; ++g)
      of[g] = std::ranges::any_of(table.of(g), [](double coefficient) { return coefficient > 0; });
    if (of == std::array<bool, kGenotypes>{}) of.fill(true);  // the family contradicts itself here
    possible.push_back(of);
  }
  double highest = -std::numeric_limits<double>::infinity();
  for (const PopulationModel& model : model_->models()) {
    double sum = 0;
    for (std::size_t site = 0; site < model_->n_sites(); ++site) {
      const Probabilities genotypes = genotype_probabilities(model.minor_freq()[site], 0);
      double not_excluded = 0;
      for (std::size_t g = 0; g < kGenotypes; ++g)
        if (possible[patterns_.of_site[site]][g]) not_excluded += genotypes[g];
      sum += std::log10(not_excluded);
    }
    highest = std::max(highest, sum);
  }
  return highest;
}

std::vector<std::optional<double>> FamilyLikelihood::consistency() const {
  const std::vector<FamilyTable> of_all = tables({}, patterns_);
  const std::size_t n = 2 * graph_.n_founders();
  std::vector<std::optional<double>> found(members_.size());
  for (std::size_t i = 0; i < members_.size(); ++i) {
    if (members_[i].readings == nullptr) continue;
    std::vector<Relative> others = members_;
    others[i].readings = nullptr;
    const Patterns patterns = patterns_of(others);
    const std::vector<FamilyTable> of_others = tables({}, patterns);
    const auto at = [&](std::size_t population, std::size_t site) {
      const FamilyTable &all = of_all[patterns_.of_site[site]], &rest = of_others[patterns.of_site[site]];
      Probabilities stranger = model_->likelihood((*members_[i].readings)[site]);
      for (std::size_t g = 0; g < kGenotypes; ++g) stranger[g] *= kSequences[g];
      const double member = dot(all.of(0), model_->sequences(population, n).data() + site * (n + 1)),
                   apart = dot(multiply(rest.of(0), stranger),
                               model_->sequences(population, n + 2).data() + site * (n + 3));
      return log10_quotient(std::scalbn(member, all.exponent - rest.exponent), apart);
    };
    const PersonReadings* const person = members_[i].readings;
    found[i] = lowest_sum(at, {&person, 1});
  }
  return found;
}

bool FamilyLikelihood::may_be_exchanged(std::size_t first, std::size_t second) const {
  constexpr double kSame = 1e-9;        // relative to the largest coefficient of a table
  constexpr std::size_t kMostAxes = 6;  // most axes of a table over all missing members
  const Relative &one = members_[missing_[first]], &other = members_[missing_[second]];
  const auto has_children = [&](std::size_t member) {
    return std::ranges::any_of(members_, [&](const Relative& of) {
      return of.parents.father == member || of.parents.mother == member;
    });
  };
  const bool siblings = one.parents.father && one.parents.mother &&
                        one.parents.father == other.parents.father &&
                        one.parents.mother == other.parents.mother;
  const bool same_readings =
      one.readings == other.readings ||
      (one.readings != nullptr && other.readings != nullptr && *one.readings == *other.readings);
  if (siblings && same_readings && !has_children(missing_[first]) && !has_children(missing_[second]))
    return true;
  if (missing_.size() > kMostAxes) return false;
  std::vector<std::size_t> asked = {missing_[first], missing_[second]};
  for (std::size_t m = 0; m < missing_.size(); ++m)
    if (m != first && m != second) asked.push_back(missing_[m]);
  for (const FamilyTable& table : tables(asked, patterns_))
    for (std::size_t joint = 0; joint < table.n_genotypes(); ++joint) {
      const std::size_t a = joint % kGenotypes, b = joint / kGenotypes % kGenotypes,
                        exchanged = joint - a - kGenotypes * b + b + kGenotypes * a;
      for (std::size_t m = 0; m < table.n_coefficients; ++m)
        if (std::abs(table.of(joint)[m] - table.of(exchanged)[m]) > kSame) return false;
    }
  return true;
}

PeopleFound::PeopleFound(std::span<const PersonReadings> people, std::size_t n_sites)
    : n_people_(people.size()),
      n_sites_(n_sites),
      known_{kNotRead},
      at_(checked_mul(n_sites, people.size())),
      present_(n_sites) {
  std::vector<std::uint16_t> place(std::size_t{UINT16_MAX} + 1);
  for (std::size_t site = 0; site < n_sites; ++site)
    for (std::size_t i = 0; i < people.size(); ++i) {
      const ReadingId id = people[i][site];
      if (id == kNotRead) continue;
      if (place[id] == 0) {
        place[id] = static_cast<std::uint16_t>(known_.size());
        known_.push_back(id);
      }
      at_[site * n_people_ + i] = place[id];
      if (std::ranges::find(present_[site], place[id]) == present_[site].end())
        present_[site].push_back(place[id]);
    }
}

std::vector<std::vector<double>> PeopleFound::log10_lr(const AlleleModel& model,
                                                       std::span<const MissingWeights* const> weights) const {
  static_assert(kTogether == kFigures);
  std::vector<Figures> sums(n_people_), figures(known_.size());
  for (std::size_t site = 0; site < n_sites_; ++site) {
    const auto is_typed = [&](const MissingWeights* of) {
      return (of->typed[site / kWordBits] >> site % kWordBits & 1) != 0;
    };
    if (std::ranges::none_of(weights, is_typed)) continue;
    for (const std::uint16_t known : present_[site]) {
      const Probabilities& read = model.likelihood(known_[known]);
      for (std::size_t k = 0; k < weights.size(); ++k) {
        const Probabilities &member = weights[k]->member[site], &stranger = weights[k]->stranger[site];
        double is_member = 0, is_stranger = 0;
        for (std::size_t g = 0; g < kGenotypes; ++g) {
          is_member += member[g] * read[g];
          is_stranger += stranger[g] * read[g];
        }
        figures[known][k] = log10_quotient(is_member, is_stranger);
      }
    }
    const std::uint16_t* const at = at_.data() + site * n_people_;
    for (std::size_t i = 0; i < n_people_; ++i)
      for (std::size_t k = 0; k < kTogether; ++k) sums[i][k] += figures[at[i]][k];
  }
  std::vector<std::vector<double>> ratios(weights.size(), std::vector<double>(n_people_));
  for (std::size_t k = 0; k < weights.size(); ++k)
    for (std::size_t i = 0; i < n_people_; ++i) ratios[k][i] = sums[i][k];
  return ratios;
}

}  // namespace fastid::stats
