// X, Y and M: sexes, the ratio of X, and that none of it enters the evidence.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "questions/kin/run.hpp"
#include "report/report.hpp"
#include "stats/haplotype.hpp"
#include "stats/x_ratio.hpp"
#include "validate/internal/figures.hpp"
#include "validate/internal/samples.hpp"
#include "validate/internal/setting.hpp"

namespace fastid::validate {
namespace {

// ---- Figures

/// log10 ratios of one site of X by the minor copies of the two people, the second person's varying fastest:
/// 0 and 1 for a man, 0, 1 and 2 for a woman.
struct KindFigures {
  std::string_view kind;
  Sex first, second;
  std::vector<double> log10;
};

/// Figures of an independent program, which sums over the founders' alleles (q .3, theta .03, w .005).
const std::vector<KindFigures>& kind_figures() {
  static const std::vector<KindFigures> kFigures{
      {"same", Sex::kMale, Sex::kMale, {.147569, -1.614158, -1.614158, .484329}},
      {"same",
       Sex::kFemale,
       Sex::kFemale,
       {.280280, -1.452455, -3.237857, -1.452455, .367896, -1.158761, -3.237857, -1.158761, .896442}},
      {"father", Sex::kMale, Sex::kFemale, {.142516, -.133665, -1.630047, -1.607099, .198872, .459524}},
      {"mother", Sex::kFemale, Sex::kMale, {.142516, -1.607099, -.133665, .198872, -1.630047, .459524}},
      {"mother",
       Sex::kFemale,
       Sex::kFemale,
       {.137800, -.138862, -1.623699, -.138862, .075527, .173839, -1.623699, .173839, .437295}},
      {"full-sibling", Sex::kMale, Sex::kMale, {.080022, -.290597, -.290597, .306447}},
      {"full-sibling", Sex::kMale, Sex::kFemale, {.077078, -.061710, -.290968, -.290428, .110722, .287899}},
      {"full-sibling",
       Sex::kFemale,
       Sex::kFemale,
       {.214857, -.419293, -1.914296, -.419293, .245863, -.107454, -1.914296, -.107454, .724914}},
      {"maternal-half-sibling", Sex::kMale, Sex::kMale, {.080022, -.290597, -.290597, .306447}},
      {"maternal-half-sibling",
       Sex::kFemale,
       Sex::kFemale,
       {.074342, -.063905, -.290821, -.063905, .039403, .095560, -.290821, .095560, .271508}},
      {"paternal-half-sibling",
       Sex::kFemale,
       Sex::kFemale,
       {.137800, -.138862, -1.623699, -.138862, .075527, .173839, -1.623699, .173839, .437295}},
      {"maternal-aunt", Sex::kFemale, Sex::kMale, {.111028, -.571001, -.096199, .157030, -.572547, .382135}},
      {"maternal-aunt",
       Sex::kFemale,
       Sex::kFemale,
       {.107229, -.099768, -.572127, -.099768, .057841, .136461, -.572127, .136461, .362265}},
      {"paternal-uncle", Sex::kMale, Sex::kFemale, {.077078, -.061710, -.290968, -.290428, .110722, .287899}},
      {"paternal-grandmother",
       Sex::kFemale,
       Sex::kFemale,
       {.137800, -.138862, -1.623699, -.138862, .075527, .173839, -1.623699, .173839, .437295}},
      {"cousin-mothers-sisters", Sex::kMale, Sex::kMale, {.061356, -.197830, -.197830, .247686}},
      {"cousin-fathers-brothers",
       Sex::kFemale,
       Sex::kFemale,
       {.074342, -.063905, -.290821, -.063905, .039403, .095560, -.290821, .095560, .271508}},
      {"cousin-mother-sister-of-father",
       Sex::kFemale,
       Sex::kFemale,
       {.038760, -.030778, -.121509, -.030778, .020148, .050403, -.121509, .050403, .156635}}};
  return kFigures;
}

void add_x_figures(const Setting& setting, report::Result& result) {
  Figures figures("Likelihood ratios of one site of X (log10, q .3, theta .03, w .005)", result);
  const stats::PopulationModel model = setting.subject.model({.3}, {.theta = .03, .error_rate = .005});
  for (const KindFigures& line : kind_figures()) {
    const auto kind = std::ranges::find_if(stats::x_kinds(), [&](const stats::XKind& one) {
      return one.name == line.kind && one.first == line.first && one.second == line.second;
    });
    const unsigned first = copies_of(SiteClass::kX, line.first),
                   second = copies_of(SiteClass::kX, line.second);
    const auto shares = stats::x_sharing(*kind);
    const auto emissions = stats::x_emissions(model.minor_freq()[0], model.parameters(), first, second);
    auto by_hand = line.log10.begin();
    for (std::size_t x = 0; x <= first; ++x)
      for (std::size_t y = 0; y <= second; ++y, ++by_hand) {
        const stats::XEmission& of = emissions[x][y];
        figures.add(fmt::format("{}, {} and {}: {} and {}", line.kind, name_of(line.first),
                                name_of(line.second), x, y),
                    *by_hand, std::log10(shares[0] * of[0] + shares[1] * of[1] + shares[2] * of[2]), 6);
      }
  }
  figures.end();
}

void add_haplotype_figures(report::Result& result) {
  Figures figures("Haplotypes: bounds of shares, and most sites that may differ", result);
  figures.add("upper bound of 0 of 100", .029513, stats::upper_bound(0, 100), 6);
  figures.add("upper bound of 1 of 10", .394163, stats::upper_bound(1, 10), 6);
  struct Line {
    std::uint32_t sites;
    int agree, undecided;
  };
  for (const auto& [sites, agree, undecided] : {Line{829, 5, 16}, Line{69, 1, 3}, Line{20, 1, 2}}) {
    figures.add(fmt::format("most of {} sites in haplotypes that agree", sites), agree,
                stats::most_agreeing(sites, .005), 0);
    figures.add(fmt::format("most of {} sites that leave it undecided", sites), undecided,
                stats::allowance(sites, .005), 0);
  }
  figures.end();
}

// ---- People

constexpr std::uint32_t kAutosomalSites = 600, kParSites = 8, kXSites = 120, kYSites = 60, kMSites = 20;

/// A simulated panel whose last sites are put on X (the first of them in PAR), Y and M.
Panel panel_with_sexes(std::uint64_t seed) {
  const Panel plain =
      simulate::simulate_panel(kAutosomalSites + kParSites + kXSites + kYSites + kMSites, seed);
  std::vector<Site> sites = plain.sites();
  std::size_t s = kAutosomalSites;
  const auto put = [&](std::uint32_t n, const char* chrom, std::uint32_t first, std::uint32_t step) {
    for (std::uint32_t i = 0; i < n; ++i, ++s) {
      sites[s].chrom = chrom;
      sites[s].pos = first + i * step;
    }
  };
  put(kParSites, "X", 200'000, 300'000);
  put(kXSites, "X", 3'000'000, 1'250'000);
  put(kYSites, "Y", 3'000'000, 400'000);
  put(kMSites, "M", 100, 800);
  return Panel(std::move(sites), plain.populations(), GenomeBuild::kGRCh37, "panel of X, Y and M");
}

class SexChromosomes {
 public:
  SexChromosomes(const Setting& setting, report::Result& result)
      : setting_(setting),
        result_(result),
        profiles_(setting.size<std::uint64_t>(640, 2'000)),
        panel_(panel_with_sexes(setting.options.seed)),
        people_(panel_, {panel_.populations()[0].minor_freq}, {}, setting.options.seed,
                {pairs(), profiles_, setting.options.seed}) {}

  void run() {
    const std::string with = simulate("sexes.h5", panel_, "database of the test of X, Y and M"),
                      without = simulate("no-sexes.h5", simulate::autosomal_panel(panel_),
                                         "the same people without X, Y and M");
    choose();
    const std::string file = setting_.folder.file("sexes.vcf");
    std::vector<Sample> samples;
    simulate::Stream stream(setting_.options.seed, simulate::Purpose::kTrials, 9700);
    for (const std::uint64_t row : asked_)
      samples.push_back(observed(stored_person(people_, row), people_.classes(), {}, stream));
    write_vcf(file, panel_, numbered("sample", samples.size()), samples);
    const match::MatchTable found = search_all(file, with);
    compare("search", found, search_all(file, without));
    check_sexes(found);
    check_strangers(found);
    const match::MatchTable kin = kin_of(file, with);
    compare("kin", kin, kin_of(file, without));
    check_fathers(kin);
  }

 private:
  std::array<std::uint32_t, simulate::kRelations> pairs() const {
    std::array<std::uint32_t, simulate::kRelations> pairs{};
    pairs[static_cast<std::size_t>(simulate::Relation::kParentChild)] = setting_.size(80, 300);
    return pairs;
  }

  std::string simulate(const std::string& name, const Panel& panel, const std::string& what) const {
    simulate::SimulateOptions people = setting_.people(name, profiles_);
    people.unlinked_meioses = true;
    people.panel_path = setting_.folder.file(name + ".panel.tsv");
    people.population = panel.populations()[0].name;
    people.pairs = pairs();
    OutputFile written(people.panel_path);
    written.write(write_panel_tsv(panel));
    written.commit();
    return setting_.simulate(people, what);
  }

  /// Chooses who is searched for: all sons whose fathers are there, and others.
  void choose() {
    for (const simulate::Plant& plant : people_.relatives().all()) {
      const stats::XKind& kind = people_.kind(plant);
      if (kind.name != "father" || kind.second != Sex::kMale) continue;
      asked_.push_back(plant.row);
      fathers_.emplace_back(plant.of);
    }
    const std::size_t others = setting_.size<std::size_t>(24, 60);
    for (std::size_t i = 0; i < others; ++i) {
      const std::uint64_t row = i * profiles_ / others;
      if (std::ranges::count(asked_, row) > 0) continue;
      asked_.push_back(row);
      fathers_.emplace_back();
    }
  }

  asking::SearchOptions options(const std::string& file, const std::string& database) const {
    asking::SearchOptions options = setting_.search(file, database);
    options.rule.top = match::KeepRule::kAll;
    options.evidence.population = panel_.populations()[0].name;
    return options;
  }

  match::MatchTable search_all(const std::string& file, const std::string& database) const {
    const auto engine = setting_.engine();
    return setting_.subject.search(options(file, database), *engine);
  }

  match::MatchTable kin_of(const std::string& file, const std::string& database) const {
    const auto engine = setting_.engine();
    return kin::find_kin(
        {.search = options(file, database), .linked = {.unlinked = true}, .family = {}, .missing = {}},
        *engine);
  }

  /// Checks that the evidence has the same bytes with X, Y and M as without.
  void compare(const std::string& command, const match::MatchTable& with, const match::MatchTable& without) {
    const std::string texts[] = {report::tsv(with), report::tsv(without)};
    const std::vector<std::string_view> found = split(texts[0], '\n'), expected = split(texts[1], '\n');
    std::size_t different = std::max(found.size(), expected.size()) - std::min(found.size(), expected.size());
    for (std::size_t i = 0; i < std::min(found.size(), expected.size()); ++i)
      different += !found[i].starts_with(expected[i]) ||
                   (!expected[i].empty() && !found[i].substr(expected[i].size()).starts_with('\t'));
    result_.check("lines of " + command + " whose evidence is another one than without X, Y and M", "none",
                  fmt::format("{} of {}", with_commas(different), with_commas(expected.size())),
                  different == 0 && expected.size() > 2);
  }

  void check_sexes(const match::MatchTable& found) {
    std::size_t wrong = 0, all = 0;
    const auto add = [&](std::uint64_t row, const std::string& sex) {
      wrong += sex != name_of(people_.sex(row));
      ++all;
    };
    for (std::size_t i = 0; i < found.queries.size(); ++i) {
      add(asked_[i], found.queries[i].beside.sex);
      for (const match::MatchRow& row : found.queries[i].rows)
        if (row.beside) add(row.row, row.beside->second_sex);
    }
    result_.check("sexes by X and Y of samples and profiles that are wrong or undecided", "none",
                  fmt::format("{} of {}", with_commas(wrong), with_commas(all)), wrong == 0 && all > 0);
  }

  /// A person's haplotype of Y, as copies of each site.
  Genotype line_of(std::uint64_t row) const {
    const Genotype person = stored_person(people_, row);
    Genotype line;
    for (const std::uint32_t s : people_.classes().sites(SiteClass::kY)) line.push_back(person[s]);
    return line;
  }

  /// Checks men who are unrelated but have the same haplotype of Y.
  void check_strangers(const match::MatchTable& found) {
    std::vector<Genotype> lines;
    for (std::uint64_t row = 0; row < profiles_; ++row) lines.push_back(line_of(row));
    std::size_t pairs = 0, above = 0, other_word = 0;
    double highest = -std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < found.queries.size(); ++i) {
      if (people_.sex(asked_[i]) != Sex::kMale) continue;
      for (const match::MatchRow& row : found.queries[i].rows) {
        if (row.row == asked_[i] || related(row.row, asked_[i]) || people_.sex(row.row) != Sex::kMale ||
            lines[row.row] != lines[asked_[i]])
          continue;
        ++pairs;
        const double ratio = row.log10_lr.value_or(0);
        above += !row.log10_lr || ratio > 0;
        highest = std::max(highest, ratio);
        other_word += !row.beside || !row.beside->y || row.beside->y->word != "agree";
      }
    }
    result_.check("strangers of one haplotype of Y with an LR above 1", "none",
                  fmt::format("{} of {}, the highest log10 LR is {:.2f}", above, with_commas(pairs), highest),
                  above == 0 && pairs > 0);
    result_.check("strangers of one haplotype of Y whose Y is not said to agree", "none",
                  fmt::format("{} of {}", other_word, with_commas(pairs)), other_word == 0 && pairs > 0);
  }

  bool related(std::uint64_t a, std::uint64_t b) const {
    return std::ranges::any_of(people_.relatives().all(), [&](const simulate::Plant& plant) {
      return (plant.row == a && plant.of == b) || (plant.row == b && plant.of == a);
    });
  }

  void check_fathers(const match::MatchTable& kin) {
    std::size_t pairs = 0, named = 0, agreeing = 0, neutral = 0;
    for (std::size_t i = 0; i < fathers_.size(); ++i) {
      if (!fathers_[i]) continue;
      ++pairs;
      if (i >= kin.queries.size()) continue;
      const auto row = std::ranges::find(kin.queries[i].rows, *fathers_[i], &match::MatchRow::row);
      if (row == kin.queries[i].rows.end() || !row->kin) continue;
      named += row->kin->relation == stats::name_of(stats::Relation::kParentChild);
      if (!row->beside) continue;
      agreeing += row->beside->y && row->beside->y->word == "agree";
      neutral += row->beside->x && row->beside->x->log10_lr == 0.;
    }
    const auto add = [&](const std::string& what, std::size_t n) {
      result_.check(what, fmt::format("all {}", pairs), std::to_string(n), n == pairs && pairs > 0);
    };
    add("fathers and sons who are named parent and child", named);
    add("fathers and sons whose Y is said to agree", agreeing);
    add("fathers and sons of whom X says nothing (log10 LR 0)", neutral);
  }

  const Setting& setting_;
  report::Result& result_;
  std::uint64_t profiles_;
  Panel panel_;
  simulate::People people_;
  std::vector<std::uint64_t> asked_;                   ///< rows
  std::vector<std::optional<std::uint64_t>> fathers_;  ///< of each, where he is there: his row
};

}  // namespace

void test_sex_chromosomes(const Setting& setting, report::Result& result) {
  result.title = "X, Y and M beside the evidence";
  result.requirement =
      "Sexes, the ratio of X and the words of Y and M are right, and none of it changes the evidence, which "
      "counts autosomal sites: men of one paternal line have the same Y, and are not the same person.";
  result.method = fmt::format(
      "Ratios of X and bounds of haplotypes are compared with those of an independent program. People with "
      "sexes, fathers and sons among them, are simulated on a panel of {} autosomal sites ({} of them in "
      "PAR), {} of X, {} of Y and {} of M, and once more without these three. Samples of them are searched "
      "for in both databases, by search and kin, with everybody listed.",
      kAutosomalSites + kParSites, kParSites, kXSites, kYSites, kMSites);
  add_x_figures(setting, result);
  add_haplotype_figures(result);
  SexChromosomes(setting, result).run();
}

}  // namespace fastid::validate
