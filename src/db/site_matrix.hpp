/// \file
/// A file of r2 of every site with every site, for `fastid ld --matrix FILE.h5`: HDF5 with the sites beside
/// the matrix. docs/commands/ld.md describes it.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "panel/panel.hpp"

namespace fastid::db {

/// Whether a file has this format, by its attributes; false where it cannot be read.
bool is_site_matrix(const std::string& path);

/// Writes such a file, row by row, beside its target; finish() puts it in place.
class SiteMatrixWriter {
 public:
  /// What was correlated, and among how many.
  struct Facts {
    std::string_view what;      ///< "genotypes", "haplotypes", "carriers"
    std::uint32_t n_units = 0;  ///< people or haplotypes
  };

  /// \throws Failure where the target cannot be written
  SiteMatrixWriter(const std::string& target, std::span<const Site> sites, const Facts& facts);
  ~SiteMatrixWriter();

  /// Adds whole rows, of a value for each site. Multiples of 256 rows are fastest. \throws Failure (disk)
  void append(std::span<const float> rows);

  /// Ends the file, which must have a row for each site, and puts it in place. \throws Failure
  void finish();

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace fastid::db
