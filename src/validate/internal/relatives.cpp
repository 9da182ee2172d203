// Relatives who are planted in a database: are they found, named correctly, and weighed as theory expects?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"
#include "db/database.hpp"
#include "ingest/ingest.hpp"
#include "questions/kin/run.hpp"
#include "stats/kin_power.hpp"
#include "validate/internal/setting.hpp"
#include "validate/internal/stretches.hpp"
#include "validate/internal/theory.hpp"

namespace fastid::validate {
namespace {

using stats::Relation;

constexpr double kError = stats::Parameters{}.error_rate;
constexpr std::array kPlanted{simulate::Relation::kTwin, simulate::Relation::kParentChild,
                              simulate::Relation::kFullSiblings, simulate::Relation::kHalfSiblings,
                              simulate::Relation::kFirstCousins};

/// A planted pair by the ids of the two, and its relation.
struct Pair {
  std::string profile, relative;
  Relation relation = Relation::kUnrelated;
};

Relation relation_of(std::string_view planted) {
  constexpr std::array kNames{Relation::kSame, Relation::kParentChild, Relation::kSibling,
                              Relation::kHalfSibling, Relation::kCousin};
  for (std::size_t i = 0; i < kPlanted.size(); ++i)
    if (simulate::name_of(kPlanted[i]) == planted) return kNames[i];
  return Relation::kUnrelated;
}

std::vector<Pair> planted_pairs(const std::string& database) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 26;
  const std::string text = read_regular_file(simulate::relatives_path(database), kMostBytes);
  std::vector<Pair> pairs;
  for (const std::string_view line : split(text, '\n')) {
    const std::vector<std::string_view> cells = split(line, '\t');
    if (cells.size() > 3 && cells[0] != "relation")
      pairs.push_back({std::string(cells[1]), std::string(cells[3]), relation_of(cells[0])});
  }
  return pairs;
}

std::optional<double> ratio_for(const match::RelationFigures& ratios, Relation relation) {
  switch (relation) {
    case Relation::kSame:
      return ratios.same;
    case Relation::kParentChild:
      return ratios.parent_child;
    case Relation::kSibling:
      return ratios.sibling;
    case Relation::kHalfSibling:
      return ratios.half_sibling;
    case Relation::kCousin:
      return ratios.cousin;
    case Relation::kUnrelated:
      break;
  }
  return {};
}

/// What was found for the pairs of one relation.
struct Finding {
  std::uint64_t pairs = 0, right = 0, undecided = 0, wrong = 0, missing = 0;
  double sum = 0;  ///< of the log10 ratios of their own relation
};

class Relatives {
 public:
  Relatives(const Setting& setting, report::Result& result)
      : setting_(setting),
        result_(result),
        each_(setting.size<std::uint32_t>(20, 200)),
        profiles_(setting.size<std::uint64_t>(1'000, 4'000)),
        power_(stats::kin_power(setting.counted_model({.theta = 0}))) {}

  void run() {
    simulate::SimulateOptions people = setting_.people("relatives.h5", profiles_);
    people.error_rate = kError;
    people.unlinked_meioses = true;  // so that what is expected is known
    for (const simulate::Relation relation : kPlanted)
      people.pairs[static_cast<std::size_t>(relation)] = each_;
    const std::string database = setting_.simulate(people, "database of the test of relatives");
    const std::vector<Pair> pairs = planted_pairs(database);
    const match::MatchTable table = find(database, pairs);
    for (const Pair& pair : pairs) judge(table, pair);
    report();
  }

 private:
  match::MatchTable find(const std::string& database, const std::vector<Pair>& pairs) const {
    const std::string file = setting_.folder.file("relatives.vcf");
    ingest::ExportOptions exported{.database = database, .output = file, .profiles = {}};
    for (const Pair& pair : pairs) exported.profiles.push_back(pair.profile);
    ingest::export_database(exported);
    kin::KinOptions options{
        .search = setting_.search(file, database), .min_kinship = -10, .family = {}, .missing = {}};
    options.linked.unlinked = true;  // as they are made, and what is expected
    options.search.rule.top = match::KeepRule::kAll;
    options.search.evidence.parameters.theta = 0;
    const auto engine = setting_.engine();
    return kin::find_kin(options, *engine);
  }

  void judge(const match::MatchTable& table, const Pair& pair) {
    Finding& finding = findings_[pair.relation];
    ++finding.pairs;
    const auto query = std::ranges::find(table.queries, pair.profile, &match::QueryMatches::name);
    if (query == table.queries.end()) {
      ++finding.missing;
      return;
    }
    bool found = false;
    for (const match::MatchRow& row : query->rows) {
      if (!row.kin || !row.kin->log10_lr || row.profile == pair.profile) continue;
      if (row.profile != pair.relative) {
        judge_stranger(row);
        continue;
      }
      found = true;
      const bool right = row.kin->relation == stats::name_of(pair.relation);
      const bool undecided = row.kin->relation == "undecided";
      finding.right += right;
      finding.undecided += undecided;
      finding.wrong += !right && !undecided;
      finding.sum += ratio_for(*row.kin->log10_lr, pair.relation).value_or(0);
    }
    finding.missing += !found;
  }

