#include "import/io/byte_stream.hpp"

#include <fcntl.h>
#include <lzma.h>
#include <zstd.h>

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "import/io/hts_handle.hpp"

namespace fastid::imports {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kInputBytes = std::size_t{1} << 17;
constexpr std::uint64_t kXzMemory = std::uint64_t{1} << 30;  ///< xz -9 takes 65 MiB
constexpr std::size_t kMagicBytes = 6;
constexpr int kBgzfBlocksInFlight = 64;

[[noreturn]] void refuse_damaged(const std::string& name) {
  throw InputError(name, "", "the compressed data are damaged or truncated", "restore the file from a copy");
}

class PlainStream final : public ByteStream {
 public:
  explicit PlainStream(const Source& source) : name_(source.name()), file_(source.open()) {
    ::posix_fadvise(file_.get(), 0, 0, POSIX_FADV_SEQUENTIAL);
  }
  std::size_t read(char* into, std::size_t bytes) override {
    return read_some(file_.get(), into, bytes, name_);
  }

 private:
  std::string name_;
  FileDescriptor file_;
};

class GzipStream final : public ByteStream {
 public:
  GzipStream(const Source& source, std::size_t threads)
      : name_(source.name()), file_(hts::open_decompressed(source)) {
    if (threads > 0) bgzf_mt(file_.get(), static_cast<int>(threads), kBgzfBlocksInFlight);
  }
  std::size_t read(char* into, std::size_t bytes) override {
    const ssize_t got = bgzf_read(file_.get(), into, bytes);
    if (got < 0) refuse_damaged(name_);
    return static_cast<std::size_t>(got);
  }

 private:
  std::string name_;
  hts::Handle<BGZF> file_;
};

/// What xz and zstd share: compressed bytes in a buffer of fixed size.
class BufferedInput {
 public:
  explicit BufferedInput(const Source& source) : name_(source.name()), file_(source.open()) {}

  const std::string& name() const { return name_; }
  /// Refills the buffer; returns the number of bytes, 0 at the end.
  std::size_t refill() { return read_some(file_.get(), buffer_.data(), buffer_.size(), name_); }
  const char* data() const { return buffer_.data(); }

 private:
  std::string name_;
  FileDescriptor file_;
  std::vector<char> buffer_ = std::vector<char>(kInputBytes);
};

class XzStream final : public ByteStream {
 public:
  explicit XzStream(const Source& source) : input_(source) {
    if (lzma_stream_decoder(&lzma_, kXzMemory, LZMA_CONCATENATED) != LZMA_OK)
      throw Failure("xz: the decoder cannot be set up: out of memory");
  }
  ~XzStream() override { lzma_end(&lzma_); }
  XzStream(const XzStream&) = delete;
  XzStream& operator=(const XzStream&) = delete;

  std::size_t read(char* into, std::size_t bytes) override {
    lzma_.next_out = reinterpret_cast<std::uint8_t*>(into);
    lzma_.avail_out = bytes;
    while (!ended_ && lzma_.avail_out == bytes) step();
    return bytes - lzma_.avail_out;
  }

 private:
  void step() {
    if (lzma_.avail_in == 0 && !drained_) {
      lzma_.avail_in = input_.refill();
      lzma_.next_in = reinterpret_cast<const std::uint8_t*>(input_.data());
      drained_ = lzma_.avail_in == 0;
    }
    const lzma_ret result = lzma_code(&lzma_, drained_ ? LZMA_FINISH : LZMA_RUN);
    if (result == LZMA_MEMLIMIT_ERROR)
      throw InputError(input_.name(), "", "needs over a gibibyte of memory to be decompressed",
                       "compress it again with xz -6");
    if (result != LZMA_OK && result != LZMA_STREAM_END) refuse_damaged(input_.name());
    ended_ = result == LZMA_STREAM_END;
  }

  BufferedInput input_;
  lzma_stream lzma_ = LZMA_STREAM_INIT;
  bool drained_ = false, ended_ = false;
};

class ZstdStream final : public ByteStream {
 public:
  explicit ZstdStream(const Source& source) : input_(source) {
    if (!zstd_) throw Failure("zstd: the decoder cannot be set up: out of memory");
  }

  std::size_t read(char* into, std::size_t bytes) override {
    ZSTD_outBuffer out{into, bytes, 0};
    while (out.pos == 0) {
      if (in_.pos == in_.size && !refill()) return 0;
      const std::size_t left = ZSTD_decompressStream(zstd_.get(), &out, &in_);
      if (ZSTD_isError(left)) refuse_damaged(input_.name());  // a window over 128 MiB is such an error, too
      within_frame_ = left != 0;
    }
    return out.pos;
  }

 private:
  struct Free {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
  };

  bool refill() {
    in_ = {input_.data(), input_.refill(), 0};
    if (in_.size == 0 && within_frame_) refuse_damaged(input_.name());
    return in_.size > 0;
  }

  BufferedInput input_;
  std::unique_ptr<ZSTD_DStream, Free> zstd_{ZSTD_createDStream()};
  ZSTD_inBuffer in_{nullptr, 0, 0};
  bool within_frame_ = false;
};

std::string magic_of(const Source& source) {
  const FileDescriptor file = source.open();
  std::string bytes(kMagicBytes, '\0');
  std::size_t size = 0;
  while (const std::size_t got =
             read_some(file.get(), bytes.data() + size, bytes.size() - size, source.name()))
    size += got;
  bytes.resize(size);
  return bytes;
}

}  // namespace

Packing packing_of(std::string_view bytes) {
  if (bytes.starts_with("\x1F\x8B"sv)) return Packing::kGzip;
  if (bytes.starts_with("\xFD"
                        "7zXZ\0"sv))
    return Packing::kXz;
  if (bytes.starts_with("\x28\xB5\x2F\xFD"sv)) return Packing::kZstd;
  return Packing::kNone;
}

std::unique_ptr<ByteStream> open_stream(const Source& source, std::size_t threads) {
  switch (packing_of(magic_of(source))) {
    case Packing::kGzip:
      return std::make_unique<GzipStream>(source, threads);
    case Packing::kXz:
      return std::make_unique<XzStream>(source);
    case Packing::kZstd:
      return std::make_unique<ZstdStream>(source);
    case Packing::kNone:
      break;
  }
  return open_bytes(source);
}

std::unique_ptr<ByteStream> open_bytes(const Source& source) {
  return std::make_unique<PlainStream>(source);
}

std::size_t read_fully(ByteStream& stream, char* into, std::size_t bytes) {
  std::size_t size = 0;
  while (size < bytes) {
    const std::size_t got = stream.read(into + size, bytes - size);
    if (got == 0) break;
    size += got;
  }
  return size;
}

std::string first_bytes(ByteStream& stream, std::size_t most) {
  constexpr std::size_t kPiece = std::size_t{1} << 16;  // `most` may be far more than there is
  std::string bytes;
  std::size_t read = 0;
  do {
    bytes.resize(std::min(most, std::max(kPiece, 2 * read)));
    read += read_fully(stream, bytes.data() + read, bytes.size() - read);
  } while (read == bytes.size() && read < most);
  bytes.resize(read);
  return bytes;
}

}  // namespace fastid::imports
