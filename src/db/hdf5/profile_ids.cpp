#include "db/hdf5/profile_ids.hpp"

#include <fmt/format.h>

#include "base/error.hpp"
#include "base/text.hpp"
#include "db/database.hpp"

namespace fastid::db {
namespace {

void check_id(const std::string& id, std::size_t bytes, const std::string& file) {
  const auto reject = [&](const std::string& problem) {
    throw InputError(file, "", fmt::format("profile id '{}' {}", printable(id), problem),
                     "rename the profile");
  };
  if (id.empty()) reject("is empty");
  if (id.find('\0') != std::string::npos) reject("holds a zero byte");
  if (id.size() > bytes) reject(fmt::format("is longer than {} bytes", bytes));
}

}  // namespace

void check_id_bytes(std::size_t bytes, const std::string& file) {
  if (bytes > kLongestProfileId)
    throw InputError(file, "", fmt::format("profile ids of {} bytes are too long", bytes),
                     fmt::format("keep them within {} bytes", kLongestProfileId));
}

std::string padded_ids(std::span<const std::string> ids, std::size_t bytes, const std::string& file) {
  std::string rows;
  rows.reserve(ids.size() * bytes);
  for (const std::string& id : ids) {
    check_id(id, bytes, file);
    rows += id;
    rows.append(bytes - id.size(), '\0');
  }
  return rows;
}

}  // namespace fastid::db
