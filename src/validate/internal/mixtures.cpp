// Mixtures of two to five people of the database, by reads: are the contributors found, and nobody else?
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/process.hpp"
#include "base/text.hpp"
#include "db/database.hpp"
#include "validate/internal/samples.hpp"
#include "validate/internal/setting.hpp"
#include "validate/internal/theory.hpp"

namespace fastid::validate {
namespace {

constexpr std::uint32_t kDepth = 100;  ///< reads of a site
constexpr double kReadError = .0005;
constexpr double kLeastShare = .02;      ///< of the reads of a site, that an allele needs
constexpr double kTimesRelative = 1000;  ///< whoever is apart is so much better a contributor than a relative
constexpr double kClearShare = .15;      ///< a contributor with so much of the mixture must be found

/// Parts of the contributors: {3, 1} is three to one.
using Parts = std::vector<double>;

const std::vector<Parts>& mixtures() {
  static const std::vector<Parts> kAll{{1, 1},          {3, 1},          {9, 1},       {19, 1},
                                       {1, 1, 1},       {6, 3, 1},       {1, 1, 1, 1}, {8, 4, 2, 1},
                                       {1, 1, 1, 1, 1}, {10, 5, 3, 2, 1}};
  return kAll;
}

std::string name_of(const Parts& parts) {
  return fmt::format("{}", fmt::join(parts, ":"));
}

std::vector<double> shares_of(const Parts& parts) {
  double sum = 0;
  for (const double part : parts) sum += part;
  std::vector<double> shares;
  for (const double part : parts) shares.push_back(part / sum);
  return shares;
}

/// The ids of those who left a simulated stain, and of their relatives in the database.
struct StainTruth {
  std::set<std::string> contributors, relatives;
};

/// The truth of a stains.tsv, by the stains' names.
std::map<std::string, StainTruth> truth_of_stains(const std::string& path) {
  constexpr std::size_t kFile = 0, kProfile = 2, kRelative = 7;
  std::map<std::string, StainTruth> stains;
  std::ifstream lines(path);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    const std::vector<std::string_view> fields = split(line, '\t');
    StainTruth& stain = stains[std::string(fields.at(kFile).substr(0, fields.at(kFile).find('.')))];
    stain.contributors.emplace(fields.at(kProfile));
    stain.relatives.emplace(fields.at(kRelative));
  }
  return stains;
}

/// What was found for the mixtures of one kind.
struct Finding {
  std::uint64_t clear = 0, clear_found = 0, clear_above = 0;  ///< contributors with kClearShare and more
  std::uint64_t faint = 0, faint_found = 0, faint_above = 0;
  std::uint64_t saturated = 0, mixtures = 0, counted_right = 0;
  std::uint64_t strangers = 0;
  std::array<std::uint64_t, 4> reached{};  ///< strangers with ratios of 1, 10, 100, 1,000
  double lowest = 1e9, highest_stranger = -1e9;
};

class Mixtures {
 public:
  Mixtures(const Setting& setting, report::Result& result)
      : setting_(setting),
        result_(result),
        profiles_(setting.size<std::uint64_t>(400, 2'000)),
        each_(setting.size<std::size_t>(4, 30)),
        people_(people_of(setting.panel, setting.freq, setting.options.seed)) {}

  void run() {
    const std::string database =
        setting_.simulate(setting_.people("contributors.h5", profiles_), "database of the test of mixtures");
    report::Table table{
        "Mixtures",
        {"parts", "mixtures", "saturated", "P(n) .05 and more", "15 % and more: in the first n", "LR above 1",
         "less: in the first n", "LR above 1", "least log10 LR", "highest of others"},
        {true, false, false, false, false, false, false, false, false, false},
        {}};
    std::uint64_t stream = 5000;
    for (const Parts& parts : mixtures()) {
      check_interrupt();
      add(parts, ask(parts, ++stream, database), table);
    }
    result_.tables.push_back(std::move(table));
    for (std::size_t i = 1; i < reached_.size(); ++i) {
      const std::uint64_t most =
          most_by_chance(static_cast<double>(strangers_) / std::pow(10, static_cast<double>(i)));
      result_.check(fmt::format("people outside the mixture with an LR of {:g} or more",
                                std::pow(10, static_cast<double>(i))),
                    fmt::format("at most {}", most),
                    fmt::format("{} of {}", reached_[i], with_commas(strangers_)), reached_[i] <= most);
    }
    weigh_relatives();
  }

 private:
  Finding ask(const Parts& parts, std::uint64_t stream_index, const std::string& database) const {
    simulate::Stream stream(setting_.options.seed, simulate::Purpose::kTrials, stream_index);
    std::vector<std::vector<std::uint64_t>> contributors;
    std::vector<Reads> reads;
    for (std::size_t i = 0; i < each_; ++i) {
      std::vector<std::uint64_t> rows;
      while (rows.size() < parts.size())
        if (const std::uint64_t row = stream.below(profiles_); std::ranges::find(rows, row) == rows.end())
          rows.push_back(row);
      std::vector<Genotype> people;
      for (const std::uint64_t row : rows) people.push_back(stored_person(people_, row));
      reads.push_back(mixed_reads(people, shares_of(parts), kDepth, kReadError, stream));
      contributors.push_back(std::move(rows));
    }
    const std::string file = setting_.folder.file("mixtures.vcf");
    write_depth_vcf(file, setting_.panel, numbered("mixture", each_), reads);
    const match::MatchTable table = search_all({file}, database);
    Finding finding;
    for (const match::QueryMatches& query : table.queries) {
      const auto i = static_cast<std::size_t>(&query - table.queries.data());
      judge(query, contributors[i], shares_of(parts), finding);
    }
    return finding;
  }

  match::MatchTable search_all(const std::vector<std::string>& files, const std::string& database) const {
    asking::SearchOptions options = setting_.search(files.front(), database);
    options.queries = files;
    options.comparison = engine::Comparison::kMixture;
    options.import.depths = imports::DepthRule{.min_depth = 10, .min_fraction = kLeastShare};
    options.rule.top = match::KeepRule::kAll;
    const auto engine = setting_.engine();
    return search::search(options, *engine);
  }

  static void judge(const match::QueryMatches& query, const std::vector<std::uint64_t>& rows,
                    const std::vector<double>& shares, Finding& finding) {
    ++finding.mixtures;
    if (const auto& mixture = query.evidence.mixture) {
      finding.saturated += mixture->saturated;
      finding.counted_right +=
          rows.size() <= mixture->numbers.size() && mixture->numbers[rows.size() - 1] >= .05;
    }
    std::vector<bool> found(rows.size());
    for (const match::MatchRow& row : query.rows) {
      const double ratio = row.log10_lr.value_or(0);
      const auto at = std::ranges::find(rows, row.row);
      if (at == rows.end()) {
        ++finding.strangers;
        finding.highest_stranger = std::max(finding.highest_stranger, ratio);
        for (std::size_t i = 0; i < finding.reached.size(); ++i)
          finding.reached[i] += ratio >= static_cast<double>(i);
        continue;
      }
      const bool clear = shares[static_cast<std::size_t>(at - rows.begin())] >= kClearShare;
      (clear ? finding.clear_found : finding.faint_found) += row.rank <= rows.size();
      (clear ? finding.clear_above : finding.faint_above) += ratio > 0;
      if (clear) finding.lowest = std::min(finding.lowest, ratio);
    }
    for (const double share : shares) ++(share >= kClearShare ? finding.clear : finding.faint);
  }

  /// Checks stains whose contributors have a parent, child or sibling in the database.
  void weigh_relatives() {
    const std::uint32_t pairs = setting_.size(10U, 40U), stains = setting_.size(8U, 60U);
    simulate::SimulateOptions people =
        setting_.people("relatives-of-contributors.h5", 8 * std::uint64_t{pairs});
    for (const simulate::Relation relation :
         {simulate::Relation::kParentChild, simulate::Relation::kFullSiblings,
          simulate::Relation::kHalfSiblings})
      people.pairs[static_cast<std::size_t>(relation)] = pairs;
    people.stains = simulate::PlantedStains{.stains = stains, .shares = {.8, .2}, .stored_relatives = true};
    people.cases_dir = setting_.folder.file("stains");
    const std::string database = setting_.simulate(people, "database with relatives of contributors");
    const std::map<std::string, StainTruth> truth =
        truth_of_stains(setting_.folder.file("stains/stains.tsv"));
    std::vector<std::string> files;
    for (const auto& [name, stain] : truth) files.push_back(setting_.folder.file("stains/" + name + ".tsv"));
    std::array<std::uint64_t, 3> contributors{}, relatives{};  // all, apart, relative?
    for (const match::QueryMatches& query : search_all(files, database).queries) {
      const StainTruth& stain = truth.at(query.name);
      for (const match::MatchRow& row : query.rows) {
        auto& counts = stain.contributors.contains(row.profile) ? contributors : relatives;
        if (&counts == &relatives && !stain.relatives.contains(row.profile)) continue;
        ++counts[0];
        counts[1] += row.contributor && row.contributor->apart;
        counts[2] += row.relative;
      }
    }
    const std::uint64_t most = most_by_chance(static_cast<double>(relatives[0]) / kTimesRelative);
    result_.check("relatives of contributors who are marked as apart", fmt::format("at most {}", most),
                  fmt::format("{} of {}", relatives[1], relatives[0]), relatives[1] <= most);
    const std::uint64_t least = least_of(contributors[0], .9);
    result_.check("contributors of .8 and .2 who are marked as apart", fmt::format("at least {}", least),
                  fmt::format("{} of {}", contributors[1], contributors[0]),
                  contributors[0] == 2 * std::uint64_t{stains} && contributors[1] >= least);
    report::Table table{
        "Contributors of .8 and .2, and relatives of theirs in the database, whose sites were passed on "
        "one by one",
        {"who", "rows", "apart", "relative?"},
        {true, false, false, false},
        {}};
    for (const auto& [who, counts] : {std::pair("contributors", contributors), {"relatives", relatives}})
      table.rows.push_back(
          {who, std::to_string(counts[0]), std::to_string(counts[1]), std::to_string(counts[2])});
    result_.tables.push_back(std::move(table));
  }

  void add(const Parts& parts, const Finding& finding, report::Table& table) {
    const std::string what = "mixtures of " + name_of(parts);
    const auto of = [](std::uint64_t some, std::uint64_t all) {
      return all == 0 ? std::string("-") : fmt::format("{} of {}", some, all);
    };
    if (finding.saturated == 0) {
      const std::uint64_t least = least_of(finding.clear, .98);
      result_.check(what + ": contributors with 15 % and more among the first n",
                    fmt::format("at least {}", least), of(finding.clear_found, finding.clear),
                    finding.clear_found >= least);
      result_.check(what + ": contributors with 15 % and more whose LR is above 1",
                    fmt::format("at least {}", least), of(finding.clear_above, finding.clear),
                    finding.clear_above >= least);
    }
    const bool equal = std::ranges::all_of(parts, [](double part) { return part == 1; });
    if (equal && parts.size() <= 3)
      result_.check(what + ": the number of people has a probability of .05 or more",
                    fmt::format("at least {}", least_of(finding.mixtures, .9)),
                    of(finding.counted_right, finding.mixtures),
                    finding.counted_right >= least_of(finding.mixtures, .9));
    table.rows.push_back({name_of(parts), std::to_string(finding.mixtures), std::to_string(finding.saturated),
                          of(finding.counted_right, finding.mixtures), of(finding.clear_found, finding.clear),
                          of(finding.clear_above, finding.clear), of(finding.faint_found, finding.faint),
                          of(finding.faint_above, finding.faint), fmt::format("{:.1f}", finding.lowest),
                          fmt::format("{:.1f}", finding.highest_stranger)});
    strangers_ += finding.strangers;
    for (std::size_t i = 0; i < reached_.size(); ++i) reached_[i] += finding.reached[i];
  }

  const Setting& setting_;
  report::Result& result_;
  std::uint64_t profiles_;
  std::size_t each_;
  simulate::People people_;
  std::uint64_t strangers_ = 0;
  std::array<std::uint64_t, 4> reached_{};
};

}  // namespace

void test_mixtures(const Setting& setting, report::Result& result) {
  result.title = "Mixtures of two to five people";
  result.requirement =
      "Contributors with a fair share of a mixture are found and have likelihood ratios above 1; of people "
      "outside "
      "it at most one in x has a ratio of x or more. Contributors of .8 and .2 stand apart, and their "
      "relatives, "
      "whose sites were passed on one by one, do not.";
  result.method = fmt::format(
      "People of a simulated database are mixed in equal and unequal parts, {} reads a site, {:g} % of them "
      "misread, "
      "and written as VCF with allele depths; an allele is seen that has {:g} % of the reads. Everybody in "
      "the "
      "database is weighed, with the number of people and the drop-out estimated. Contributors with less "
      "than {:g} % "
      "are reported, and bound by nothing: this table shows how far they can be found. Stains of two people "
      "by `fastid db simulate --stains --unlinked-meioses` are weighed in a database that has a relative of "
      "each: "
      "parents pass sites on one by one, as the ratios take them. Relatives who share stretches of "
      "chromosomes "
      "vary more.",
      kDepth, 100 * kReadError, 100 * kLeastShare, 100 * kClearShare);
  Mixtures(setting, result).run();
}

}  // namespace fastid::validate
