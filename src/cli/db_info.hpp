/// \file
/// What `fastid db info` prints.
#pragma once

#include <string>

#include "db/database.hpp"

namespace fastid::cli {

/// For a person: one fact a line, then one line for each build or append. \throws InputError where the log is
/// damaged.
std::string info_text(const db::Reader& reader);
/// The same for scripts, as one JSON object, with the inputs of each build and their SHA-256. \throws as
/// info_text().
std::string info_json(const db::Reader& reader);

}  // namespace fastid::cli
