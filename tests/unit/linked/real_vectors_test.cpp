// Published vectors of linked relatives, where FASTID_REAL_DATA names the folder that holds them: made people
// with the figures that an independent program gives of them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <tuple>

#include "base/file.hpp"
#include "base/text.hpp"
#include "linked/linked_family.hpp"
#include "linked/segments.hpp"
#include "panel/site_class.hpp"
#include "unit/linked/linked_testing.hpp"

namespace fastid::linked {
namespace {

namespace fs = std::filesystem;
using Table = std::vector<std::map<std::string, std::string, std::less<>>>;

double number(std::string_view text) {
  return parse_number<double>(text).value();
}

class LinkedVectors : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* folder = std::getenv("FASTID_REAL_DATA");
    if (folder == nullptr || *folder == '\0') GTEST_SKIP() << "FASTID_REAL_DATA is not set";
    folder_ = fs::path(folder) / "relatives" / "vectors";
    if (!fs::exists(folder_)) GTEST_SKIP() << folder_ << " is not there";
    panel_ = std::make_unique<Panel>(read_panel_tsv((folder_ / "panel.tsv").string()));
    std::string map = "chrom\tpos\tcM\n";  // the vectors rest on rounded places
    for (const auto& row : table("sites_cM.tsv"))
      map += row.at("chrom") + "\t" + row.at("pos") + "\t" + row.at("cM") + "\n";
    sites_ = mapped_sites(*panel_, SiteClasses(*panel_).mask(SiteClass::kAutosomal),
                          GeneticMap::parse(map, "sites_cM.tsv"));
    read_people();
  }

  std::vector<std::string> lines_of(const std::string& name) const {
    std::vector<std::string> lines;
    const std::string text = read_whole_file((folder_ / name).string(), 1 << 30);
    for (const std::string_view line : split(text, '\n'))
      if (!line.empty() && !line.starts_with(name.ends_with(".vcf") ? "##" : "#")) lines.emplace_back(line);
    return lines;
  }

  Table table(const std::string& name) const {
    const std::vector<std::string> lines = lines_of(name);
    const auto header = split(lines[0], '\t');
    Table rows;
    for (std::size_t i = 1; i < lines.size(); ++i) {
      const auto fields = split(lines[i], '\t');
      for (std::size_t c = 0; c < header.size(); ++c)
        (c == 0 ? rows.emplace_back() : rows.back()).emplace(header[c], fields[c]);
    }
    return rows;
  }

  RowView person(const std::string& name) const { return people_->row(place_of_.at(name)); }

  LinkedModel model(const std::string& name, double theta, double w,
                    std::span<const Relation> relations) const {
    return {population(name, theta, w), sites_, relations};
  }

  stats::PopulationModel population(const std::string& name, double theta, double w) const {
    for (const Population& of : panel_->populations())
      if (of.name == name) return {name, of.minor_freq, {theta, w}};
    throw std::runtime_error("no such population");
  }

  /// Lines of person, father and mother.
  Table family(const std::string& name) const {
    Table people;
    for (const std::string& line : lines_of(name)) {
      const auto words = split(line, '\t');
      people.push_back({{"person", std::string(words[0])},
                        {"father", std::string(words[1])},
                        {"mother", std::string(words[2])}});
    }
    return people;
  }

  std::unique_ptr<Panel> panel_;
  std::vector<MappedSite> sites_;

 private:
  void read_people() {
    const std::vector<std::string> lines = lines_of("people.vcf");
    const auto header = split(lines[0], '\t');
    testing::Genotypes people(header.size() - 9, std::vector<int>(panel_->n_sites(), -1));
    for (std::size_t i = 9; i < header.size(); ++i) place_of_.emplace(header[i], i - 9);
    for (std::size_t l = 1; l < lines.size(); ++l) {
      const auto fields = split(lines[l], '\t');
      const std::uint32_t site = panel_->find_id(fields[2]).value();
      for (std::size_t i = 9; i < fields.size(); ++i) {
        const std::string_view gt = fields[i].substr(0, 3);
        if (gt != "./.") people[i - 9][site] = (gt[0] == '1') + (gt[2] == '1');
      }
    }
    people_ = std::make_unique<ProfileRows>(testing::rows_of_people(people));
  }

