/// \file
/// What the fuzz targets share. A target gets bytes and gives them to a reader of foreign bytes as the
/// program would; the reader may refuse them with one of our errors, and nothing else: any other exception, a
/// crash, a leak, a read out of bounds or more memory than the limits allow is a finding.
///
/// Two drivers: libFuzzer (clang, scripts/fuzz), and replay.cpp, which runs kept inputs in every build.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace fastid::fuzz {

/// A private folder in memory that goes away with the process.
const std::string& folder();

/// Writes `bytes` to NAME in folder() and gives its path.
std::string file_of(const std::string& name, std::string_view bytes);

/// One input as several files: pieces between lines "\n=====\n". Always `n` pieces, the last ones perhaps
/// empty.
std::vector<std::string_view> pieces(std::string_view bytes, std::size_t n);

/// Runs `read`; refusals are as they should be.
template <class Read>
void may_refuse(const Read& read) {
  try {
    read();
  } catch (const Error&) {
  }
}

}  // namespace fastid::fuzz

/// A target: `#define`s nothing, just has a body that takes `std::string_view bytes`.
#define FASTID_FUZZ_TARGET                                                         \
  static void run_target(std::string_view bytes);                                  \
  extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t n) { \
    run_target({reinterpret_cast<const char*>(data), n});                          \
    return 0;                                                                      \
  }                                                                                \
  static void run_target([[maybe_unused]] std::string_view bytes)
