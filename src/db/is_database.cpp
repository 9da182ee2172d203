#include <array>
#include <string_view>

#include "base/file.hpp"
#include "db/database.hpp"

namespace fastid::db {

bool is_database(const std::string& path) {
  constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
  if (path == "-") return false;
  const FileDescriptor file = open_for_reading(path);
  std::array<char, kSignature.size()> head{};
  return read_some(file.get(), head.data(), head.size(), path) == head.size() &&
         std::string_view(head.data(), head.size()) == kSignature;
}

}  // namespace fastid::db
