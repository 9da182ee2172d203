// A cohort's output for programs (groups, the set without relatives, MultiQC's custom content), and the lines
// for a terminal.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/checked.hpp"
#include "base/text.hpp"
#include "questions/pairs/cohort_print.hpp"
#include "questions/pairs/page/cohort_charts.hpp"
#include "questions/pairs/page/cohort_words.hpp"

namespace fastid::pairs {
namespace {

/// A file of MultiQC: what it is, as lines of YAML in comments, then lines of cells.
class Content {
 public:
  /// \param settings  more lines of YAML
  Content(const char* id, const char* title, const std::string& description, const char* plot,
          const std::string& settings = "")
      : name_(fmt::format("{}_mqc.tsv", id)) {
    for (const std::string& line :
         {fmt::format("id: '{}'", id), fmt::format("section_name: '{}'", title),
          fmt::format("description: '{}'", description), std::string("parent_id: 'fastid'"),
          std::string("parent_name: 'fastid'"),
          std::string("parent_description: 'compares everyone of a cohort with everyone'"),
          fmt::format("plot_type: '{}'", plot), std::string("pconfig:"), fmt::format("    id: '{}_plot'", id),
          fmt::format("    title: 'fastid: {}'", title)})
      text_ += "# " + line + "\n";
    for (const std::string_view line : split(settings, '\n'))
      if (!line.empty()) text_ += fmt::format("#     {}\n", line);
  }

  void line(const std::vector<std::string>& cells) {
    for (std::size_t i = 0; i < cells.size(); ++i) text_ += (i == 0 ? "" : "\t") + cells[i];
    text_ += "\n";
    ++n_lines_;
  }

  /// The file, with an empty text where nothing follows the first `head` lines.
  MultiqcFile file(std::size_t head = 1) const { return {name_, n_lines_ > head ? text_ : ""}; }

 private:
  std::string name_, text_;
  std::size_t n_lines_ = 0;
};

/// A name in quotes, so that MultiQC reads it as a name even where it is a number or begins with #.
std::string in_quotes(const std::string& name) {
  return '"' + name + '"';
}

std::string kinship_text(double kinship) {
  return std::isnan(kinship) ? "NA" : fmt::format("{:.4f}", kinship);
}

/// The figures of one profile.
struct ProfileLine {
  std::size_t group = 0, relatives = 0;
  const CohortPair* closest = nullptr;
  std::uint64_t missing = 0, unexpected = 0, other = 0;

