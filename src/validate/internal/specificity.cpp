// People who are not in the database: how many are found by chance, and how high their ratios come.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "base/process.hpp"
#include "base/text.hpp"
#include "db/database.hpp"
#include "pipeline/search.hpp"
#include "stats/evidence.hpp"
#include "validate/internal/samples.hpp"
#include "validate/internal/setting.hpp"
#include "validate/internal/theory.hpp"

namespace fastid::validate {
namespace {

using stats::Relation;

constexpr double kError = stats::Parameters{}.error_rate;

/// Samples of people who are in no database.
std::vector<Sample> strangers(const Setting& setting, std::size_t n, const Damage& damage) {
  const simulate::People people = people_of(setting.panel, setting.freq, setting.options.seed);
  simulate::Stream stream(setting.options.seed, simulate::Purpose::kTrials, 1000 + damage.sites);
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < n; ++i)
    samples.push_back(observed(absent_person(people, i), setting.classes, damage, stream));
  return samples;
}

/// The number of strangers found by chance, and the expected number.
struct Chance {
  double expected = 0;
  std::uint64_t found = 0;
};

/// Counts the strangers within each query's limit: the mismatches with which at most one is expected by
/// chance. Adds up the number expected at each query's own limit, which is below one since mismatches are
/// whole numbers.
Chance chance_of(const Setting& setting, const db::Reader& database, const ProfileRows& rows, Encoding by,
                 double theta) {
  const std::vector<stats::PopulationModel> models{setting.model({.theta = theta})};
  const stats::Question question = stats::make_question(
      engine::Comparison::kIdentity, by, database.shape().n_profiles, Relation::kUnrelated, models);
  std::vector<double> expected(rows.n_rows());
  std::vector<match::QueryRule> own(rows.n_rows());
  std::vector<char> counted(rows.n_rows());
  setting.pool.for_each(rows.n_rows(), [&](std::size_t q, const ThreadPool::Stop&) {
    const stats::QueryEvaluator figures(question, rows.row(q));
    const auto limit = figures.limit(1);
    own[q].max_count = limit.value_or(0);
    if (!limit) return;
    counted[q] = 1;
    expected[q] = std::pow(10, figures.log10_expected_at_most(0, *limit));
  });
  const auto engine = setting.engine();
  const engine::Problem problem{engine::Comparison::kIdentity, &rows, database.shape(), database.has_second(),
                                by};
  Progress silent(ProgressMode::kNever, "", "", 0);
  const pipeline::SearchResult found = pipeline::search_database(
      database, problem, *engine, {{.top = match::KeepRule::kAll}, own}, setting.options.threads, silent);
  Chance chance;
  for (std::size_t q = 0; q < expected.size(); ++q) {
    chance.expected += expected[q];
    if (counted[q] != 0) chance.found += found.ranked[q].pairs.size();
  }
  return chance;
}

/// Ratios of strangers with each other, at few sites, where chance can make them high.
struct Ratios {
  static constexpr std::array kBounds{1, 10, 100, 1000, 10'000};
  std::uint64_t pairs = 0;
  std::array<std::uint64_t, kBounds.size()> reached{};
};

Ratios ratios_of(const Setting& setting, const stats::IdentityModel& identity, const ProfileRows& samples,
                 const ProfileRows& stored, Relation relation) {
  std::vector<RowView> others;
  for (std::size_t j = 0; j < stored.n_rows(); ++j) others.push_back(stored.row(j));
  std::vector<Ratios> parts(samples.n_rows());
  setting.pool.for_each(samples.n_rows(), [&](std::size_t i, const ThreadPool::Stop&) {
    const stats::IdentityRatios ratios(identity, samples.row(i), Relation::kUnrelated);
    for (const stats::RelationRatios& of : ratios.with(others)) {
      const double found =
          relation == Relation::kSame ? of.between(relation, Relation::kUnrelated) : of[relation];
      ++parts[i].pairs;
      for (std::size_t b = 0; b < Ratios::kBounds.size(); ++b)
        parts[i].reached[b] += found >= std::log10(Ratios::kBounds[b]);
    }
  });
  Ratios sum;
  for (const Ratios& part : parts) {
    sum.pairs += part.pairs;
    for (std::size_t b = 0; b < part.reached.size(); ++b) sum.reached[b] += part.reached[b];
  }
  return sum;
}

/// Checks that the mean ratio of strangers at a single site is 1, as it is whenever the frequency is right.
void check_mean(const Setting& setting, const stats::IdentityModel& identity, const ProfileRows& samples,
                const ProfileRows& stored, report::Result& result) {
  double sum = 0, variance = 0;
  const double n = static_cast<double>(std::min(samples.n_rows(), stored.n_rows()));
  for (const std::uint32_t s : setting.classes.sites(SiteClass::kAutosomal)) {
    double mean = 0, square = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      const std::size_t x = stats::shown_at(samples.row(i), s), y = stats::shown_at(stored.row(i), s);
      const double ratio = std::pow(10, identity.ratios(s, x, y)[Relation::kSame]);
      mean += ratio / n;
      square += ratio * ratio / n;
    }
    sum += mean;
    variance += (square - mean * mean) / n;
  }
  const double sites = setting.counted_sites();
  const double away = (sum - sites) / std::sqrt(variance);
  result.check("mean likelihood ratio of strangers at one site, by alleles, over all sites",
               fmt::format("1, at most {} standard errors away", kFarthest),
               fmt::format("{:.5f}, {:+.1f} standard errors", sum / sites, away),
               std::abs(away) <= kFarthest);
}

ProfileRows stored_rows(const std::string& database, ThreadPool& pool) {
  const db::Reader reader(database);
  return ProfileRows::from_source(reader, 0, static_cast<std::size_t>(reader.shape().n_profiles), pool);
}

void add_line(const Ratios& ratios, const std::string& by, std::uint32_t sites, Relation relation,
              report::Table& table, report::Result& result) {
  std::vector<std::string> line{std::string(stats::name_of(relation)), by, with_commas(sites),
                                with_commas(ratios.pairs)};
  for (std::size_t b = 0; b < ratios.reached.size(); ++b) {
    const double share = static_cast<double>(ratios.reached[b]) / static_cast<double>(ratios.pairs);
    const std::uint64_t most = most_by_chance(static_cast<double>(ratios.pairs) / Ratios::kBounds[b]);
    line.push_back(fmt::format("{:.5f} %", 100 * share));
    if (b > 0)
      result.check(fmt::format("strangers with an LR of {} or more as {}, {} sites, by {}",
                               with_commas(static_cast<std::uint64_t>(Ratios::kBounds[b])),
                               stats::name_of(relation), sites, by),
                   fmt::format("at most {}", with_commas(most)),
                   fmt::format("{} of {}", with_commas(ratios.reached[b]), with_commas(ratios.pairs)),
                   ratios.reached[b] <= most);
  }
  table.rows.push_back(std::move(line));
}

}  // namespace

