/// \file
/// The decompressed bytes of a file: gzip and bgzip (htslib), xz (liblzma), zstd (libzstd), detected by the
/// first bytes. Bytes are decompressed as they are asked for, so that a small file that expands to terabytes
/// takes time, never memory or disk.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "import/io/source.hpp"

namespace fastid::imports {

enum class Packing { kNone, kGzip, kXz, kZstd };

/// The compression of a file that begins with `bytes`.
Packing packing_of(std::string_view bytes);

class ByteStream {
 public:
  virtual ~ByteStream() = default;
  /// Up to `bytes` bytes; 0 only at the end. \throws InputError: unreadable, or the compressed data are
  /// damaged or cut short.
  virtual std::size_t read(char* into, std::size_t bytes) = 0;
};

/// \param threads  that help to decompress a bgzip file, besides the caller's
std::unique_ptr<ByteStream> open_stream(const Source& source, std::size_t threads = 0);

/// The bytes of the file, not decompressed.
std::unique_ptr<ByteStream> open_bytes(const Source& source);

/// Reads `bytes` bytes, or fewer where the stream ends; returns how many.
std::size_t read_fully(ByteStream& stream, char* into, std::size_t bytes);

/// The first `most` bytes, or all where there are fewer.
std::string first_bytes(ByteStream& stream, std::size_t most);

}  // namespace fastid::imports
