#include "import/format.hpp"

#include <fmt/format.h>

#include <array>
#include <string>

#include "base/error.hpp"
#include "import/hts_handle.hpp"
#include "import/plink.hpp"
#include "import/text_genotypes.hpp"
#include "import/vcf.hpp"

namespace fastid {
namespace {

using namespace std::string_view_literals;

/// What a file begins with that is certainly not for us, and what to do about it.
struct Foreign {
  std::string_view magic, what, cure;
};
constexpr std::array kForeign = {
    Foreign{"\xFD"
            "7zXZ\0"sv,
            "is compressed with xz", "decompress it first: xz -d"},
    Foreign{"\x28\xB5\x2F\xFD"sv, "is compressed with zstd", "decompress it first: zstd -d"},
    Foreign{"BZh"sv, "is compressed with bzip2", "decompress it first: bzip2 -d"},
    Foreign{"PK\x03\x04"sv, "is a zip archive", "unpack it first: unzip"},
    Foreign{"\x89HDF\r\n\x1A\n"sv, "is an HDF5 file, not genotypes",
            "a database goes last on the command line; db export writes its profiles as genotypes"},
    Foreign{"\x6C\x1B\x00"sv, "is a sample-major PLINK .bed", "rewrite it with plink --make-bed"},
    Foreign{"\x6C\x1B\x10"sv, "is a PLINK 2 .pgen", "convert it with plink2 --make-bed"},
    Foreign{"\x6C\x1B\x11"sv, "is a PLINK 2 .pgen", "convert it with plink2 --make-bed"},
    Foreign{"GENO "sv, "is a packed EIGENSTRAT .geno", "convert it to PLINK with convertf"},
    Foreign{"TGENO "sv, "is a packed EIGENSTRAT .geno", "convert it to PLINK with convertf"},
};
constexpr std::string_view kPlinkMagic = "\x6C\x1B\x01";
constexpr std::size_t kLongestMagic = 8;

std::string first_bytes(const Source& source) {
  const FileDescriptor file = source.open();
  std::string bytes(kLongestMagic, '\0');
  std::size_t size = 0;
  while (const std::size_t got =
             read_some(file.get(), bytes.data() + size, bytes.size() - size, source.name()))
    size += got;
  bytes.resize(size);
  return bytes;
}

void refuse_foreign(const Source& source, std::string_view bytes) {
  if (bytes.empty()) throw InputError(source.name(), "", "is empty", "give a file of genotypes");
  for (const auto& [magic, what, cure] : kForeign)
    if (bytes.starts_with(magic)) throw InputError(source.name(), "", what, cure);
}

/// What htslib knows of, but fastid does not read.
void refuse_sequences(const Source& source, const htsFormat& format) {
  switch (format.format) {
    case sam:
    case bam:
    case cram:
    case fastq_format:
      throw InputError(source.name(), "", "holds sequence reads, not genotypes",
                       "call genotypes at the panel's sites first: bcftools mpileup | bcftools call");
    case fasta_format:
      throw InputError(source.name(), "", "holds sequences (FASTA), not genotypes",
                       "give a file of genotypes");
    case bai:
    case crai:
    case csi:
    case gzi:
    case tbi:
      throw InputError(source.name(), "", "is an index", "give the file that it belongs to");
    case empty_format:
      throw InputError(source.name(), "", "is empty once decompressed", "give a file of genotypes");
    default:
      break;
  }
}

}  // namespace

FileFormat detect_format(const Source& source) {
  const std::string bytes = first_bytes(source);
  refuse_foreign(source, bytes);
  if (bytes.starts_with(kPlinkMagic)) return FileFormat::kPlink;
  const hts::Handle<hFILE> file = hts::open_bytes(source);
  htsFormat format{};
  if (hts_detect_format(file.get(), &format) < 0)
    throw InputError(source.name(), "", "cannot be read", "restore it from a copy");
  refuse_sequences(source, format);
  return format.format == vcf || format.format == bcf ? FileFormat::kVariants : FileFormat::kText;
}

std::unique_ptr<GenotypeReader> open_genotypes(const Source& source, FileFormat format,
                                               bool refuse_variants_only) {
  switch (format) {
    case FileFormat::kVariants:
      return std::make_unique<VcfReader>(source, refuse_variants_only);
    case FileFormat::kPlink:
      return std::make_unique<PlinkReader>(source);
    case FileFormat::kText:
      break;
  }
  return std::make_unique<TextReader>(source);
}

}  // namespace fastid
