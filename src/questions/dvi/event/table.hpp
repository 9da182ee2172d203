/// \file
/// The findings of `fastid dvi`, with the question.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "questions/dvi/event/findings.hpp"

namespace fastid::dvi {

/// Whether the people of a conclusion are named as the missing members.
bool is_named(const Missing& of);

/// A file that was read.
struct InputFile {
  std::string path, sha256;
};

struct Table {
  std::vector<Family> families;  ///< without readings
  std::vector<std::string> remains;
  Findings findings;
  Rules rules;
  double theta = 0, error_rate = 0;
  std::vector<std::string> populations;
  std::uint32_t n_sites = 0;  ///< counted
  InputFile family_file;
  std::vector<InputFile> typed;  ///< files, or the database of the families' samples
  std::string database, content_sha256;
  std::string blocks;  ///< the file; "": none

  /// The number of missing members that somebody is named for. In a set who cannot be told apart, at most the
  /// number of people.
  std::size_t n_named() const;
  /// The names of a person's remains, joined by "+".
  std::string name_of_person(std::size_t person) const;
  const std::string& name_of_missing(std::size_t missing) const {
    const Missing& of = findings.missing[missing];
    return families[of.family].members[of.member].name;
  }
  const std::string& family_of_missing(std::size_t missing) const {
    return families[findings.missing[missing].family].name;
  }
};

}  // namespace fastid::dvi
