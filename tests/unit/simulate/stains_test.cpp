// Stains of a make that is asked for: what drops out, drops in and is read comes as often as was asked, and
// stains.tsv names who left them. What a person has is known where the database has no minor allele of
// theirs.
#include <gmock/gmock.h>

#include <filesystem>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/text.hpp"
#include "simulate/simulate.hpp"
#include "unit/db/db_testing.hpp"
#include "unit/simulate/shares.hpp"

namespace fastid::simulate {
namespace {

using db::testing::Folder;
using fastid::testing::read_bytes;
using testing::expect_share;
using ::testing::HasSubstr;

using Fields = std::vector<std::string>;

SimulateOptions stains_for(const Folder& folder, const PlantedStains& stains) {
  SimulateOptions options;
  options.output = folder / "db.h5";
  options.profiles = 100;
  options.sites = 500;
  options.pairs[static_cast<std::size_t>(Relation::kFullSiblings)] = 20;
  options.pairs[static_cast<std::size_t>(Relation::kDuplicate)] = 5;
  options.cases_dir = folder / "made";
  options.stains = stains;
  return options;
}

/// Lines without the comments and the header.
std::vector<Fields> table_of(const std::string& path) {
  std::vector<Fields> lines;
  std::istringstream file(read_bytes(path));
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    Fields fields;
    for (const std::string_view piece : split(line, '\t')) fields.emplace_back(piece);
    lines.push_back(fields);
  }
  if (!path.ends_with(".snp")) lines.erase(lines.begin());
  return lines;
}

/// Letters of what the stains of one person show where the person has the major allele alone.
std::map<std::string, std::size_t> shown_of_major(double drop_out, double drop_in) {
  const Folder folder;
  const SimulateOptions options =
      stains_for(folder, {.stains = 20, .drop_outs = {drop_out}, .drop_in = drop_in});
  simulate_database(options);
  const db::Reader reader(options.output);
  const auto people = db::testing::letters_of(reader, 100);
  std::map<std::string, std::size_t> shown;
  for (const Fields& truth : table_of(options.cases_dir + "/stains.tsv")) {
    const auto sites = table_of(options.cases_dir + "/" + truth[0]);
    EXPECT_EQ(sites.size(), 500u);
    for (std::size_t s = 0; s < sites.size(); ++s) {
      const Site& site = reader.panel().sites()[s];
      if (people.at(std::stoul(truth[3]))[s] != '0') continue;
      const std::string& letters = sites[s].at(3);
      ++shown[letters == std::string(2, site.major)   ? "major"
              : letters == std::string(2, site.minor) ? "minor"
              : letters == "--"                       ? "none"
                                                      : "both"];
      ++shown["all"];
    }
  }
  return shown;
}

TEST(Stains, CopiesDropOutAndAllelesDropInAsOftenAsAsked) {
  auto shown = shown_of_major(.4, 0);
  expect_share(shown["none"], .16, shown["all"]);
  EXPECT_EQ(shown["minor"] + shown["both"], 0u);
  shown = shown_of_major(.4, .1);
  expect_share(shown["none"], .16 * .9 * .9, shown["all"]);
  expect_share(shown["minor"], .16 * .9 * .1, shown["all"]);
  expect_share(shown["both"], (1 - .16 * .9) * .1, shown["all"]);
  shown = shown_of_major(0, 0);
  EXPECT_EQ(shown["major"], shown["all"]);
}

TEST(Stains, ReadsAreOfEachContributorsShare) {
  const Folder folder;
  const SimulateOptions options = stains_for(
      folder, {.stains = 20, .shares = {.9, .1}, .drop_outs = {0, .5}, .depth = 40, .read_error_rate = .01});
  simulate_database(options);
  const db::Reader reader(options.output);
  const auto people = db::testing::letters_of(reader, 100);
  const std::vector<double>& q = reader.panel().populations()[0].minor_freq;
  const auto truth = table_of(options.cases_dir + "/stains.tsv");
  double depth = 0, minor = 0, wanted = 0, wrong = 0, wrong_of = 0;
  std::size_t sites_seen = 0;
  for (std::size_t stain = 0; stain < 20; ++stain) {
    EXPECT_EQ(truth[2 * stain][4], "0.9");
    EXPECT_EQ(truth[2 * stain + 1][5], "0.5");
    const auto sites = table_of(options.cases_dir + "/" + truth[2 * stain][0]);
    const std::string &first = people.at(std::stoul(truth[2 * stain][3])),
                      &second = people.at(std::stoul(truth[2 * stain + 1][3]));
    for (std::size_t s = 0; s < sites.size(); ++s) {
      const double majors = std::stod(sites[s].at(4)), minors = std::stod(sites[s].at(5));
      depth += majors + minors;
      ++sites_seen;
      if (first[s] == '1') continue;
      if (second[s] == '0') {
        wrong += minors;
        wrong_of += majors + minors;
      } else {  // half of the second one's copies are left, each half of their share
        minor += minors;
        const double both = q[s] * q[s] / (1 - (1 - q[s]) * (1 - q[s]));
        const double copies = (1 + both) / 2;  // of the two that are left, in the mean
        wanted += 40 * (.05 * copies * (1 - .01) + (.95 - .05 * copies) * .01);
      }
    }
  }
  EXPECT_NEAR(depth / static_cast<double>(sites_seen), 40 * .95, 1.5);
  EXPECT_NEAR(wrong / wrong_of, .01, .002);
  EXPECT_NEAR(minor / wanted, 1, .1);
}

TEST(Stains, RelativesOfContributorsAreNamed) {
  const Folder folder;
  SimulateOptions options = stains_for(
      folder, {.stains = 30, .drop_outs = {0, 0, 0}, .related_contributors = true, .stored_relatives = true});
  simulate_database(options);
  std::map<std::string, std::string> relatives;
  for (const Fields& pair : table_of(relatives_path(options.output)))
    if (pair[0] == "full-siblings") {
      relatives[pair[1]] = pair[3];
      relatives[pair[3]] = pair[1];
    }
  const auto truth = table_of(options.cases_dir + "/stains.tsv");
  ASSERT_EQ(truth.size(), 90u);
  std::set<std::string> first;
  for (std::size_t stain = 0; stain < 30; ++stain) {
    const Fields &one = truth[3 * stain], &other = truth[3 * stain + 1], &third = truth[3 * stain + 2];
    EXPECT_EQ(one[2], other[7]);
    EXPECT_EQ(other[2], one[7]);
    EXPECT_EQ(relatives.at(third[2]), third[7]);
    EXPECT_NE(third[7], one[2]);
    EXPECT_NE(third[2], other[2]);
    EXPECT_EQ(third[6], "full-siblings");
    first.insert(one[2]);
  }
  EXPECT_GT(first.size(), 10u);
  options.stains = PlantedStains{.stains = 60, .drop_outs = {0, 0}};  // and duplicates are no relatives
  simulate_database(options);
  std::size_t without = 0;
  for (const Fields& contributor : table_of(options.cases_dir + "/stains.tsv"))
    without += contributor[6] == "-";
  expect_share(without, .6, 120);
}

TEST(Stains, AreTheSameForTheSameSeedAndReplaceThoseOfAnEarlierRun) {
  const Folder folder;
  SimulateOptions options = stains_for(folder, {.stains = 4, .shares = {.5, .5}});
  simulate_database(options);
  const std::string third = read_bytes(options.cases_dir + "/stain-0003.tsv");
  EXPECT_THAT(case_files(options), ::testing::SizeIs(5));
  options.threads = 1;
  options.stains->stains = 3;
  simulate_database(options);
  EXPECT_EQ(read_bytes(options.cases_dir + "/stain-0003.tsv"), third);
  EXPECT_FALSE(std::filesystem::exists(options.cases_dir + "/stain-0004.tsv"));
  options.stains = PlantedStains{.stains = 1, .drop_outs = {0}};
  EXPECT_THAT(case_files(options), ::testing::SizeIs(5));  // three to remove
  simulate_database(options);
  EXPECT_FALSE(std::filesystem::exists(options.cases_dir + "/stain-0001.tsv"));
  EXPECT_TRUE(std::filesystem::exists(options.cases_dir + "/stain-0001.snp"));
}

void expect_refused(const PlantedStains& stains, const std::string& why) {
  const Folder folder;
  try {
    simulate_database(stains_for(folder, stains));
    ADD_FAILURE() << "not refused: " << why;
  } catch (const UsageError& error) {
    EXPECT_THAT(error.what(), HasSubstr(why));
  }
}

TEST(Stains, WhatCannotBeMadeIsRefused) {
  expect_refused({.stains = 1}, "by --shares, or lost by --drop-out");
  expect_refused({.stains = 1, .shares = {.5, .4}}, "add up to 0.9");
  expect_refused({.stains = 1, .shares = {1.5, -.5}}, "the shares have 1.5");
  expect_refused({.stains = 1, .drop_outs = {1}}, "the drop-outs have 1");
  expect_refused({.stains = 1, .shares = {.5, .5}, .drop_outs = {0}}, "2 shares and 1 drop-out");
  expect_refused({.stains = 1, .drop_outs = std::vector<double>(9)}, "at most 8 people");
  expect_refused({.stains = 1, .shares = {1}, .depth = 0}, "the depth");
  expect_refused({.stains = 1, .shares = {1}, .read_error_rate = .5}, "the read error rate");
  expect_refused({.stains = 1, .drop_outs = {0}, .drop_in = 1}, "the drop-in");
  expect_refused({.stains = 1, .drop_outs = {0}, .related_contributors = true}, "two at least");
  const Folder folder;
  SimulateOptions options =
      stains_for(folder, {.stains = 1, .drop_outs = std::vector<double>(3), .stored_relatives = true});
  options.pairs[static_cast<std::size_t>(Relation::kFullSiblings)] = 2;
  EXPECT_THROW(simulate_database(options), UsageError);
}

}  // namespace
}  // namespace fastid::simulate
