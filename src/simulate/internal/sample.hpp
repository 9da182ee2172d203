/// \file
/// What the files of samples share: the people they are of, and how they are written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "panel/panel.hpp"
#include "simulate/people.hpp"
#include "simulate/simulate.hpp"

namespace fastid::simulate {

/// "P000000001" for row 0.
std::string profile_id(std::uint64_t row);

/// One person's two alleles at every site, true = minor. Where there is only one copy, both are the same.
struct Person {
  Sex sex = Sex::kFemale;
  std::vector<bool> first, second;
};

/// \param block  alleles of 32 people, of whom `men` says who is a man
Person person_of(const std::vector<SiteAlleles>& block, std::uint32_t men, std::uint64_t lane);
/// The person of a row of the database.
Person stored_person(const People& people, std::uint64_t row);

/// Which alleles a sample shows at one site.
struct Shown {
  bool major = false, minor = false;
};

/// A file of the folder of cases.
std::string path_in(const SimulateOptions& options, const std::string& file);

/// The lines before the sites in a file of one sample.
std::string sample_head(const SimulateOptions& options, const std::string& name);
/// sample_head() of a .snp file, with the names of its columns; and a site's line.
std::string snp_head(const SimulateOptions& options, const Panel& panel, const std::string& name);
std::string snp_line(const Site& site, Shown shown);

/// Writes a whole file. \throws Failure.
void write_file(const std::string& path, const std::string& text);

}  // namespace fastid::simulate
