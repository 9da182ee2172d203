#include "import/io/hts_handle.hpp"

#include <cerrno>

#include "base/error.hpp"

namespace fastid::imports::hts {
namespace {

constexpr int kBgzip = 2;  ///< of bgzf_compression()

}  // namespace

void silence() {
  [[maybe_unused]] static const bool done = (hts_set_log_level(HTS_LOG_OFF), true);
}

Handle<hFILE> open_bytes(const Source& source) {
  silence();
  FileDescriptor fd = source.open();
  Handle<hFILE> file(hdopen(fd.get(), "r"));
  if (!file) throw InputError(source.name(), "", "cannot open: " + errno_text(errno), "");
  fd.release();  // htslib closes it
  return file;
}

Handle<BGZF> open_decompressed(const Source& source) {
  Handle<hFILE> bytes = open_bytes(source);
  Handle<BGZF> file(bgzf_hopen(bytes.get(), "r"));
  if (!file) throw InputError(source.name(), "", "cannot be decompressed", "restore it from a copy");
  bytes.release();  // NOLINT(bugprone-unused-return-value): the BGZF closes it
  if (bgzf_compression(file.get()) == kBgzip) check_bgzip_end(file.get(), source);
  return file;
}

void check_bgzip_end(BGZF* file, const Source& source) {
  if (bgzf_check_EOF(file) == 0)
    throw InputError(source.name(), "end", "the bgzip end-of-file block is missing: the file is truncated",
                     "restore it from a copy, or compress it again with bgzip");
}

}  // namespace fastid::imports::hts
