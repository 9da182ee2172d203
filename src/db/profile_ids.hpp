/// \file
/// Profile ids on their way into a database.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace fastid::db {

/// \throws InputError where ids of so many bytes do not fit a database.
void check_id_bytes(std::size_t bytes, const std::string& file);

/// Ids as rows of `bytes` bytes each, padded with zeros. \throws InputError where one is empty, too long or
/// holds a zero byte.
std::string padded_ids(std::span<const std::string> ids, std::size_t bytes, const std::string& file);

}  // namespace fastid::db
