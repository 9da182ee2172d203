/// \file
/// What `fastid db info` prints.
#pragma once

#include <string>

#include "db/database.hpp"

namespace fastid::cli {

std::string info_text(const db::Reader& reader);
std::string info_json(const db::Reader& reader);

}  // namespace fastid::cli
