#include "unit/import/import_support.hpp"

#include <htslib/bgzf.h>
#include <htslib/hts.h>
#include <htslib/vcf.h>

namespace fastid::testing {

std::string pack(const TempFolder& folder, std::string_view bytes, Compression packing) {
  const std::string path = folder / "packed";
  BGZF* file = bgzf_open(path.c_str(), packing == Compression::kGzip ? "wg" : "w");
  EXPECT_EQ(bgzf_write(file, bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  EXPECT_EQ(bgzf_close(file), 0);
  return read_bytes(path);
}

std::string to_bcf(const TempFolder& folder, std::string_view vcf, const char* mode) {
  hts_set_log_level(HTS_LOG_OFF);
  const std::string from = folder.write("plain.vcf", vcf), to = folder / "out.bcf";
  htsFile* in = hts_open(from.c_str(), "r");
  htsFile* out = hts_open(to.c_str(), mode);
  bcf_hdr_t* header = bcf_hdr_read(in);
  EXPECT_EQ(bcf_hdr_write(out, header), 0);
  bcf1_t* record = bcf_init();
  while (bcf_read(in, header, record) == 0) EXPECT_EQ(bcf_write(out, header, record), 0);
  bcf_destroy(record);
  bcf_hdr_destroy(header);
  EXPECT_EQ(hts_close(in), 0);
  EXPECT_EQ(hts_close(out), 0);
  return read_bytes(to);
}

}  // namespace fastid::testing
