// People who are in the database, by samples of so few reads that nothing is called: are they found, by the
// ratio that theory expects, and do another person's reads show?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/process.hpp"
#include "base/text.hpp"
#include "stats/ibd_emissions.hpp"
#include "stats/likelihoods.hpp"
#include "validate/internal/samples.hpp"
#include "validate/internal/setting.hpp"
#include "validate/internal/theory.hpp"
#include "validate/internal/true_people.hpp"

namespace fastid::validate {
namespace {

constexpr double kBaseError = .005;
constexpr std::array kDepths{.02, .1, .5, 2.};  ///< reads a site
constexpr std::size_t kMostReads = 8;           ///< of a site
constexpr double kForeign = .5, kForeignDepth = 2;

/// [n]: P(n reads of a site); the last entry stands for all larger numbers.
std::array<double, kMostReads + 1> numbers_of_reads(double depth) {
  std::array<double, kMostReads + 1> probabilities{};
  double term = std::exp(-depth), left = 1;
  for (std::size_t n = 0; n < kMostReads; ++n) {
    probabilities[n] = term;
    left -= term;
    term *= depth / static_cast<double>(n + 1);
  }
  probabilities[kMostReads] = left;
  return probabilities;
}

double shown_by(std::size_t minor_copies) {
  const double share = static_cast<double>(minor_copies) / 2;
  return share * (1 - kBaseError) + (1 - share) * kBaseError;
}

GenotypeLikelihoods likelihoods_of(std::uint32_t major, std::uint32_t minor) {
  GenotypeLikelihoods likelihoods{};
  const std::array<std::uint32_t, 3> phred = phred_of(major, minor, kBaseError);
  for (std::size_t g = 0; g < phred.size(); ++g) likelihoods[g] = std::pow(10, -.1 * phred[g]);
  return likelihoods;
}

/// Reads of a person at the autosomal sites. \param other  a second person, who has the share `foreign` of
/// the reads
Reads few_reads(const Setting& setting, const Genotype& person, const Genotype& other, double depth,
                double foreign, simulate::Stream& stream) {
  const auto probabilities = numbers_of_reads(depth);
  Reads reads{std::vector<std::uint32_t>(person.size()), std::vector<std::uint32_t>(person.size())};
  for (const std::uint32_t s : setting.classes.sites(SiteClass::kAutosomal)) {
    double left = stream.uniform();
    for (std::size_t n = 0; n < kMostReads && (left -= probabilities[n]) > 0; ++n) {
      const Genotype& of = foreign > 0 && stream.uniform() < foreign ? other : person;
      ++(stream.uniform() < shown_by(of[s]) ? reads.minor : reads.major)[s];
    }
  }
  return reads;
}

/// What was found for the samples of a depth.
struct Finding : TruePeople {
  std::size_t marked = 0, misprinted = 0;
};

class FewReads {
 public:
  FewReads(const Setting& setting, report::Result& result)
      : setting_(setting),
        result_(result),
        profiles_(setting.size<std::uint64_t>(10'000, 100'000)),
        n_samples_(setting.size<std::size_t>(40, 400)),
        model_(setting.model()),
        people_(people_of(setting.panel, setting.freq, setting.options.seed)) {}

  void run() {
    const std::string database =
        setting_.simulate(setting_.people("few-reads.h5", profiles_), "database of the test of few reads");
    report::Table table{"True people by few reads",
                        {"reads a site", "another person's", "log10 LR expected", "found",
                         "standard errors away", "listed first", "lower than the person's own"},
                        std::vector<bool>(7, false),
                        {}};
    Finding all;
    std::uint64_t stream = 0;
    for (const double depth : kDepths) {
      check_interrupt();
      const Finding finding = find(database, depth, 0, ++stream);
      take(depth, finding, table);
      all.n += finding.n;
      all.marked += finding.marked;
      all.misprinted += finding.misprinted;
    }
    const std::uint64_t most = most_of(all.n, .001);
    result_.check("the person's own reads are called lower than expected", fmt::format("at most {}", most),
                  fmt::format("{} of {}", all.marked, all.n), all.marked <= most);
    result_.check("printed ratios that are not those of reads and profile, weighed by themselves", "none",
                  fmt::format("{} of {}", all.misprinted, all.n), all.misprinted == 0 && all.n > 0);
    take_foreign(find(database, kForeignDepth, kForeign, ++stream), table);
    result_.tables.push_back(std::move(table));
  }

 private:
  Finding find(const std::string& database, double depth, double foreign, std::uint64_t stream_index) const {
    constexpr std::uint64_t kStreams = 5000;  // apart from the streams of other tests
    simulate::Stream stream(setting_.options.seed, simulate::Purpose::kTrials, kStreams + stream_index);
    std::vector<std::uint64_t> rows;
    std::vector<Reads> samples;
    for (std::size_t i = 0; i < n_samples_; ++i) {
      rows.push_back(stream.below(profiles_));
      samples.push_back(few_reads(setting_, stored_person(people_, rows.back()), absent_person(people_, i),
                                  depth, foreign, stream));
    }
    const std::string file = setting_.folder.file("few-reads.vcf");
    write_likelihood_vcf(file, setting_.panel, numbered("sample", n_samples_), samples, kBaseError);
    asking::SearchOptions options = setting_.search(file, database);
    options.import.likelihoods = imports::LikelihoodRule::kAuto;
    const auto engine = setting_.engine();
    const match::MatchTable table = search::search(options, *engine);
    Finding finding;
    for (std::size_t i = 0; i < n_samples_; ++i) judge(samples[i], rows[i], table, i, finding);
    return finding;
  }

