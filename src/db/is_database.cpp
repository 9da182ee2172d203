#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "base/file.hpp"
#include "db/database.hpp"

namespace fastid::db {

bool is_database(const std::string& path) {
  constexpr std::string_view kSignature = "\x89HDF\r\n\x1a\n";
  std::error_code none;
  // A pipe is not read here, since its bytes come only once.
  if (path == "-" || std::filesystem::is_fifo(path, none)) return false;
  const FileDescriptor file = open_for_reading(path);
  std::array<char, kSignature.size()> head{};
  return read_some(file.get(), head.data(), head.size(), path) == head.size() &&
         std::string_view(head.data(), head.size()) == kSignature;
}

}  // namespace fastid::db
