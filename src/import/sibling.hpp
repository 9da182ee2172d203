/// \file
/// Files that say something only together: x.bed with x.bim and x.fam, x.geno with x.snp and x.ind.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "import/io/source.hpp"

namespace fastid {

/// The file beside `source` that has `suffix` in place of its own: one of `own`, perhaps with that of a
/// compression after it, both of which the other may have too. \param what  for the error: "a PLINK .bed
/// needs its .bim and .fam beside it"
Source sibling_of(const Source& source, std::initializer_list<std::string_view> own, std::string_view suffix,
                  std::string_view what);

/// What lies beside the genotypes of `path` (or of a prefix) and may be read with them; for who must not
/// write there. Opens nothing.
std::vector<std::string> files_beside(const std::string& path);

}  // namespace fastid
