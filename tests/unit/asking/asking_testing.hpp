// What the tests of analysis share: small databases and query files made of one letter a site.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/log.hpp"
#include "questions/search/run.hpp"
#include "support/temp_folder.hpp"

namespace fastid::testing {

/// The number of minor alleles, '0', '1', '2' (of a mixture: major only, both, minor only); '-' not called.
using Letters = std::string;

inline Seen seen_of(char letter) {
  return letter == '0' ? kMajorSeen : letter == '1' ? kBothSeen : kMinorSeen;
}

inline Panel panel_of(std::size_t n_sites, std::vector<Population> populations) {
  std::vector<Site> sites;
  for (std::size_t s = 0; s < n_sites; ++s)
    sites.push_back({"rs" + std::to_string(s), "1", static_cast<std::uint32_t>(1000 + s), 'A', 'C'});
  return Panel(std::move(sites), std::move(populations), GenomeBuild::kGRCh37, "test");
}

inline std::string write_database(const TempFolder& folder, const Panel& panel,
                                  const std::vector<Letters>& people, db::Kind kind = db::Kind::kIndividuals,
                                  Encoding encoding = Encoding::kMinor) {
  const std::string path = folder / "people.h5";
  db::Writer writer(path, panel, {.kind = kind, .encoding = encoding});
  BitBlocks blocks({people.size(), panel.n_sites(), encoding});
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < people.size(); ++i) {
    ids.push_back("P" + std::to_string(i));
    for (std::uint32_t s = 0; s < panel.n_sites(); ++s)
      if (people[i][s] != '-') blocks.set_seen(i, s, seen_of(people[i][s]));
  }
  writer.append(ids, blocks.view());
  writer.finish({.action = "build", .command = "fastid db build --panel panel.tsv"});
  return path;
}

inline std::string write_query(const TempFolder& folder, const Letters& letters,
                               const std::string& name = "Q") {
  std::string text = "#sample " + name + "\n# build 37\n";
  for (std::size_t s = 0; s < letters.size(); ++s)
    text += "rs" + std::to_string(s) + "\t1\t" + std::to_string(1000 + s) + "\t" +
            (letters[s] == '-'   ? "--"
             : letters[s] == '0' ? "AA"
             : letters[s] == '1' ? "AC"
                                 : "CC") +
            "\n";
  return folder.write(name + ".snp", text);
}

/// Whole searches of small databases.
class SearchTest : public ::testing::Test {
 protected:
  SearchTest() {
    log::set_level(log::Level::kQuiet);
    options_.evidence.parameters.theta = 0;
    options_.details = true;
    options_.progress = ProgressMode::kNever;
    options_.evidence.by_rate = true;
    options_.threads = 2;
  }
  ~SearchTest() override { log::set_level(log::Level::kNormal); }

  match::MatchTable run(const Panel& panel, const std::vector<Letters>& people, const Letters& query) {
    const bool reverse = options_.comparison == engine::Comparison::kReverseMixture;
    options_.database = write_database(folder_, panel, people,
                                       reverse ? db::Kind::kMixtures : db::Kind::kIndividuals, encoding_);
    options_.queries = {write_query(folder_, query)};
    const auto engine = engine::make_reference_engine({});
    return search::search(options_, *engine);
  }

  /// Sites all of minor-allele frequency `q`.
  match::MatchTable run(const std::vector<Letters>& people, const Letters& query, double q = 0.1) {
    return run(panel_of(query.size(), {{"pop", std::vector<double>(query.size(), q)}}), people, query);
  }

  TempFolder folder_;
  asking::SearchOptions options_;
  Encoding encoding_ = Encoding::kMinor;  ///< of the database
};

}  // namespace fastid::testing
