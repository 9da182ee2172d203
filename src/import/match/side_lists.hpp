/// \file
/// The lists of people and of markers that belong to a table of genotypes (.fam and .bim, .ind and .snp):
/// lines of columns separated by blanks.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "import/formats/genotype_reader.hpp"
#include "import/io/line_reader.hpp"
#include "import/io/source.hpp"

namespace fastid::imports {

using Columns = std::vector<std::string_view>;

/// The people of a list.
struct NamedPeople {
  std::vector<std::string> ids;
  std::vector<std::optional<Sex>> sexes;  ///< that the list states

  void add(std::string id, std::optional<Sex> sex) {
    ids.push_back(std::move(id));
    sexes.push_back(sex);
  }
};

/// How many columns a line has, and the layout that an error names.
struct ColumnRule {
  std::size_t least, most;
  std::string_view layout;  ///< "an .ind has id, sex, population"
};

/// Calls take(columns) for each line that is not empty. \throws InputError where a line has another number of
/// columns, or where there are no people or too many.
void read_people(const Source& list, const ColumnRule& rule, const std::function<void(const Columns&)>& take);

/// Splits a marker's line, the last one that `lines` gave, into its six columns. Puts the position (the
/// fourth) and the alleles (the last two) into `record`. \throws InputError.
Columns read_marker(std::string_view line, const Source& list, const LineReader& lines,
                    std::string_view layout, SiteRecord& record);

}  // namespace fastid::imports
