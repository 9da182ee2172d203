/// \file
/// Which files a command reads and which it writes: nothing that is written may take the place of what is
/// read, or of something else that is written.
#pragma once

#include <string>
#include <vector>

namespace fastid::cli {

/// A file to be written; "" is none, "-" standard output.
struct WrittenFile {
  std::string option;  ///< that names it
  std::string path;
  bool to_stdout = true;  ///< whether it can go to standard output
};

/// Genotype files and all that is read with them: what lies beside a .bed or .geno.
std::vector<std::string> with_siblings(const std::vector<std::string>& genotypes);
/// A reference genome and its index.
std::vector<std::string> with_index(const std::string& reference);

/// Files are compared by what they are, under whatever names, and those that are not there yet by their
/// folder and name. Pipes and devices take the place of nothing. \throws UsageError where one of `written` is
/// among `read` or is there twice. In `read`, "" and "-" are none.
void check_files(const std::vector<WrittenFile>& written, const std::vector<std::string>& read);

}  // namespace fastid::cli
