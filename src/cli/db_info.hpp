/// \file
/// The output of `fastid db info`.
#pragma once

#include <string>

#include "base/progress.hpp"
#include "db/database.hpp"

namespace fastid::cli {

/// For a person: a line for each fact, then one for each build or append, and what the panel can prove. Reads
/// no profile. \throws InputError where the log is damaged.
std::string info_text(const db::Reader& reader);
/// The same for scripts, as one JSON object, with the inputs of each build and their SHA-256. \throws as
/// info_text().
std::string info_json(const db::Reader& reader);
/// The same as a page with call rates and allele frequencies, for which all profiles are read. \throws as
/// info_text(), and InputError where a block is damaged.
std::string info_html(const db::Reader& reader, std::size_t threads, ProgressMode progress);

}  // namespace fastid::cli
