// People who are in the database, by samples that are more and more damaged: are they found, and by the ratio
// that theory expects?
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/process.hpp"
#include "base/text.hpp"
#include "stats/evidence.hpp"
#include "validate/internal/samples.hpp"
#include "validate/internal/setting.hpp"
#include "validate/internal/theory.hpp"
#include "validate/internal/true_people.hpp"

namespace fastid::validate {
namespace {

using stats::Relation;

/// Samples that are damaged in one way.
struct Condition {
  Damage damage;
  std::vector<std::uint64_t> rows;  ///< of the people
  std::vector<Sample> samples;
};

/// What was found for samples of one condition.
struct Finding : TruePeople {
  std::size_t weighed = 0;
  std::size_t named_same = 0;  ///< samples whose person is suggested to be the same
  std::size_t below_one = 0;   ///< samples with a ratio that speaks against the person
  std::size_t mistaken =
      0;  ///< somebody else is listed first, as the same person whom chance does not explain
  std::size_t misprinted = 0;  ///< the printed ratio is not the one of the two profiles
};

std::vector<Damage> damages(std::uint32_t n_sites) {
  std::vector<Damage> all{{.error = .005},
                          {.error = .02},
                          {.error = .05},
                          {.error = .005, .drop_out = .1},
                          {.error = .005, .drop_out = .3},
                          {.error = .02, .drop_out = .5}};
  for (const std::uint32_t sites : {512u, 256u, 128u, 94u, 52u, 24u, 12u})
    if (sites < n_sites) all.push_back({.error = .005, .sites = sites});
  if (n_sites > 94) all.push_back({.error = .02, .drop_out = .3, .sites = 94});
  return all;
}

/// Mean and variance of the log10 ratio of the true person, who is stored without errors. The probabilities
/// of people and of what is seen are theory.hpp's; the ratios are the model's.
Sum expected_ratio(const Setting& setting, const stats::IdentityModel& model, const Damage& damage) {
  const auto shown = seen(damage);
  const std::vector<bool> typed = typed_sites(setting.classes, damage.sites);
  Sum sum;
  for (const std::uint32_t s : setting.classes.sites(SiteClass::kAutosomal)) {
    if (!typed[s]) continue;
    const auto people = genotypes(setting.freq[s]);
    double mean = 0, square = 0;
    for (std::size_t g = 0; g < 3; ++g)
      for (std::size_t x = 0; x < 3; ++x) {
        const double ratio = model.ratios(s, x, g)[Relation::kSame], p = people[g] * shown[g][x];
        mean += p * ratio;
        square += p * ratio * ratio;
      }
    sum.mean += mean;
    sum.variance += square - mean * mean;
  }
  return sum;
}

class Sensitivity {
 public:
  Sensitivity(const Setting& setting, report::Result& result)
      : setting_(setting),
        result_(result),
        profiles_(setting.size<std::uint64_t>(10'000, 200'000)),
        n_samples_(setting.size<std::size_t>(60, 1'000)),
        model_(setting.model()),
        identity_(model_, Encoding::kAlleles),
        people_(people_of(setting.panel, setting.freq, setting.options.seed)) {}

  void run() {
    const std::string database =
        setting_.simulate(setting_.people("stored.h5", profiles_), "database of the sensitivity test");
    report::Table table{"True people by damaged samples",
                        {"sites", "errors", "drop-out", "log10 LR expected", "found", "standard errors away",
                         "listed first", "suggested: same", "LR below 1"},
                        std::vector<bool>(9, false),
                        {}};
    std::uint64_t stream = 0;
    for (const Damage& damage : damages(setting_.counted_sites())) {
      check_interrupt();
      const Condition condition = sample(damage, ++stream);
      take(condition, find(condition, database), table);
    }
    result_.check("samples of which somebody else stands first, as the same person and unexplained by chance",
                  fmt::format("at most {}", most_by_chance(.01 * static_cast<double>(n_asked_))),
                  fmt::format("{} of {}", mistaken_, with_commas(n_asked_)),
                  mistaken_ <= most_by_chance(.01 * static_cast<double>(n_asked_)));
    result_.check("printed ratios that are not those of the two profiles, weighed by themselves", "none",
                  fmt::format("{} of {}", misprinted_, with_commas(n_weighed_)),
                  misprinted_ == 0 && n_weighed_ > 0);
    result_.tables.push_back(std::move(table));
  }

 private:
  Condition sample(const Damage& damage, std::uint64_t stream_index) {
    simulate::Stream stream(setting_.options.seed, simulate::Purpose::kTrials, stream_index);
    Condition condition{damage, {}, {}};
    for (std::size_t i = 0; i < n_samples_; ++i) {
      condition.rows.push_back(stream.below(profiles_));
      condition.samples.push_back(
          observed(stored_person(people_, condition.rows.back()), setting_.classes, damage, stream));
    }
    return condition;
  }

  Finding find(const Condition& condition, const std::string& database) const {
    const std::string file = setting_.folder.file("samples.vcf");
    write_vcf(file, setting_.panel, numbered("sample", n_samples_), condition.samples);
    const auto engine = setting_.engine();
    const match::MatchTable table = search::search(setting_.search(file, database), *engine);
    Finding finding;
    for (std::size_t i = 0; i < n_samples_; ++i) judge(condition, table, i, finding);
    return finding;
  }

  /// A sample where nothing was seen is left out of the table; its ratio is 1.
  void judge(const Condition& condition, const match::MatchTable& table, std::size_t i,
             Finding& finding) const {
    const ProfileRows sample = rows_of({condition.samples[i]}, setting_.classes);
    const std::string name = numbered("sample", i + 1).back();
    const auto query = std::ranges::find(table.queries, name, &match::QueryMatches::name);
    const double ratio = ratio_of(sample, condition.rows[i]);
    ++finding.n;
    finding.sum += ratio;
    finding.below_one += ratio < 0;
    if (query == table.queries.end() || query->rows.empty()) return;
    const match::MatchRow& first = query->rows.front();
    const bool right = first.row == condition.rows[i], same = first.suggests == "same";
    finding.first += right;
    finding.named_same += right && same;
    finding.mistaken += !right && same && !stats::explained_by_chance(first.log10_chance_matches.value_or(0));
    for (const match::MatchRow& row : query->rows) {
      ++finding.weighed;
      finding.misprinted += !row.log10_lr || std::abs(*row.log10_lr - ratio_of(sample, row.row)) > 1e-6;
    }
  }

  double ratio_of(const ProfileRows& sample, std::uint64_t row) const {
    const ProfileRows stored = rows_of({whole(stored_person(people_, row))}, setting_.classes);
    return stats::IdentityRatios(identity_, sample.row(0), Relation::kUnrelated).log10_lr(stored.row(0));
  }

  static Sample whole(const Genotype& person) {
    static constexpr Seen kShown[] = {kMajorSeen, kBothSeen, kMinorSeen, kNoneSeen};  // by minor copies
    Sample sample;
    for (const std::uint8_t copies : person) sample.push_back(kShown[copies]);
    return sample;
  }

  void take(const Condition& condition, const Finding& finding, report::Table& table) {
    const Damage& damage = condition.damage;
    const Sum expected = expected_ratio(setting_, identity_, damage);
    const double n = static_cast<double>(finding.n), mean = finding.sum / n;
    const std::uint32_t sites = damage.sites == 0 ? setting_.counted_sites() : damage.sites;
    const std::string what = fmt::format("{}, {:g} % errors, {:g} % drop-out", counted(sites, "site"),
                                         100 * damage.error, 100 * damage.drop_out);
    const double away = check_true_people(result_, what, expected, finding, profiles_);
    table.rows.push_back({with_commas(sites), fmt::format("{:g} %", 100 * damage.error),
                          fmt::format("{:g} %", 100 * damage.drop_out), fmt::format("{:.2f}", expected.mean),
                          fmt::format("{:.2f}", mean), fmt::format("{:+.1f}", away),
                          fmt::format("{:.1f} %", 100 * static_cast<double>(finding.first) / n),
                          fmt::format("{:.1f} %", 100 * static_cast<double>(finding.named_same) / n),
                          fmt::format("{:.1f} %", 100 * static_cast<double>(finding.below_one) / n)});
    n_asked_ += finding.n;
    n_weighed_ += finding.weighed;
    mistaken_ += finding.mistaken;
    misprinted_ += finding.misprinted;
  }

  const Setting& setting_;
  report::Result& result_;
  std::uint64_t profiles_;
  std::size_t n_samples_;
  stats::PopulationModel model_;
  stats::IdentityModel identity_;
  simulate::People people_;
  std::size_t n_asked_ = 0, n_weighed_ = 0, mistaken_ = 0, misprinted_ = 0;
};

}  // namespace

void test_sensitivity(const Setting& setting, report::Result& result) {
  result.title = "Sensitivity";
  result.requirement =
      "A person in the database is found by a sample that says enough, and the likelihood ratio falls with "
      "the "
      "sample's quality as theory has it: never higher, never lower.";
  result.method =
      "Samples of people in a simulated database, with alleles misread, alleles lost, and fewer and fewer "
      "sites, "
      "are written as VCF and searched for. The mean log10 LR of the true person is held against the one "
      "that "
      "frequencies and damage lead to expect; where that is far above the size of the database, the person "
      "must "
      "stand first.";
  Sensitivity(setting, result).run();
}

}  // namespace fastid::validate
