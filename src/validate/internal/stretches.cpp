// Relatives to the fifth degree who share stretches of chromosomes are planted: which degree is named?
#include "validate/internal/stretches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "base/text.hpp"
#include "ingest/ingest.hpp"
#include "linked/relations.hpp"
#include "questions/kin/run.hpp"
#include "simulate/people.hpp"
#include "stats/evidence.hpp"
#include "validate/internal/theory.hpp"

namespace fastid::validate {
namespace {

constexpr double kMisread = stats::Parameters{}.error_rate;
constexpr double kFarMargin = 3;  ///< log10: no wrong degree is named by so much
/// Another degree is x times as probable as the true one in at most one of x pairs; there are eight others.
constexpr double kOthers = linked::kDegrees - 1;
constexpr double kSeldom = .05;  ///< the largest share of pairs for which a wrong degree is named

/// What was found for the pairs of one degree.
struct Named {
  std::uint64_t pairs = 0, right = 0, undecided = 0, wrong = 0, missing = 0, in_range = 0;
};

/// Whether a range, as "1.5-3", holds a degree.
bool holds(std::string_view range, linked::Degree degree) {
  const auto place = [](std::string_view name, bool last) {
    std::size_t found = linked::kDegrees;
    for (std::size_t d = 0; d < linked::kDegrees; ++d)
      if (name_of(static_cast<linked::Degree>(d)) == name && (last || found == linked::kDegrees)) found = d;
    return found;
  };
  const std::vector<std::string_view> ends = split(range, '-');
  const auto at = static_cast<std::size_t>(degree);
  return place(ends.front(), false) <= at && at <= place(ends.back(), true);
}

class AlongMap {
 public:
  AlongMap(const Setting& setting, report::Result& result)
      : setting_(setting),
        result_(result),
        each_(setting.size<std::uint32_t>(4, 20)),
        profiles_(setting.size<std::uint64_t>(400, 4'000)) {
    for (const linked::Relation relation : linked::all_relations())
      pairs_[static_cast<std::size_t>(simulate::planted_relation(name_of(relation)).value())] = each_;
  }

  void run() {
    const std::string database = planted();
    const simulate::Relatives relatives(pairs_, profiles_, setting_.options.seed);
    const match::MatchTable table = find(database, relatives);
    if (!table.provenance.evidence.map) return;
    for (const simulate::Plant& plant : relatives.all()) judge(table, plant);
    report();
  }

 private:
  /// Writes the panel of autosomal sites: X, Y and M are not simulated for farther relatives.
  std::string planted() const {
    simulate::SimulateOptions people = setting_.people("stretches.h5", profiles_);
    people.panel_path = setting_.folder.file("stretches.tsv");
    people.error_rate = kMisread;
    people.duplicate_error_rate = 0;
    people.pairs = pairs_;
    OutputFile panel(people.panel_path);
    panel.write(write_panel_tsv(simulate::autosomal_panel(setting_.panel)));
    panel.commit();
    return setting_.simulate(people, "database of the test of relatives along the map");
  }

  static std::string id_of(std::uint64_t row) { return fmt::format("P{:09}", row + 1); }

  match::MatchTable find(const std::string& database, const simulate::Relatives& relatives) const {
    const std::string file = setting_.folder.file("stretches.vcf");
    ingest::ExportOptions exported{.database = database, .output = file, .profiles = {}};
    for (const simulate::Plant& plant : relatives.all()) exported.profiles.push_back(id_of(plant.row));
    ingest::export_database(exported);
    kin::KinOptions options{.search = setting_.search(file, database), .family = {}, .missing = {}};
    const auto engine = setting_.engine();
    return kin::find_kin(options, *engine);
  }

  void judge(const match::MatchTable& table, const simulate::Plant& plant) {
    const linked::Relation relation = relation_of(plant.relation);
    const linked::Degree truth = degree_of(relation);
    // Parent-child pairs and siblings are both of the first degree, but are degrees of their own here.
    const bool is_first = truth == linked::Degree::kParentChild || truth == linked::Degree::kSibling;
    Named& named = named_[static_cast<std::size_t>(truth)];
    ++named.pairs;
    const auto query = std::ranges::find(table.queries, id_of(plant.row), &match::QueryMatches::name);
    bool found = false;
    for (const match::MatchRow& row :
         query == table.queries.end() ? std::vector<match::MatchRow>{} : query->rows) {
      if (!row.kin || !row.kin->linked || row.row == plant.row) continue;
      const std::string& degree = row.kin->linked->degree;
      if (row.row != plant.of) {
        strangers_named_ += !degree.empty();
        continue;
      }
      found = true;
      const bool right = degree == name_of(truth) && (!is_first || row.kin->relation == name_of(relation));
      named.right += right;
      named.undecided += degree.empty();
      named.wrong += !right && !degree.empty();
      named.in_range += holds(row.kin->linked->degree_range, truth);
      far_ += !right && !degree.empty() && row.kin->margin.value_or(0) >= kFarMargin;
    }
    named.missing += !found;
  }

  static linked::Relation relation_of(simulate::Relation planted) {
    for (const linked::Relation relation : linked::all_relations())
      if (simulate::planted_relation(name_of(relation)) == planted) return relation;
    throw std::logic_error("a relation that kin does not name");
  }

  void report() {
    report::Table table{"Planted relatives along the map",
                        {"degree", "pairs", "named right", "undecided", "another degree", "not listed",
                         "true degree in the range"},
                        {true, false, false, false, false, false, false},
                        {}};
    std::uint64_t pairs = 0, wrong = 0;
    for (std::size_t d = 0; d < linked::kDegrees; ++d) {
      const Named& of = named_[d];
      if (of.pairs == 0) continue;
      pairs += of.pairs;
      wrong += of.wrong;
      table.rows.push_back({name_of_row(static_cast<linked::Degree>(d)), std::to_string(of.pairs),
                            std::to_string(of.right), std::to_string(of.undecided), std::to_string(of.wrong),
                            std::to_string(of.missing), std::to_string(of.in_range)});
    }
    result_.tables.push_back(std::move(table));
    check("pairs of which another degree is named", wrong, most_of(pairs, kSeldom), pairs);
    check("the same by a thousand times or more", far_, most_of(pairs, kOthers * std::pow(10, -kFarMargin)),
          pairs);
    const std::uint64_t most = most_by_chance(static_cast<double>(pairs) * stats::kExplainedByChance);
    result_.check("strangers of whom a degree is named", fmt::format("at most {}", most),
                  std::to_string(strangers_named_), strangers_named_ <= most);
  }

  void check(const char* what, std::uint64_t found, std::uint64_t most, std::uint64_t pairs) {
    result_.check(what, fmt::format("at most {}", most), fmt::format("{} of {}", found, pairs),
                  found <= most);
  }

  static std::string name_of_row(linked::Degree degree) {
    if (degree == linked::Degree::kSibling) return "1 (siblings)";
    return std::string(name_of(degree));
  }

  const Setting& setting_;
  report::Result& result_;
  std::uint32_t each_;
  std::uint64_t profiles_;
  std::array<std::uint32_t, simulate::kRelations> pairs_{};
  std::array<Named, linked::kDegrees> named_{};
  std::uint64_t strangers_named_ = 0, far_ = 0;
};

}  // namespace

void test_relatives_along_map(const Setting& setting, report::Result& result) {
  AlongMap(setting, result).run();
}

}  // namespace fastid::validate