void test_chance(const Setting& setting, report::Result& result) {
  result.title = "Chance matches";
  result.requirement = "A search brings as many strangers as it says that it will, not more.";
  result.method =
      "People who are not in the database are searched for. All who differ so little that at most one is "
      "expected by chance are strangers. Without co-ancestry their number must be the one expected, neither "
      "more "
      "nor less; with fastid's default theta, which errs on the side of more, it must not be higher.";
  const db::Reader database(
      setting.simulate(setting.people("strangers.h5", setting.size<std::uint64_t>(20'000, 200'000)),
                       "database of the test of chance matches"));
  const std::size_t n = setting.size<std::size_t>(150, 2'000);
  report::Table table{"Strangers within the limit",
                      {"sites", "by", "theta", "expected", "found"},
                      {false, true, false, false, false},
                      {}};
  for (const std::uint32_t sites : {0u, 256u, 94u}) {
    if (sites >= setting.counted_sites()) continue;
    const std::vector<Sample> samples = strangers(setting, n, {.sites = sites});
    const ProfileRows rows = rows_of(samples, setting.classes);
    for (const Encoding by : {Encoding::kAlleles, Encoding::kMinor})
      for (const double theta : {0., .01}) {
        check_interrupt();
        const Chance chance = chance_of(setting, database, rows, by, theta);
        const std::string word = by == Encoding::kAlleles ? "alleles" : "bits";
        const std::string typed = with_commas(sites == 0 ? setting.counted_sites() : sites);
        const std::uint64_t least = theta == 0 ? least_by_chance(chance.expected) : 0;
        result.check(
            fmt::format("strangers within the limit, {} sites, by {}, theta {:g}", typed, word, theta),
            fmt::format("{} to {}", least, most_by_chance(chance.expected)), std::to_string(chance.found),
            chance.found >= least && chance.found <= most_by_chance(chance.expected));
        table.rows.push_back({typed, word, fmt::format("{:g}", theta), fmt::format("{:.1f}", chance.expected),
                              std::to_string(chance.found)});
      }
  }
  result.tables.push_back(std::move(table));
}

void test_strangers(const Setting& setting, report::Result& result) {
  result.title = "Likelihood ratios of strangers";
  result.requirement = "At most one stranger in x has a likelihood ratio of x or more.";
  result.method =
      "People who are not in the database are weighed against those who are (both with misread alleles), at "
      "12 to 94 sites, where chance can "
      "make a ratio high, under each relation. Of unrelated people a ratio against \"unrelated\" has mean 1, "
      "if the "
      "frequencies are right; so the shares are bounded whatever the panel is, and at single sites the mean "
      "itself "
      "is checked.";
  simulate::SimulateOptions people = setting.people("misread.h5", setting.size<std::uint64_t>(5'000, 20'000));
  people.error_rate = kError;
  const std::string database = setting.simulate(people, "database of the test of strangers' ratios");
  const std::size_t n = setting.size<std::size_t>(100, 1'000);
  const ProfileRows stored = stored_rows(database, setting.pool);
  const stats::PopulationModel model = setting.model({.theta = 0});
  const stats::IdentityModel alleles(model, Encoding::kAlleles), bits(model, Encoding::kMinor);
  report::Table table{"Shares of strangers whose likelihood ratio reaches a bound",
                      {"as", "by", "sites", "pairs", "1", "10", "100", "1,000", "10,000"},
                      {true, true, false, false, false, false, false, false, false},
                      {}};
  for (const std::uint32_t sites : {12u, 24u, 52u, 94u}) {
    if (sites > setting.counted_sites()) continue;
    check_interrupt();
    const ProfileRows samples =
        rows_of(strangers(setting, n, {.error = kError, .sites = sites}), setting.classes);
    for (const auto* identity : {&alleles, &bits})
      add_line(ratios_of(setting, *identity, samples, stored, Relation::kSame),
               identity->by() == Encoding::kAlleles ? "alleles" : "bits", sites, Relation::kSame, table,
               result);
    const ProfileRows some = samples.slice(0, samples.n_rows() / 10);
    for (const Relation relation : {Relation::kParentChild, Relation::kSibling})
      add_line(ratios_of(setting, alleles, some, stored, relation), "alleles", sites, relation, table,
               result);
  }
  result.tables.push_back(std::move(table));
  check_mean(
      setting, alleles,
      rows_of(strangers(setting, std::min<std::size_t>(4 * n, 2'000), {.error = kError}), setting.classes),
      stored, result);
}

}  // namespace fastid::validate