  std::uint64_t n_wrong() const { return missing + unexpected + other; }
};

std::map<std::size_t, ProfileLine> profile_lines(const CohortTable& cohort) {
  std::map<std::size_t, ProfileLine> lines;
  for (std::size_t g = 0; g < cohort.groups.size(); ++g) {
    for (const CohortGroup::Member& member : cohort.groups[g].members) lines[member.profile].group = g + 1;
    for (const std::size_t i : cohort.groups[g].pairs) {
      const CohortPair& pair = cohort.pairs[i];
      for (const std::size_t profile : {pair.first, pair.second}) {
        ProfileLine& line = lines[profile];
        ++line.relatives;
        if (line.closest == nullptr || place_of(pair.relation) < place_of(line.closest->relation))
          line.closest = &pair;
      }
    }
  }
  if (!cohort.expectation) return lines;
  for (const JudgedPair& pair : cohort.expectation->judged)
    for (const std::size_t profile : {pair.first, pair.second}) {
      if (pair.outcome == Outcome::kMissing) ++lines[profile].missing;
      if (pair.outcome == Outcome::kUnexpected) ++lines[profile].unexpected;
      if (pair.outcome == Outcome::kOtherRelation) ++lines[profile].other;
    }
  return lines;
}

/// The table of profiles, with most wrong pairs first: MultiQC shows a longer table as a plot, which has no
/// names.
MultiqcFile profiles_content(const CohortTable& cohort) {
  constexpr std::size_t kMost = 500;
  const std::map<std::size_t, ProfileLine> all = profile_lines(cohort);
  std::vector<std::pair<std::size_t, ProfileLine>> lines(all.begin(), all.end());
  std::ranges::stable_sort(lines, std::ranges::greater{},
                           [](const auto& line) { return line.second.n_wrong(); });
  lines.resize(std::min(lines.size(), kMost));
  Content content("fastid_profiles", "Relatives",
                  all.size() <= kMost
                      ? "Profiles with relatives in the cohort, or with a wrong pair."
                      : fmt::format("{} of {} profiles with relatives in the cohort, or with a "
                                    "wrong pair: those with most wrong pairs first.",
                                    kMost, all.size()),
                  "table", "namespace: 'fastid'");
  std::vector<std::string> head = {"Sample", "group", "relatives", "closest", "closest_relation", "kinship"};
  if (cohort.expectation) head.insert(head.end(), {"missing", "unexpected", "other_relation"});
  content.line(head);
  for (const auto& [profile, line] : lines) {
    std::vector<std::string> cells = {in_quotes(label_of(cohort, profile)),
                                      line.group == 0 ? "NA" : in_quotes(fmt::format("{}", line.group)),
                                      fmt::format("{}", line.relatives),
                                      "NA",
                                      "NA",
                                      "NA"};
    if (line.closest != nullptr) {
      const std::size_t other = line.closest->first == profile ? line.closest->second : line.closest->first;
      cells[3] = in_quotes(label_of(cohort, other));
      cells[4] = std::string(line.closest->relation);
      cells[5] = kinship_text(line.closest->close.kinship);
    }
    if (cohort.expectation)
      for (const std::uint64_t n : {line.missing, line.unexpected, line.other})
        cells.push_back(fmt::format("{}", n));
    content.line(cells);
  }
  return content.file();
}

MultiqcFile relations_content(const CohortTable& cohort) {
  Content content("fastid_relations", "Close pairs", "Pairs by their relation.", "bargraph");
  const std::vector<std::uint64_t> numbers = pairs_by_relation(cohort);
  std::vector<std::string> head = {"Sample"}, cells = {in_quotes(cohort.facts.database.path)};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    head.emplace_back(relation_words()[i].name);
    cells.push_back(fmt::format("{}", numbers[i]));
  }
  content.line(head);
  content.line(cells);
  return content.file();
}

MultiqcFile expectation_content(const CohortTable& cohort) {
  Content content("fastid_expectation", "Expected pairs", "How the pairs that were expected were met.",
                  "bargraph");
  content.line({"Sample", "found", "missing", "other_relation", "unexpected"});
  if (!cohort.expectation) return content.file();
  std::vector<std::string> cells = {in_quotes(cohort.facts.database.path)};
  for (const Outcome outcome :
       {Outcome::kFound, Outcome::kMissing, Outcome::kOtherRelation, Outcome::kUnexpected})
    cells.push_back(fmt::format("{}", cohort.expectation->number(outcome)));
  content.line(cells);
  return content.file();
}

MultiqcFile exchanges_content(const CohortTable& cohort) {
  Content content("fastid_exchanges", "Exchanged labels", "Labels that seem to be exchanged.", "table",
                  "namespace: 'fastid'");
  content.line({"Labels", "or_else", "repairs", "makes_wrong"});
  if (!cohort.expectation) return content.file();
  for (const LabelExchange& exchange : cohort.expectation->exchanges) {
    const char* const between = exchange.profiles.size() == 2 ? " / " : " > ";
    std::string others;
    for (const std::vector<std::size_t>& other : exchange.alternatives)
      others += (others.empty() ? "" : ", ") + labels_of(cohort, other, between);
    content.line({in_quotes(labels_of(cohort, exchange.profiles, between)),
                  others.empty() ? "NA" : in_quotes(others), fmt::format("{}", exchange.repairs()),
                  fmt::format("{}", exchange.made_wrong)});
  }
  return content.file();
}

MultiqcFile sexes_content(const CohortTable& cohort) {
  Content content("fastid_sexes", "Sexes", "Profiles that are not of the sex that the pedigree states.",
                  "table", "namespace: 'fastid'");
  content.line({"Sample", "stated_sex", "found_sex"});
  if (!cohort.expectation) return content.file();
  for (const SexContradiction& sex : cohort.expectation->sexes)
    content.line({in_quotes(label_of(cohort, sex.profile)), std::string(name_of(sex.stated)),
                  std::string(name_of(sex.found))});
  return content.file();
}

/// The plot of kinships, with at most kMostDots pairs, evenly chosen.
MultiqcFile kinship_content(const CohortTable& cohort) {
  std::vector<const CohortPair*> pairs;
  for (const CohortPair& pair : cohort.pairs)
    if (!std::isnan(pair.close.kinship)) pairs.push_back(&pair);
  const std::size_t step = std::max<std::size_t>(1, ceil_div(pairs.size(), kMostDots));
  Content content("fastid_kinship", "Kinship",
                  step == 1 ? "All close pairs." : fmt::format("One of {} close pairs each.", step),
                  "scatter",
                  "xlab: 'IBS0, as a share of the sites compared'\nylab: 'kinship'\nymin: 0\nymax: 0.52");
  for (std::size_t i = 0; i < pairs.size(); i += step) {
    const CohortPair& pair = *pairs[i];
    content.line({in_quotes(labels_of(cohort, {pair.first, pair.second}, " / ")),
                  fmt::format("{:.6f}", pair.close.ibs0 / static_cast<double>(pair.close.compared)),
                  kinship_text(pair.close.kinship)});
  }
  return content.file(0);
}

}  // namespace

