/// \file
/// The files of `fastid ld` that have r2 of all pairs: the matrix, and the heat map.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file.hpp"
#include "cli/file_roles.hpp"
#include "db/site_matrix.hpp"
#include "questions/ld/run.hpp"

namespace fastid::ld {

struct LdFileNames {
  std::string matrix;  ///< .npy, or .h5 or .hdf5; "": none
  std::string plot;    ///< .svg; "": none

  bool any() const { return !matrix.empty() || !plot.empty(); }
  std::vector<cli::WrittenFile> written() const;
  /// \throws UsageError where a suffix says another format, or a plot has no region
  void check(const LdOptions& options) const;
};

/// Files that appear on commit().
class LdFiles {
 public:
  /// Opens the files that can be written before the sites are known. \throws Failure
  explicit LdFiles(const LdFileNames& names);

  /// Counts all pairs and writes them. \throws UsageError where a plot would have too many sites; Failure,
  /// before any is counted where the matrix will not fit
  void write(const LdSearch& search, const std::string& input);
  void commit();

 private:
  const LdFileNames& names_;
  std::optional<OutputFile> npy_, plot_;
  std::optional<db::SiteMatrixWriter> hdf5_;
};

}  // namespace fastid::ld
