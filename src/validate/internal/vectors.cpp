// Figures worked out by hand from the published formulas, and directions in which figures may not move.
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <span>

#include "stats/evidence.hpp"
#include "stats/kinship.hpp"
#include "stats/panel_power.hpp"
#include "stats/stain.hpp"
#include "validate/internal/figures.hpp"
#include "validate/internal/setting.hpp"

namespace fastid::validate {
namespace {

using stats::Relation;

stats::PopulationModel one_site(const Setting& setting, double q, double theta, double w = 0.005) {
  return setting.subject.model({q}, {.theta = theta, .error_rate = w});
}

std::string at(double q, double theta) {
  return fmt::format("q {:g}, theta {:g}", q, theta);
}

/// The sampling formula by hand: four alleles of two unrelated people.
void add_joint(const Setting& setting, report::Result& result) {
  static constexpr double kByHand[3][3] = {
      {.660425, .141981, .008494}, {.141981, .033976, .002244}, {.008494, .002244, .000162}};
  Figures vectors("Genotypes of two unrelated people by the sampling formula of Balding and Nichols", result);
  const stats::PopulationModel model = one_site(setting, .1, .01);
  const auto joint =
      stats::joint_shown(model.minor_freq()[0], model.parameters(), Relation::kUnrelated, Encoding::kAlleles);
  for (std::size_t a = 0; a < 3; ++a)
    for (std::size_t b = 0; b < 3; ++b)
      vectors.add(fmt::format("P({}, {} minor copies), {}", a, b, at(.1, .01)), kByHand[a][b], joint[a][b],
                  6);
  vectors.end();
}

void add_conditional(const Setting& setting, report::Result& result) {
  struct Line {
    double q, theta, none_given_none, some_given_some;
  };
  static constexpr Line kLines[] = {{.1, .01, .814435, .204259},
                                    {.1, .03, .822934, .231704},
                                    {.05, .03, .909312, .146762},
                                    {.3, .03, .520508, .527553}};
  Figures vectors("A stranger's bit, given that of the sample", result);
  for (const Line& line : kLines) {
    const stats::PopulationModel model = one_site(setting, line.q, line.theta);
    const stats::IdentityModel identity(model, Encoding::kMinor);
    vectors.add("P(0 | 0), " + at(line.q, line.theta), line.none_given_none, identity.differs(0, 0).no, 6);
    vectors.add("P(1 | 1), " + at(line.q, line.theta), line.some_given_some, identity.differs(0, 1).no, 6);
  }
  vectors.end();
}

/// What two profiles show at a site, and log10 of how much more probable one relation makes it than another.
struct Ratio {
  double q, theta;
  Relation relation, other;
  std::size_t x, y;
  double log10;
};

void add_ratios(const Setting& setting, Encoding by, std::span<const Ratio> ratios,
                const std::string& caption, double w, int decimals, report::Result& result) {
  Figures vectors(caption, result);
  for (const Ratio& ratio : ratios) {
    const stats::PopulationModel model = one_site(setting, ratio.q, ratio.theta, w);
    const stats::IdentityModel identity(model, by);
    vectors.add(fmt::format("{} v {}, {} and {}, {}", name_of(ratio.relation), name_of(ratio.other), ratio.x,
                            ratio.y, at(ratio.q, ratio.theta)),
                ratio.log10, identity.ratios(0, ratio.x, ratio.y).between(ratio.relation, ratio.other),
                decimals);
  }
  vectors.end();
}

constexpr auto kSame = Relation::kSame, kParent = Relation::kParentChild, kSibling = Relation::kSibling,
               kHalf = Relation::kHalfSibling, kUnrelated = Relation::kUnrelated;

void add_bit_ratios(const Setting& setting, report::Result& result) {
  static constexpr Ratio kRatios[] = {
      {.1, 0, kSame, kUnrelated, 0, 0, .0905},       {.1, 0, kSame, kUnrelated, 0, 1, -1.2506},
      {.1, 0, kSame, kUnrelated, 1, 1, .6851},       {.1, .03, kSame, kUnrelated, 0, 0, .0838},
      {.1, .03, kSame, kUnrelated, 0, 1, -1.2231},   {.1, .03, kSame, kUnrelated, 1, 1, .6066},
      {.1, .03, kSame, kSibling, 0, 0, .0412},       {.1, .03, kSame, kSibling, 0, 1, -.9593},
      {.1, .03, kSame, kSibling, 1, 1, .2134},       {.1, .03, kSibling, kUnrelated, 0, 0, .0426},
      {.1, .03, kSibling, kUnrelated, 0, 1, -.2638}, {.1, .03, kSibling, kUnrelated, 1, 1, .3933},
      {.1, .03, kParent, kUnrelated, 0, 0, .0413},   {.1, .03, kParent, kUnrelated, 0, 1, -.2522},
      {.1, .03, kParent, kUnrelated, 1, 1, .3848}};
  add_ratios(setting, Encoding::kMinor, kRatios, "Likelihood ratios of bits (log10, w .005)", .005, 4,
             result);
}

void add_genotype_ratios(const Setting& setting, report::Result& result) {
  static constexpr std::size_t kPairs[6][2] = {{0, 0}, {0, 1}, {0, 2}, {1, 1}, {1, 2}, {2, 2}};
  struct Line {
    Relation relation, other;
    double log10[6];
  };
  static constexpr Line kLines[] = {{kSame, kUnrelated, {.2803, -1.4525, -3.2379, .3679, -1.1588, .8964}},
                                    {kSibling, kUnrelated, {.1503, -.2062, -.5816, .1548, .0058, .5549}},
                                    {kParent, kUnrelated, {.1378, -.1389, -1.6237, .0755, .1738, .4373}},
                                    {kSame, kSibling, {.1300, -1.2462, -2.6562, .2131, -1.1646, .3416}}};
  std::vector<Ratio> ratios;
  for (const Line& line : kLines)
    for (std::size_t i = 0; i < 6; ++i)
      ratios.push_back({.3, .03, line.relation, line.other, kPairs[i][0], kPairs[i][1], line.log10[i]});
  add_ratios(setting, Encoding::kAlleles, ratios, "Likelihood ratios of genotypes (log10, w .005)", .005, 4,
             result);
}

/// The textbooks' closed forms (Evett and Weir, Interpreting DNA Evidence, 1998): theta and w are 0.
void add_closed_forms(const Setting& setting, report::Result& result) {
  std::vector<Ratio> ratios;
  for (const double q : {.1, .25, .4}) {
    const double p = 1 - q;
    const auto add = [&](Relation relation, std::size_t x, std::size_t y, double ratio) {
      ratios.push_back({q, 0, relation, kUnrelated, x, y, std::log10(ratio)});
    };
    add(kSame, 0, 0, 1 / (p * p));
    add(kSame, 1, 1, 1 / (2 * p * q));
    add(kSame, 2, 2, 1 / (q * q));
    add(kParent, 1, 1, 1 / (4 * p * q));
    add(kParent, 2, 2, 1 / q);
    add(kParent, 0, 1, 1 / (2 * p));
    add(kSibling, 1, 1, (1 + p + q + 2 * p * q) / (8 * p * q));
    add(kSibling, 2, 2, (1 + q) * (1 + q) / (4 * q * q));
    add(kHalf, 1, 1, (1 + 4 * p * q) / (8 * p * q));
  }
  add_ratios(setting, Encoding::kAlleles, ratios, "Closed forms of the textbooks (log10, theta and w 0)", 0,
             6, result);
}

void add_chance(const Setting& setting, report::Result& result) {
  constexpr std::uint64_t kProfiles = 20'000'000;
  struct Line {
    std::size_t sites;
    double q;
    int limit;
  };
  static constexpr Line kLines[] = {{94, .45, 11}, {52, .5, 0}, {1024, .2, 374}};
  Figures vectors("Most mismatches with fewer than .01 chance matches among 20 million (theta 0)", result);
  for (const Line& line : kLines) {
    const stats::PopulationModel model =
        setting.subject.model(std::vector<double>(line.sites, line.q), {.theta = 0});
    const auto limit = stats::panel_power(model, kProfiles).mismatch_limit;
    vectors.add(fmt::format("{} sites, q {:g}", line.sites, line.q), line.limit, limit ? *limit : -1., 0);
  }
  vectors.end();
}

/// P(RMNE | L) of a mixture that shows no minor allele at sites of these frequencies.
double rmne(const Setting& setting, const std::vector<double>& freq, double theta, unsigned n,
            std::uint32_t l) {
  const stats::PopulationModel model = setting.subject.model(freq, {.theta = theta});
  const auto n_sites = static_cast<std::uint32_t>(freq.size());
  ProfileRows mixture(1, n_sites);
  for (std::uint32_t s = 0; s < n_sites; ++s) mixture.set(0, s, false);
  const RowView row = mixture.row(0);
  const std::vector<stats::Event> events = stats::not_seen_events(model, row, row.called, n);
  return std::pow(10, stats::PoissonBinomial(events).log10_cdf(l));
}

void add_rmne(const Setting& setting, report::Result& result) {
  struct Line {
    double theta;
    unsigned n;
    double not_seen;
  };
  static constexpr Line kLines[] = {{.01, 1, .185565}, {.01, 2, .182159}, {.01, 4, .175709},
                                    {.03, 1, .177066}, {.03, 2, .167891}, {.03, 4, .152120}};
  Figures vectors("Random people whom a mixture does not exclude", result);
  for (const auto& [theta, n, not_seen] : kLines)
    vectors.add(fmt::format("a minor allele not seen, {}, {} people", at(.1, theta), n), not_seen,
                1 - rmne(setting, {.1}, theta, n, 0), 6);
  vectors.add("P(RMNE | 0), q .1, .2, .3, theta 0", .254016, rmne(setting, {.1, .2, .3}, 0, 2, 0), 6);
  vectors.add("P(RMNE | 1), q .1, .2, .3, theta 0", .720868, rmne(setting, {.1, .2, .3}, 0, 2, 1), 6);
  vectors.end();
}

constexpr double kQ = .1;  // of the mixtures' minor alleles

double mixture_ratio(const Setting& setting, double theta, Encoding by, double d, double e,
                     std::size_t mixture, std::size_t person) {
  const stats::PopulationModel model = one_site(setting, kQ, theta, 0);
  const auto [unrelated, one, two] =
      stats::StainModel(model, {}, by, {.drop_in = e}).joint_at(0, mixture, {2, d, {d}, {}, 0, {}});
  return std::log10(two[person] / unrelated[person]);
}

void add_mixtures(const Setting& setting, report::Result& result) {
  struct Line {
    double theta, drop_out;
    double log10[2][2];  // [mixture][person]
  };
  static constexpr Line kLines[] = {{0, .005, {{.0910, -2.2334}, {-.2528, .4596}}},
                                    {.01, .005, {{.0869, -2.2294}, {-.2502, .4355}}},
                                    {.01, .2, {{.0695, -.6418}, {-.2578, .4407}}}};
  Figures vectors("Likelihood ratios of a contributor to a mixture of two (log10, q .1)", result);
  for (const Line& line : kLines)
    for (std::size_t mixture = 0; mixture < 2; ++mixture)
      for (std::size_t person = 0; person < 2; ++person)
        vectors.add(
            fmt::format("bits, mixture {}, person {}, theta {:g}, drop-out {:g}, drop-in .005", mixture,
                        person, line.theta, line.drop_out),
            line.log10[mixture][person],
            mixture_ratio(setting, line.theta, Encoding::kMinor, line.drop_out, .005, mixture, person), 4);
  // Without drop-out, drop-in and theta the ratio is P(the mixture | the person's alleles and two others) /
  // P(the mixture | four random alleles).
  constexpr double kP = 1 - kQ;
  const double both = 1 - kP * kP * kP * kP - kQ * kQ * kQ * kQ;
  const auto add = [&](const std::string& what, std::size_t mixture, std::size_t person, double ratio) {
    vectors.add(what, std::log10(ratio), mixture_ratio(setting, 0, Encoding::kAlleles, 0, 0, mixture, person),
                4);
  };
  add("alleles, both seen, a heterozygote", 1, 1, 1 / both);
  add("alleles, both seen, two major copies", 1, 0, (1 - kP * kP) / both);
  add("alleles, the major one alone, two major copies", 0, 0, 1 / (kP * kP));
  add("alleles, the minor one alone, two minor copies", 2, 2, 1 / (kQ * kQ));
  vectors.end();
}

void add_expected(const Setting& setting, report::Result& result) {
  Figures vectors("Mismatches to expect of bits at a site (q .1, theta 0)", result);
  const stats::PopulationModel model = one_site(setting, .1, 0);
  const std::pair<Relation, double> lines[] = {{kParent, .16200}, {kSibling, .15795}, {kUnrelated, .30780}};
  for (const auto& [relation, by_hand] : lines)
    vectors.add(std::string(name_of(relation)), by_hand, stats::expected_mismatches(model, relation).mean, 5);
  vectors.end();
}

/// Figures along rising theta; each must never move in the wrong direction.
struct Course {
  std::string what;
  bool rises = true;
  std::vector<double> last = {};
  std::size_t wrong = 0, steps = 0;

