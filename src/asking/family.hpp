/// \file
/// The family of `fastid kin --family`, from a text.
///
///   a PED file            family person father mother sex phenotype ...    at least six columns
///   or three columns             person father mother
///
/// Columns are separated by blanks or tabs; 0 is no parent; a line that begins with # is a comment. Sex is 1
/// (male), 2 (female) or anything else (not known); a phenotype of 2 or `missing` is of somebody who is
/// looked for; all that follows it is ignored. A parent without a line is a
/// founder. A person's name occurs once in the file, also where it holds several families.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "panel/site_class.hpp"

namespace fastid::asking {

/// A person of a family file. Parents are indices of people.
struct Person {
  std::string name;
  std::string family;  ///< "" in a file of three columns
  std::optional<std::size_t> father, mother;
  /// kMale or kFemale: what a PED file says, or that somebody is a father or a mother.
  std::optional<Sex> sex;
  bool looked_for = false;  ///< the phenotype of a PED file is 2 or "missing"
};

struct FamilyFile {
  std::string path;
  std::string sha256;
  std::vector<Person> people;  ///< in the order in which the file names them first

  /// The place of a person, if there is one of this name.
  std::optional<std::size_t> find(std::string_view name) const;
};

/// The longest file of `fastid kin --family`, in bytes.
inline constexpr std::uint64_t kLongestFamily = std::uint64_t{1} << 20;

/// \throws InputError naming the line: columns, names, people who are listed twice, are their own parents,
/// have one person as father and mother, or have parents of another family or of the wrong sex.
FamilyFile read_family(const std::string& path, std::uint64_t most_bytes = kLongestFamily);

}  // namespace fastid::asking
