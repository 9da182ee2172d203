// What the tests of analysis share: small databases and query files made of one letter a site.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/search.hpp"
#include "support/temp_folder.hpp"

namespace fastid::testing {

/// '0' no minor allele, '1' at least one, '-' not called.
using Letters = std::string;

inline Panel panel_of(std::size_t n_sites, std::vector<Population> populations) {
  std::vector<Site> sites;
  for (std::size_t s = 0; s < n_sites; ++s)
    sites.push_back({"rs" + std::to_string(s), "1", static_cast<std::uint32_t>(1000 + s), 'A', 'C'});
  return Panel(std::move(sites), std::move(populations), GenomeBuild::kGRCh37, "test");
}

inline std::string write_database(const TempFolder& folder, const Panel& panel,
                                  const std::vector<Letters>& people,
                                  db::Kind kind = db::Kind::kIndividuals) {
  const std::string path = folder / "people.h5";
  db::Writer writer(path, panel, {.kind = kind});
  BitBlocks blocks({people.size(), panel.n_sites()});
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < people.size(); ++i) {
    ids.push_back("P" + std::to_string(i));
    for (std::uint32_t s = 0; s < panel.n_sites(); ++s)
      if (people[i][s] != '-') blocks.set(i, s, people[i][s] == '1');
  }
  writer.append(ids, blocks.view());
  writer.finish({.action = "build", .command = "fastid db build --panel panel.tsv"});
  return path;
}

inline std::string write_query(const TempFolder& folder, const Letters& letters) {
  std::string text = "#sample Q\n# build 37\n";
  for (std::size_t s = 0; s < letters.size(); ++s)
    text += "rs" + std::to_string(s) + "\t1\t" + std::to_string(1000 + s) + "\t" +
            (letters[s] == '-'   ? "--"
             : letters[s] == '1' ? "AC"
                                 : "AA") +
            "\n";
  return folder.write("query.snp", text);
}

}  // namespace fastid::testing