  fs::path folder_;
  std::unique_ptr<ProfileRows> people_;
  std::map<std::string, std::size_t, std::less<>> place_of_;
};

TEST_F(LinkedVectors, SitesLieWhereTheyShould) {
  const Table expected = table("sites_cM.tsv");
  ASSERT_EQ(sites_.size(), expected.size());
  const std::vector<double> before = recombination_before(sites_);
  const GeneticMap shipped = *GeneticMap::shipped(panel_->build());
  for (std::size_t s = 0; s < sites_.size(); ++s) {
    EXPECT_EQ(panel_->sites()[sites_[s].site].id, expected[s].at("id"));
    EXPECT_NEAR(shipped.cm(sites_[s].chrom, sites_[s].pos), number(expected[s].at("cM")), 5.001e-5);
    EXPECT_NEAR(before[s], number(expected[s].at("recombination")), 1e-12);
  }
}

TEST_F(LinkedVectors, EveryRatio) {
  std::size_t checked = 0;
  std::map<std::string, LinkedModel> models;
  for (const auto& row : table("expected.tsv")) {
    const auto& [population, theta, w] =
        std::tuple(row.at("population"), number(row.at("theta")), number(row.at("error_rate")));
    const auto found = models.find(population + row.at("theta") + " " + row.at("error_rate"));
    const LinkedModel& of = found != models.end()
                                ? found->second
                                : models
                                      .emplace(population + row.at("theta") + " " + row.at("error_rate"),
                                               model(population, theta, w, all_relations()))
                                      .first->second;
    const RowView other = person(row.at("id2"));
    const Relation relation = relation_named(row.at("relation")).value();
    const Ratios ratios = of.ratios(person(row.at("id1")), {&other, 1}).front();
    EXPECT_NEAR(*ratios[relation], number(row.at("linked")), 1e-6)
        << row.at("id1") << " " << row.at("relation") << " " << population << " " << theta << " " << w;
    ++checked;
  }
  EXPECT_EQ(checked, 12u * 19 * 4);
}

TEST_F(LinkedVectors, Families) {
  std::size_t checked = 0;
  for (const auto& row : table("expected_family.tsv")) {
    const Table people = family(row.at("family") + ".txt");
    const std::vector<std::string_view> typed = split(row.at("typed"), ',');
    std::vector<stats::Member> members;
    std::size_t missing = people.size();
    const auto place = [&](const std::string& name) -> std::optional<std::size_t> {
      for (std::size_t i = 0; i < people.size(); ++i)
        if (people[i].at("person") == name) return i;
      return std::nullopt;
    };
    for (const auto& of : people) {
      stats::Member& member = members.emplace_back();
      member.father = place(of.at("father"));
      member.mother = place(of.at("mother"));
      member.name = of.at("person");
      if (std::ranges::find(typed, member.name) != typed.end()) member.typed = person(member.name);
      if (member.name == row.at("missing")) missing = members.size() - 1;
    }
    EXPECT_EQ(LinkedFamily::bits_of(members, missing), number(row.at("bits")));
    const stats::PopulationModel of = population("popA", number(row.at("theta")), .005);
    const RowView profile = person(row.at("profile"));
    const double linked = LinkedFamily(of, sites_, members, missing).log10_lr({&profile, 1}, 1).front();
    EXPECT_NEAR(linked, number(row.at("linked")), 1e-6) << row.at("profile") << " " << row.at("theta");
    ++checked;
  }
  EXPECT_EQ(checked, 12u);
}

