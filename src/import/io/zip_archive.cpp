#include "import/io/zip_archive.hpp"

#include <fmt/format.h>
#include <zip.h>

#include <vector>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/text.hpp"

namespace fastid::imports {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;
constexpr std::int64_t kMostFiles = 10'000;
constexpr std::string_view kRestore = "restore it from a copy, or export it again";

struct CloseFile {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};

/// Gives the archive a descriptor of its own, which it closes.
zip* open_archive(const Source& source) {
  FileDescriptor file = source.open();
  int problem = 0;
  zip* const archive = zip_fdopen(file.get(), 0, &problem);
  if (archive == nullptr)
    throw InputError(source.name(), "", "is a zip archive that is damaged or cut short", kRestore);
  file.release();
  return archive;
}

}  // namespace

void ZipArchive::Close::operator()(zip* archive) const {
  zip_discard(archive);
}

ZipArchive::ZipArchive(const Source& source) : name_(source.name()), archive_(open_archive(source)) {
  index_files();
}

void ZipArchive::refuse(std::string_view file, std::string_view problem, std::string_view cure) const {
  throw InputError(name_, file, problem, cure);
}

void ZipArchive::index_files() {
  const std::int64_t n = zip_get_num_entries(archive_.get(), 0);
  if (n > kMostFiles)
    refuse("", fmt::format("is a zip archive of {} files", with_commas(static_cast<std::uint64_t>(n))),
           "unpack it, and give the file of genotypes");
  for (std::uint64_t i = 0; i < static_cast<std::uint64_t>(n); ++i) {
    const char* const file = zip_get_name(archive_.get(), i, ZIP_FL_ENC_RAW);
    if (file == nullptr) refuse("", "is a zip archive whose list of files is damaged", kRestore);
    if (!files_.emplace(ascii_lower(file), i).second)
      refuse(printable(file), "is in the archive twice: which of the two counts is not known",
             "export it again");
  }
}

bool ZipArchive::has(std::string_view file) const {
  return files_.contains(ascii_lower(file));
}

void ZipArchive::check(std::string_view file, std::uint64_t at) const {
  zip_stat_t facts;
  zip_stat_init(&facts);
  if (zip_stat_index(archive_.get(), at, 0, &facts) != 0)
    refuse(file, "is damaged within the archive", kRestore);
  if ((facts.valid & ZIP_STAT_ENCRYPTION_METHOD) != 0 && facts.encryption_method != ZIP_EM_NONE)
    refuse(file, "is encrypted", "save it without a password");
  if ((facts.valid & ZIP_STAT_COMP_METHOD) != 0 && facts.comp_method != ZIP_CM_STORE &&
      facts.comp_method != ZIP_CM_DEFLATE)
    refuse(file, "is compressed in a way that documents are not", "save it again as .xlsx");
}

void ZipArchive::read(std::string_view file, const Take& take) {
  const auto found = files_.find(ascii_lower(file));
  if (found == files_.end()) refuse(file, "is missing from the archive", kRestore);
  check(file, found->second);
  const std::unique_ptr<zip_file_t, CloseFile> open(zip_fopen_index(archive_.get(), found->second, 0));
  if (!open) refuse(file, "is damaged within the archive", kRestore);
  std::vector<char> buffer(kChunk);
  while (true) {
    check_interrupt();
    const std::int64_t got = zip_fread(open.get(), buffer.data(), buffer.size());
    if (got < 0)
      refuse(file, "is damaged within the archive", kRestore);  // its checksum is wrong, or its data
    if (got == 0) return;
    decompressed_ += static_cast<std::uint64_t>(got);
    if (decompressed_ > kMostBytes)
      refuse(file, fmt::format("expands to more than {} MiB", kMostBytes >> 20),
             "a report of a kit has less than 20; give its genotypes as text or VCF");
    take(std::span(buffer).first(static_cast<std::size_t>(got)));
  }
}

}  // namespace fastid::imports
