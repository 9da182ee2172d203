#include "import/formats/format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "base/error.hpp"
#include "import/formats/eigenstrat.hpp"
#include "import/formats/kit_report.hpp"
#include "import/formats/plink.hpp"
#include "import/formats/sample_table.hpp"
#include "import/formats/text_genotypes.hpp"
#include "import/formats/vcf.hpp"
#include "import/io/byte_stream.hpp"
#include "import/match/look_alikes.hpp"

namespace fastid::imports {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kSaveAsText =
    "save its sheet of genotypes as text: columns rsid, chromosome, position, genotype, separated by tabs";
constexpr std::string_view kAskForText = "give the genotypes that it was made of, as text or VCF";

/// The first bytes of a format that fastid does not read, and what to do about it.
struct Foreign {
  std::string_view magic, what, cure;
};
constexpr std::array kForeign = {
    Foreign{"BZh"sv, "is compressed with bzip2", "decompress it first: bzip2 -d"},
    Foreign{"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"sv, "is an office document (.xls)", kSaveAsText},
    Foreign{"%PDF-"sv, "is a PDF document", kAskForText},
    Foreign{"%!PS"sv, "is a PostScript document", kAskForText},
    Foreign{"\x89HDF\r\n\x1A\n"sv, "is an HDF5 file, not genotypes",
            "`fastid db export` writes the profiles of a database as genotypes, `fastid db merge` joins "
            "databases"},
    Foreign{"\x6C\x1B\x00"sv, "is a sample-major PLINK .bed", "rewrite it with plink --make-bed"},
    Foreign{"TGENO "sv, "is a transposed packed .geno",
            "rewrite it with convertf, outputformat: PACKEDANCESTRYMAP"},
    Foreign{"@"sv, "holds reads that are not aligned (FASTQ)",
            "align them to the reference genome first: bwa mem | samtools sort"},
    Foreign{">"sv, "holds sequences (FASTA), not genotypes", "give a file of genotypes"},
    Foreign{"BAI\1"sv, "is an index", "give the file that it belongs to"},
    Foreign{"CSI\1"sv, "is an index", "give the file that it belongs to"},
    Foreign{"TBI\1"sv, "is an index", "give the file that it belongs to"},
    Foreign{"CRAI"sv, "is an index", "give the file that it belongs to"},
    Foreign{"bgen"sv, "is a BGEN file", "convert it with plink2 --bgen FILE --make-bed --out NAME"},
};
constexpr std::string_view kPlinkFamily = "\x6C\x1B";
constexpr std::string_view kPlinkMagic = "\x6C\x1B\x01";
constexpr std::string_view kPackedGeno = "GENO ";
constexpr std::size_t kLongestMagic = 4096;

/// Whether a zip archive is a workbook. \throws InputError where it is another one
bool is_workbook(const Source& source, std::string_view bytes) {
  if (!bytes.starts_with("PK\x03\x04")) return false;
  if (bytes.find("application/vnd.oasis.opendocument.spreadsheet") != std::string_view::npos)
    throw InputError(source.name(), "", "is an OpenDocument spreadsheet (.ods)",
                     "save its table as text with tabs; a report of UAS as .xlsx");
  if (first_bytes(*open_bytes(source), 2) != "PK")
    throw InputError(source.name(), "", "is a zip archive that is compressed once more",
                     "decompress it once");
  if (Workbook::is_in(ZipArchive(source))) return true;
  throw InputError(source.name(), "", "is a zip archive", "unpack it first: unzip");
}

/// The .bed of PLINK 1 and the .pgen of PLINK 2 share two bytes and differ in the third.
void refuse_plink2(const Source& source, std::string_view bytes) {
  if (!bytes.starts_with(kPlinkFamily) || bytes.starts_with(kPlinkMagic)) return;
  std::string prefix = source.name();
  if (prefix.ends_with(".pgen")) prefix.resize(prefix.size() - 5);
  throw InputError(source.name(), "", "is a PLINK 2 .pgen",
                   fmt::format("convert it: plink2 --pfile {0} --make-bed --out {0}", prefix));
}

/// The first bytes of BAM, CRAM, and of SAM's header lines.
bool is_reads(std::string_view bytes) {
  constexpr std::array kBegin = {"BAM\1"sv, "CRAM"sv, "@HD\t"sv, "@SQ\t"sv, "@RG\t"sv, "@PG\t"sv, "@CO\t"sv};
  return std::ranges::any_of(kBegin, [&](std::string_view begin) { return bytes.starts_with(begin); });
}

void refuse_foreign(const Source& source, std::string_view bytes) {
  if (bytes.empty()) throw InputError(source.name(), "", "is empty", "give a file of genotypes");
  if (packing_of(bytes) != Packing::kNone)
    throw InputError(source.name(), "", "is compressed twice", "decompress it once");
  for (const auto& [magic, what, cure] : kForeign)
    if (bytes.starts_with(magic)) throw InputError(source.name(), "", what, cure);
  refuse_plink2(source, bytes);
}

[[noreturn]] void refuse_ped(const Source& source) {
  std::string prefix = source.name();
  if (prefix.ends_with(".ped")) prefix.resize(prefix.size() - 4);
  throw InputError(source.name(), "", "is a PLINK .ped, a text of pedigrees and genotypes",
                   fmt::format("convert it, with its .map: plink --file {0} --make-bed --out {0}", prefix));
}

/// Whether the first line has only 0, 1, 2 and 9.
bool is_geno(std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  std::string_view line = bytes.substr(0, end);
  if (line.ends_with('\r')) line.remove_suffix(1);
  return !line.empty() && line.find_first_not_of("0129") == std::string_view::npos;
}

}  // namespace

