#include "base/hash.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <unistd.h>
#define XXH_STATIC_LINKING_ONLY  // allows the streaming state on the stack
#include <xxhash.h>
#if defined(__x86_64__)
#include <immintrin.h>
#include <xxh_x86dispatch.h>  // uses AVX2 or AVX-512 where available: 60 GB/s, against 5 GB/s of plain x86-64
#endif

#include <array>
#include <cerrno>
#include <span>
#include <vector>

#include "base/error.hpp"
#include "base/file.hpp"

namespace fastid {

namespace {

std::string hex_of(std::span<const unsigned char> digest) {
  std::string text;
  for (const unsigned char byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace

struct Sha256::Context {
  EVP_MD_CTX* md = EVP_MD_CTX_new();
  ~Context() { EVP_MD_CTX_free(md); }
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {
  if (context_->md == nullptr || EVP_DigestInit_ex(context_->md, EVP_sha256(), nullptr) != 1)
    throw Failure("libcrypto does not offer SHA-256");
}

Sha256::~Sha256() = default;

void Sha256::update(const void* data, std::size_t bytes) {
  if (EVP_DigestUpdate(context_->md, data, bytes) != 1) throw Failure("SHA-256 failed");
}

std::string Sha256::hex() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (EVP_DigestFinal_ex(context_->md, digest.data(), &size) != 1) throw Failure("SHA-256 failed");
  return hex_of({digest.data(), size});
}

std::string sha256_of(std::string_view text) {
  Sha256 sha;
  sha.update(text);
  return sha.hex();
}

std::string hmac_sha256(std::string_view key, std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned int size = 0;
  if (HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
           reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size) == nullptr)
    throw Failure("HMAC-SHA-256 failed");
  return hex_of({digest.data(), size});
}

std::string sha256_of_file(const std::string& path) {
  const FileDescriptor file = open_for_reading(path);
  std::vector<char> buffer(std::size_t{1} << 20);
  Sha256 sha;
  while (const std::size_t got = read_some(file.get(), buffer.data(), buffer.size(), path))
    sha.update(buffer.data(), got);
  return sha.hex();
}

namespace {

#if defined(__x86_64__)
[[gnu::target("avx")]] void clear_upper_halves() {
  _mm256_zeroupper();
}
#endif

/// xxHash's AVX functions leave the upper halves of the vector registers in use. On Intel's CPUs plain
/// floating point then takes ten times as long, in this thread and in threads that it starts, until the
/// registers are cleared.
class CleanRegisters {
 public:
  CleanRegisters() = default;
  ~CleanRegisters() {
#if defined(__x86_64__)
    static const bool has_halves = __builtin_cpu_supports("avx") != 0;
    if (has_halves) clear_upper_halves();
#endif
  }
  CleanRegisters(const CleanRegisters&) = delete;
  CleanRegisters& operator=(const CleanRegisters&) = delete;
};

}  // namespace

std::uint64_t xxh3_64(const void* first, std::size_t first_bytes, const void* second,
                      std::size_t second_bytes) {
  const CleanRegisters afterwards;
  if (second_bytes == 0) return XXH3_64bits(first, first_bytes);
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, first, first_bytes);
  XXH3_64bits_update(&state, second, second_bytes);
  return XXH3_64bits_digest(&state);
}

bool is_lower_hex(std::string_view text) {
  return text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

std::string hex64(std::uint64_t value) {
  return fmt::format("{:016x}", value);
}

}  // namespace fastid