std::string groups_tsv(const CohortTable& cohort) {
  std::string text = "group\tdatabase\tprofile\trow\tperson\tmembers\tpersons\tclosest\n";
  for (std::size_t g = 0; g < cohort.groups.size(); ++g) {
    const CohortGroup& group = cohort.groups[g];
    for (const CohortGroup::Member& member : group.members) {
      const CohortProfile& profile = cohort.profiles[member.profile];
      text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", g + 1, profile.database + 1, profile.id,
                          profile.row, member.person, group.members.size(), group.n_persons, group.closest);
    }
  }
  return text;
}

std::string unrelated_list(const CohortTable& cohort) {
  std::string text;
  for (const std::string& id : cohort.unrelated->ids) text += id + "\n";
  return text;
}

std::vector<std::string> cohort_summary(const CohortTable& cohort) {
  constexpr std::size_t kMostExchanges = 10;
  std::vector<std::string> lines = {groups_sentence(cohort)};
  if (cohort.expectation) {
    const std::vector<LabelExchange>& exchanges = cohort.expectation->exchanges;
    lines.push_back(expectation_sentence(cohort));
    for (std::size_t i = 0; i < std::min(kMostExchanges, exchanges.size()); ++i)
      lines.push_back(exchange_sentence(cohort, exchanges[i]));
    if (exchanges.size() > kMostExchanges)
      lines.push_back(
          fmt::format("and {} more exchanges of labels", with_commas(exchanges.size() - kMostExchanges)));
    if (cohort.expectation->exchanges_cut)
      lines.emplace_back("so many pairs are wrong that not all exchanges of labels were looked for");
    if (std::string sexes = sexes_sentence(cohort); !sexes.empty()) lines.push_back(std::move(sexes));
  }
  if (cohort.unrelated) lines.push_back(unrelated_sentence(cohort));
  return lines;
}

std::vector<MultiqcFile> multiqc_files(const CohortTable& cohort) {
  return {relations_content(cohort),   profiles_content(cohort),  kinship_content(cohort),
          expectation_content(cohort), exchanges_content(cohort), sexes_content(cohort)};
}

}  // namespace fastid::pairs