FileFormat detect_format(const Source& source) {
  const std::string bytes = first_bytes(*open_stream(source), kLongestMagic);
  if (is_reads(bytes)) return FileFormat::kReads;
  refuse_foreign(source, bytes);
  if (is_workbook(source, bytes)) return FileFormat::kKitReport;
  if (bytes.starts_with(kPlinkMagic)) return FileFormat::kPlink;
  if (bytes.starts_with("BCF\2")) return FileFormat::kBcf;
  if (bytes.starts_with(kPackedGeno)) return FileFormat::kPackedAncestrymap;
  const std::string_view text = bytes.starts_with("\xEF\xBB\xBF") ? std::string_view(bytes).substr(3) : bytes;
  if (text.starts_with("##fileformat=VCF")) return FileFormat::kVcf;
  if (is_ped(text)) refuse_ped(source);
  return is_geno(text) ? FileFormat::kEigenstrat : FileFormat::kText;
}

std::vector<std::string> files_of(const Source& source, FileFormat format) {
  switch (format) {
    case FileFormat::kPlink:
      return PlinkReader::files_of(source);
    case FileFormat::kEigenstrat:
    case FileFormat::kPackedAncestrymap:
      return EigenstratReader::files_of(source);
    case FileFormat::kVcf:
    case FileFormat::kBcf:
    case FileFormat::kKitReport:
    case FileFormat::kReads:
    case FileFormat::kText:
      break;
  }
  return {source.path()};
}

std::unique_ptr<GenotypeReader> open_genotypes(const Source& source, FileFormat format,
                                               const ReaderOptions& options) {
  if (options.haplotypes && format != FileFormat::kVcf && format != FileFormat::kBcf)
    throw InputError(source.name(), "", "has no phases: haplotypes are read from VCF and BCF alone",
                     "give a phased VCF, or read genotypes without --phased");
  if (options.min_quality && format != FileFormat::kVcf && format != FileFormat::kBcf)
    throw InputError(source.name(), "", "states no qualities of genotypes, which --min-gq asks for",
                     "leave --min-gq out for files other than VCF, BCF and aligned reads");
  const bool packed = format == FileFormat::kPlink || format == FileFormat::kEigenstrat ||
                      format == FileFormat::kPackedAncestrymap;
  if (options.depths && packed)
    throw InputError(source.name(), "", "says nothing of reads, which --min-reads and --min-share ask for",
                     "leave them out to read genotypes");
  switch (format) {
    case FileFormat::kVcf:
    case FileFormat::kBcf:
      return open_vcf(source, format == FileFormat::kBcf, options);
    case FileFormat::kPlink:
      return std::make_unique<PlinkReader>(source);
    case FileFormat::kEigenstrat:
    case FileFormat::kPackedAncestrymap:
      return std::make_unique<EigenstratReader>(source, format == FileFormat::kPackedAncestrymap);
    case FileFormat::kKitReport:
      return std::make_unique<KitReport>(source, options);
    case FileFormat::kReads:
      throw InputError(source.name(), "", "holds reads, whose genotypes are called on a panel",
                       "call them first: fastid call");
    case FileFormat::kText:
      break;
  }
  auto text = std::make_unique<TextReader>(source, options);
  if (!text->names_samples()) return text;
  return std::make_unique<SampleTable>(std::move(text));
}

}  // namespace fastid::imports