  void next(const std::vector<double>& values) {
    for (std::size_t i = 0; i < last.size(); ++i) {
      const double step = rises ? values[i] - last[i] : last[i] - values[i];
      wrong += step < -1e-12;
      ++steps;
    }
    last = values;
  }
};

}  // namespace

void test_vectors(const Setting& setting, report::Result& result) {
  result.title = "Figures worked out by hand";
  result.requirement = "Likelihood ratios and probabilities are those of the published formulas.";
  result.method =
      "Sites whose frequencies, co-ancestry and error rate are given are weighed, and the figures are "
      "compared "
      "with ones that were worked out from the formulas beforehand, to the last digit that was.";
  add_joint(setting, result);
  add_conditional(setting, result);
  add_bit_ratios(setting, result);
  add_genotype_ratios(setting, result);
  add_closed_forms(setting, result);
  add_chance(setting, result);
  add_rmne(setting, result);
  add_mixtures(setting, result);
  add_expected(setting, result);
}

void test_monotony(const Setting& setting, report::Result& result) {
  result.title = "Co-ancestry makes no bits look rarer";
  result.requirement =
      "A higher theta never makes a match of bits, or of two minor homozygotes, look rarer. (It does of "
      "heterozygotes of common alleles.)";
  result.method =
      "Frequencies from .01 to .5 with theta from 0 to .5: the probability that a stranger shows the same, "
      "that a "
      "mixture does not exclude him, and the likelihood ratio of sites that agree.";
  std::vector<double> freq;
  for (int i = 1; i <= 50; ++i) freq.push_back(i / 100.);
  Course same{"a stranger shows the same bit: never falls"},
      rmne{"a mixture does not exclude a stranger: never falls"},
      ratio{"log10 LR of bits that agree: never rises", false},
      rare{"log10 LR of two minor homozygotes: never rises", false};
  for (int step = 0; step <= 50; ++step) {
    const stats::PopulationModel model = setting.subject.model(freq, {.theta = step / 100.});
    const stats::IdentityModel bits(model, Encoding::kMinor), alleles(model, Encoding::kAlleles);
    ProfileRows mixture(1, model.n_sites());
    std::vector<double> shows, ratios, homozygous, passes;
    for (std::uint32_t s = 0; s < model.n_sites(); ++s) {
      mixture.set(0, s, false);
      for (const std::size_t x : {0u, 1u}) {
        shows.push_back(bits.differs(s, x).no);
        ratios.push_back(bits.ratios(s, x, x)[kSame]);
      }
      homozygous.push_back(alleles.ratios(s, 2, 2)[kSame]);
    }
    const RowView row = mixture.row(0);
    for (const stats::Event& event : stats::not_seen_events(model, row, row.called, 2))
      passes.push_back(event.no);
    same.next(shows);
    ratio.next(ratios);
    rare.next(homozygous);
    rmne.next(passes);
  }
  for (const Course& course : {same, rmne, ratio, rare})
    result.check(course.what, "no step the other way",
                 fmt::format("{} of {} steps go the other way", course.wrong, course.steps),
                 course.wrong == 0);
}

}  // namespace fastid::validate
