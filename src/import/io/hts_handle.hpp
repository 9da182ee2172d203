/// \file
/// htslib's objects, which close themselves. Files are given to htslib as descriptors, never by name, because
/// it takes some names for network addresses.
#pragma once

#include <htslib/bgzf.h>
#include <htslib/hfile.h>
#include <htslib/hts.h>
#include <htslib/sam.h>
#include <htslib/vcf.h>

#include <memory>

#include "import/io/source.hpp"

namespace fastid::imports::hts {

struct Close {
  void operator()(hFILE* file) const { hclose_abruptly(file); }
  void operator()(BGZF* file) const { bgzf_close(file); }
  void operator()(htsFile* file) const { hts_close(file); }
  void operator()(bcf_hdr_t* header) const { bcf_hdr_destroy(header); }
  void operator()(bcf1_t* record) const { bcf_destroy(record); }
  void operator()(sam_hdr_t* header) const { sam_hdr_destroy(header); }
  void operator()(bam1_t* record) const { bam_destroy1(record); }
  void operator()(hts_idx_t* index) const { hts_idx_destroy(index); }
  void operator()(hts_itr_t* iterator) const { hts_itr_destroy(iterator); }
};

template <class T>
using Handle = std::unique_ptr<T, Close>;

/// Silences htslib's own messages: fastid's errors say more. From any thread.
void silence();

/// The raw bytes, from the beginning.
Handle<hFILE> open_bytes(const Source& source);

/// The decompressed bytes of a file, which may be gzip, bgzip or plain. \throws InputError where a bgzip file
/// lacks its end.
Handle<BGZF> open_decompressed(const Source& source);

/// \throws InputError where a bgzip file lacks its end-of-file block.
void check_bgzip_end(BGZF* file, const Source& source);

}  // namespace fastid::imports::hts
