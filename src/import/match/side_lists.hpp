/// \file
/// The lists of people and of markers that lie beside a table of genotypes (.fam and .bim, .ind and .snp):
/// lines of columns between blanks.
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "import/formats/genotype_reader.hpp"
#include "import/io/line_reader.hpp"
#include "import/io/source.hpp"

namespace fastid {

using Columns = std::vector<std::string_view>;

/// How many columns a line has, and what a refusal says of them.
struct ColumnRule {
  std::size_t least, most;
  std::string_view layout;  ///< "an .ind has id, sex, population"
};

/// Calls take(columns) for each line that is not empty. \throws InputError where a line has other columns, or
/// there are no people or more than anybody has in a file.
void read_people(const Source& list, const ColumnRule& rule, const std::function<void(const Columns&)>& take);

/// The six columns of a marker's line, the one that `lines` gave last. The fourth is its position, which goes
/// into `record` with the alleles of the last two. \throws InputError.
Columns read_marker(std::string_view line, const Source& list, const LineReader& lines,
                    std::string_view layout, SiteRecord& record);

}  // namespace fastid
