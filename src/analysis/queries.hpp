/// \file
/// The queries of a search, from all their files.
#pragma once

#include <string>
#include <vector>

#include "bits/rows.hpp"
#include "import/import.hpp"

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

/// Reads every sample of every file onto the panel, in order; prints one line of counts for each file. A
/// sample with no called site of the panel is left out with a warning. \throws InputError where a file is
/// rejected, or no query is left.
Queries read_queries(const std::vector<std::string>& files, const Panel& panel, const ImportOptions& options);

}  // namespace fastid
