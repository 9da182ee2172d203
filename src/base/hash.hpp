/// \file
/// SHA-256 of inputs and panels (libcrypto), XXH3-64 of blocks (xxHash).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace fastid {

/// Computes a SHA-256 from pieces of data.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(const Sha256&) = delete;
  Sha256& operator=(const Sha256&) = delete;

  void update(const void* data, std::size_t bytes);
  void update(std::string_view text) { update(text.data(), text.size()); }

  /// 64 lower-case hexadecimal digits. Ends the computation, so it may be called only once.
  std::string hex();

 private:
  struct Context;
  std::unique_ptr<Context> context_;
};

/// SHA-256 of a text, in hexadecimal.
std::string sha256_of(std::string_view text);

/// HMAC-SHA-256 of a text, in hexadecimal: who does not have the key can neither make nor check it.
std::string hmac_sha256(std::string_view key, std::string_view text);

/// SHA-256 of a whole file, in hexadecimal. \throws InputError where it cannot be read.
std::string sha256_of_file(const std::string& path);

/// XXH3-64, default seed, of `first` followed by `second` (which may be empty).
std::uint64_t xxh3_64(const void* first, std::size_t first_bytes, const void* second = nullptr,
                      std::size_t second_bytes = 0);

/// True where `text` consists of lower-case hexadecimal digits only, as hex() writes them.
bool is_lower_hex(std::string_view text);

/// Sixteen lower-case hexadecimal digits.
std::string hex64(std::uint64_t value);

}  // namespace fastid
