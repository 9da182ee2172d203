/// \file
/// The queries of a search: their rows, and where each came from.
#pragma once

#include <string>
#include <vector>

#include "bits/rows.hpp"

namespace fastid {

/// Where a query came from.
struct QuerySource {
  std::string name;  ///< the sample's name; "FILE:SAMPLE" where two queries share a name
  std::string file;
  std::string sha256;                    ///< of the file
  Encoding encoding = Encoding::kMinor;  ///< kAlleles: the file says which alleles it saw
};

struct Queries {
  std::vector<QuerySource> sources;
  ProfileRows
      rows;  ///< one for each source; of Encoding::kAlleles where every file says which alleles it saw
};

}  // namespace fastid