  /// A sample without a read is left out of the table; its ratio is 1.
  void judge(const Reads& reads, std::uint64_t row, const match::MatchTable& table, std::size_t i,
             Finding& finding) const {
    const double ratio = ratio_of(reads, row);
    ++finding.n;
    finding.sum += ratio;
    const auto query =
        std::ranges::find(table.queries, numbered("sample", i + 1).back(), &match::QueryMatches::name);
    if (query == table.queries.end() || query->rows.empty()) return;
    finding.first += query->rows.front().row == row;
    for (const match::MatchRow& listed : query->rows) {
      if (listed.row != row) continue;
      finding.marked += listed.sample && listed.sample->below_expected;
      finding.misprinted += !listed.log10_lr || !(std::abs(*listed.log10_lr - ratio) <= 1e-6);
    }
  }

  double ratio_of(const Reads& reads, std::uint64_t row) const {
    const Genotype person = stored_person(people_, row);
    double ratio = 0;
    for (const std::uint32_t s : setting_.classes.sites(SiteClass::kAutosomal))
      if (reads.major[s] + reads.minor[s] > 0) ratio += weight(s, reads.major[s], reads.minor[s])[person[s]];
    return ratio;
  }

  /// log10 ratio of a site's reads, by minor copies of the profile.
  std::array<double, 3> weight(std::uint32_t site, std::uint32_t major, std::uint32_t minor) const {
    const auto& [theta, w] = model_.parameters();
    const stats::SiteRatios ratios =
        stats::site_ratios(stats::ibd_emissions(model_.minor_freq()[site], theta, w),
                           likelihoods_of(major, minor), Encoding::kAlleles);
    std::array<double, 3> weights{};
    for (std::size_t y = 0; y < weights.size(); ++y) weights[y] = ratios.of[y][stats::Relation::kSame];
    return weights;
  }

  /// Mean and variance of the log10 ratio of the true person, who is stored without errors. The probabilities
  /// of people and of their reads are theory.hpp's; the ratios are the model's.
  Sum expected_ratio(double depth) const {
    const auto numbers = numbers_of_reads(depth);
    Sum sum;
    for (const std::uint32_t s : setting_.classes.sites(SiteClass::kAutosomal)) {
      const auto people = genotypes(setting_.freq[s]);
      double mean = 0, square = 0;
      for (std::uint32_t n = 1; n < numbers.size(); ++n)
        for (std::uint32_t minor = 0; minor <= n; ++minor) {
          const std::array<double, 3> weights = weight(s, n - minor, minor);
          for (std::size_t g = 0; g < 3; ++g) {
            const double p = numbers[n] * people[g] * binomial_term(n, shown_by(g), minor);
            mean += p * weights[g];
            square += p * weights[g] * weights[g];
          }
        }
      sum.mean += mean;
      sum.variance += square - mean * mean;
    }
    return sum;
  }

  void take(double depth, const Finding& finding, report::Table& table) {
    const Sum expected = expected_ratio(depth);
    const double mean = finding.sum / static_cast<double>(finding.n);
    const std::string what = fmt::format("{:g} reads a site", depth);
    const double away = check_true_people(result_, what, expected, finding, profiles_);
    table.rows.push_back({fmt::format("{:g}", depth), "none", fmt::format("{:.2f}", expected.mean),
                          fmt::format("{:.2f}", mean), fmt::format("{:+.1f}", away),
                          share_of(finding.first, finding.n), share_of(finding.marked, finding.n)});
  }

  /// Checks that samples with another person's reads are marked. On a panel of few sites this is not
  /// required: half of the reads may pass unnoticed.
  void take_foreign(const Finding& finding, report::Table& table) {
    constexpr std::uint32_t kEnough = 500;
    if (setting_.counted_sites() >= kEnough)
      result_.check("another person's reads show as a ratio lower than expected: half of 2 reads a site",
                    fmt::format("at least {}", least_of(finding.n, .99)),
                    fmt::format("{} of {}", finding.marked, finding.n),
                    finding.marked >= least_of(finding.n, .99));
    table.rows.push_back({fmt::format("{:g}", kForeignDepth), fmt::format("{:g} %", 100 * kForeign), "-",
                          fmt::format("{:.2f}", finding.sum / static_cast<double>(finding.n)), "-",
                          share_of(finding.first, finding.n), share_of(finding.marked, finding.n)});
  }

  static std::string share_of(std::size_t part, std::size_t whole) {
    return fmt::format("{:.1f} %", 100 * static_cast<double>(part) / static_cast<double>(whole));
  }

  const Setting& setting_;
  report::Result& result_;
  std::uint64_t profiles_;
  std::size_t n_samples_;
  stats::PopulationModel model_;
  simulate::People people_;
};

}  // namespace

void test_few_reads(const Setting& setting, report::Result& result) {
  result.title = "Samples of few reads";
  result.requirement =
      "People of the database are found by reads of a fraction of the sites, with the likelihood ratios that "
      "frequencies and reads let expect; another person's reads show.";
  result.method =
      "Reads of people of a simulated database, misread at a rate of .005, are written as genotype "
      "likelihoods "
      "(PL) without calls, and searched for. What is expected comes of Hardy-Weinberg proportions and of all "
      "numbers of reads.";
  FewReads(setting, result).run();
}

}  // namespace fastid::validate