  void judge_stranger(const match::MatchRow& row) {
    ++strangers_;
    named_ += row.kin->relation != "undecided" && row.kin->relation != "unrelated";
    for (std::size_t i = 0; i < reached_.size(); ++i)
      reached_[i] +=
          ratio_for(*row.kin->log10_lr, Relation::kSibling).value_or(0) >= static_cast<double>(i + 1);
  }

  void report() {
    report::Table table{"Planted relatives",
                        {"relation", "pairs", "named right", "undecided", "another relation", "not listed",
                         "expected right", "log10 LR expected", "found"},
                        {true, false, false, false, false, false, false, false, false},
                        {}};
    for (const auto& [relation, finding] : findings_) add(relation, finding, table);
    result_.tables.push_back(std::move(table));
    report_strangers();
  }

  void add(Relation relation, const Finding& finding, report::Table& table) {
    const stats::KinPower::Kin& expected = power_[relation];
    const std::string name(stats::name_of(relation));
    const double n = static_cast<double>(finding.pairs), mean = finding.sum / n;
    const double away = (mean - expected.log10_lr.mean) / (expected.log10_lr.sd / std::sqrt(n));
    // kin_power() counts rates among drawn pairs, which makes them uncertain too.
    constexpr double kUncertain = .07;
    result_.check("mean log10 LR of pairs: " + name,
                  fmt::format("{:.2f}, at most {} standard errors away", expected.log10_lr.mean, kFarthest),
                  fmt::format("{:.2f}, {:+.1f} standard errors", mean, away), std::abs(away) <= kFarthest);
    const std::uint64_t most = most_of(finding.pairs, std::min(1., expected.wrong + kUncertain));
    result_.check("pairs of which another relation is named: " + name, fmt::format("at most {}", most),
                  fmt::format("{} of {}", finding.wrong, finding.pairs), finding.wrong <= most);
    // A relation is named where chance does not explain the ratio too.
    if (expected.log10_lr.mean - 4 * expected.log10_lr.sd >
        std::log10(5. * static_cast<double>(profiles_)) + 2) {
      const std::uint64_t least = least_of(finding.pairs, std::max(0., expected.right - kUncertain));
      result_.check("pairs of which the right relation is named: " + name, fmt::format("at least {}", least),
                    fmt::format("{} of {}", finding.right, finding.pairs), finding.right >= least);
    }
    table.rows.push_back({name, std::to_string(finding.pairs), std::to_string(finding.right),
                          std::to_string(finding.undecided), std::to_string(finding.wrong),
                          std::to_string(finding.missing), fmt::format("{:.0f} %", 100 * expected.right),
                          fmt::format("{:.2f}", expected.log10_lr.mean), fmt::format("{:.2f}", mean)});
  }

  void report_strangers() {
    report::Table table{
        "Strangers as siblings", {"LR", "pairs", "reach it", "at most"}, {false, false, false, false}, {}};
    for (std::size_t i = 0; i < reached_.size(); ++i) {
      const double bound = std::pow(10, static_cast<double>(i + 1));
      const std::uint64_t most = most_by_chance(static_cast<double>(strangers_) / bound);
      result_.check(fmt::format("strangers with an LR of {:g} or more as siblings", bound),
                    fmt::format("at most {}", most),
                    fmt::format("{} of {}", reached_[i], with_commas(strangers_)), reached_[i] <= most);
      table.rows.push_back(
          {fmt::format("{:g}", bound), with_commas(strangers_), with_commas(reached_[i]), with_commas(most)});
    }
    result_.tables.push_back(std::move(table));
    const double queries = static_cast<double>(each_) * kPlanted.size();
    const std::uint64_t most = most_by_chance(queries * stats::kExplainedByChance);
    result_.check("strangers of whom a relation is named", fmt::format("at most {}", most),
                  fmt::format("{} of {}", named_, with_commas(strangers_)), named_ <= most);
  }

  const Setting& setting_;
  report::Result& result_;
  std::uint32_t each_;
  std::uint64_t profiles_;
  stats::KinPower power_;
  std::map<Relation, Finding> findings_;
  std::uint64_t strangers_ = 0, named_ = 0;
  std::array<std::uint64_t, 4> reached_{};  ///< ratios of 10, 100 and on
};

}  // namespace

void test_relatives(const Setting& setting, report::Result& result) {
  result.title = "Relatives";
  result.requirement =
      "Pairs of relatives have the likelihood ratios that their relation leads to expect; a relation is "
      "named where "
      "the panel can tell it, and of strangers none.";
  result.method =
      "Twins, parents and children, full and half siblings and cousins are planted in a simulated database, "
      "with "
      "misread alleles. One of each pair is exported as VCF and searched for with fastid kin, which lists "
      "everybody. "
      "Sites are unlinked here. Then relatives of 19 relations to the fifth degree are planted who share "
      "stretches of chromosomes, and fastid kin follows them along the genetic map, as by default "
      "(docs/calibration/relatives.md).";
  Relatives(setting, result).run();
  test_relatives_along_map(setting, result);
}

}  // namespace fastid::validate
