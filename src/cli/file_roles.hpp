/// \file
/// The files that a command reads and writes: a file that is written must not replace one that is read,
/// another one that is written, or a file that is not of its own kind.
#pragma once

#include <string>
#include <vector>

namespace fastid::cli {

/// What a file that is written holds, and so what it may replace.
enum class Content {
  kResult,    ///< tables, tsv, json, html, lists: replaces any of these
  kList,      ///< plain ids, one on each line: replaces such a list
  kProfiles,  ///< exported genotypes: replaces those that say so
  kPanel,
  kMatrix,    ///< r2 of all pairs of sites: replaces a .npy of floats, or such a matrix in HDF5
  kConfig,    ///< of a device
  kPart,      ///< of a run whose work is shared
  kDatabase,  ///< replaces nothing
  kLog        ///< is added to
};

/// A file to be written; "" means no file, "-" standard output.
struct WrittenFile {
  std::string option;  ///< the option that names it
  std::string path;
  bool to_stdout = true;  ///< whether it can go to standard output
  Content content = Content::kResult;
  std::string format = {};  ///< the word of its only format, which its suffix must not contradict; "": it has
                            ///< several, or any suffix
};

/// From now on every file may be replaced, whatever it holds (--force).
void allow_any_replacement();

/// Genotype files and all files that are read with them: those beside a .bed or .geno, and indexes of reads.
std::vector<std::string> with_siblings(const std::vector<std::string>& genotypes);
/// A reference genome and its index.
std::vector<std::string> with_index(const std::string& reference);

/// Existing files are compared by identity, whatever their names, and files that do not exist yet by folder
/// and name. Pipes and devices replace nothing. \throws UsageError where one of `written` is among `read`,
/// occurs twice, has the suffix of another format, or would replace a file that holds something else than it
/// does. In `read`, "" and "-" mean
/// no file.
void check_files(const std::vector<WrittenFile>& written, const std::vector<std::string>& read);

/// Refuses files in the wrong order: where the database must be there is none, but among `others` there is.
/// \param place  where it goes, for the message: "last: fastid search QUERY... DB" \throws UsageError
void check_order(const std::string& database, const std::vector<std::string>& others,
                 const std::string& place);

}  // namespace fastid::cli
