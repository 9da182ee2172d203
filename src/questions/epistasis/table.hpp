/// \file
/// What `fastid epistasis` asks and finds.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/epistasis.hpp"
#include "panel/panel.hpp"

namespace fastid::epistasis {

/// What a combination of so many sites is called.
constexpr std::string_view combination_name(std::size_t way) {
  return way == 2 ? "pair" : way == 3 ? "triple" : "quadruple";
}

/// A combination that is listed.
struct EpistasisRow {
  std::vector<Site> sites;  ///< two to four
  double score = 0;
  std::uint64_t people = 0;  ///< who are called at all of them
  engine::GenotypeTable table;
  double p_permutations = 1;  ///< of no meaning without permutations
};

struct EpistasisTable {
  std::string file;                           ///< of genotypes
  std::string phenotypes, phenotypes_sha256;  ///< the file that says who is a case
  std::size_t way = 3;
  engine::EpistasisScore score = engine::EpistasisScore::kK2;
  std::array<std::uint32_t, engine::kClasses> people{};  ///< controls, cases
  std::uint64_t without_phenotype = 0;                   ///< people who were left out
  std::uint64_t min_people = 0;                          ///< of a combination
  std::uint32_t n_sites = 0;
  std::uint64_t n_combinations = 0;
  bool carriers = false;           ///< genotypes 1 and 2 cannot be told apart, and count as 2
  std::vector<EpistasisRow> rows;  ///< the best first
  std::uint64_t ties = 0;          ///< that are not listed and score as the last one that is
  std::uint64_t permutations = 0, seed = 1;
};

}  // namespace fastid::epistasis
