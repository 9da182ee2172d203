/// \file
/// Files that belong together: x.bed with x.bim and x.fam, x.geno with x.snp and x.ind, reads with their
/// index.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "import/io/source.hpp"

namespace fastid::imports {

/// The file beside `source` that has `suffix` in place of the suffix of `source`, which is one of `own`.
/// Either may have the suffix of a compression after it.
/// \param what  for the error: "a PLINK .bed needs its .bim and .fam beside it"
Source sibling_of(const Source& source, std::initializer_list<std::string_view> own, std::string_view suffix,
                  std::string_view what);

/// The files beside the genotypes or reads of `path` (or of a prefix) that may be read with them, and must
/// not be overwritten. Opens nothing.
std::vector<std::string> files_beside(const std::string& path);

}  // namespace fastid::imports