TEST_F(LinkedVectors, Degrees) {
  const LinkedModel of = model("popA", .01, .005, all_relations());
  const std::map<std::string, Degree, std::less<>> degrees{{"0", Degree::kSame},
                                                           {"1 parent-child", Degree::kParentChild},
                                                           {"1 sibling", Degree::kSibling},
                                                           {"1.5", Degree::kThreeQuarterSibling},
                                                           {"2", Degree::kSecond},
                                                           {"3", Degree::kThird},
                                                           {"4", Degree::kFourth},
                                                           {"5", Degree::kFifth},
                                                           {"unrelated", Degree::kUnrelated}};
  std::map<std::string, std::pair<double, Degree>> best;
  std::size_t margins = 0;
  for (const auto& row : table("expected_degree.tsv")) {
    const RowView other = person(row.at("id2"));
    const Findings found = findings_of(of.ratios(person(row.at("id1")), {&other, 1}).front(), 1);
    if (const auto margin = row.find("log10_margin"); !margin->second.empty()) {
      EXPECT_NEAR(found.margin, number(margin->second), 1e-6) << row.at("id1");
      ++margins;
    }
    auto& [posterior, degree] = best[row.at("id1")];
    if (number(row.at("posterior")) <= posterior) continue;
    posterior = number(row.at("posterior"));
    degree = degrees.at(row.at("degree"));
    if (posterior > .5) {
      EXPECT_EQ(found.likeliest, degree) << row.at("id1");
    }
  }
  EXPECT_EQ(best.size(), 12u);
  EXPECT_GE(margins, 12u);
}

TEST_F(LinkedVectors, SharedAllelesSegmentsAndLengths) {
  const LinkedModel of = model("popA", .01, .005, all_relations());
  std::map<std::pair<std::string, std::string>, std::vector<SharedAlleles>> shared;
  const auto shared_of = [&](const auto& row) -> const std::vector<SharedAlleles>& {
    const std::pair key(row.at("id1") + "\t" + row.at("id2"), row.at("relation"));
    if (const auto found = shared.find(key); found != shared.end()) return found->second;
    return shared
        .emplace(key, testing::shared_of(of, person(row.at("id1")), person(row.at("id2")),
                                         testing::weight_on(relation_named(row.at("relation")).value())))
        .first->second;
  };
  std::map<std::uint32_t, std::size_t> place_of;
  for (std::size_t s = 0; s < sites_.size(); ++s) place_of.emplace(sites_[s].site, s);
  for (const auto& row : table("expected_ibd.tsv")) {
    const auto& [one, two] = shared_of(row)[place_of.at(panel_->find_id(row.at("id")).value())];
    EXPECT_NEAR(one, number(row.at("p1")), 1e-6);
    EXPECT_NEAR(two, number(row.at("p2")), 1e-6);
  }
  std::map<std::pair<std::string, std::string>, Table> segments;
  for (const auto& row : table("expected_segments.tsv"))
    segments[{row.at("id1") + "\t" + row.at("id2"), row.at("relation")}].push_back(row);
  EXPECT_FALSE(segments.empty());
  for (const auto& [key, rows] : segments) {
    std::vector<Segment> found = segments_of(sites_, shared_of(rows[0]));
    std::ranges::stable_sort(found, {}, &Segment::state);
    ASSERT_EQ(found.size(), rows.size()) << key.first;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      EXPECT_EQ(std::to_string(found[i].state), rows[i].at("state"));
      EXPECT_EQ(panel_->sites()[sites_[found[i].first_site].site].id, rows[i].at("first_site"));
      EXPECT_EQ(panel_->sites()[sites_[found[i].last_site].site].id, rows[i].at("last_site"));
      EXPECT_NEAR(found[i].start_cm, number(rows[i].at("start_cM")), 1e-5);
      EXPECT_NEAR(found[i].end_cm, number(rows[i].at("end_cM")), 1e-5);
    }
  }
  for (const auto& row : table("expected_shared.tsv")) {
    const auto [any, two] = shared_length(sites_, shared_of(row));
    EXPECT_NEAR(any, number(row.at("expected_cM_ibd1_or_2")), 1e-5);
    EXPECT_NEAR(two, number(row.at("expected_cM_ibd2")), 1e-5);
  }
}

}  // namespace
}  // namespace fastid::linked
