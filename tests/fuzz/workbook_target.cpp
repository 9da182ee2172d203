// A report of a kit: an input is cut into the parts of a workbook, which are put into a zip archive as they
// are, so that mutations reach the XML and not the archive's checksums. (What an archive may do wrong, the
// target `any` tries.)
#include <zip.h>

#include <cstdlib>

#include "fuzz/fuzz.hpp"
#include "import/import.hpp"

namespace {

using namespace fastid;

constexpr const char* kParts[] = {"xl/worksheets/sheet1.xml", "xl/sharedStrings.xml", "xl/workbook.xml",
                                  "xl/_rels/workbook.xml.rels", "_rels/.rels"};

/// Writes the archive to an empty file, whose place is taken.
void write_archive(const std::string& path, const std::vector<std::string_view>& parts) {
  int problem = 0;
  zip_t* const archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &problem);
  if (archive == nullptr) std::abort();
  const auto add = [&](const char* name, std::string_view text) {
    zip_source_t* const source = zip_source_buffer(archive, text.data(), text.size(), 0);
    const auto at = zip_file_add(archive, name, source, 0);
    if (at < 0 || zip_set_file_compression(archive, static_cast<zip_uint64_t>(at), ZIP_CM_STORE, 0) != 0)
      std::abort();
  };
  add("[Content_Types].xml", "<Types/>");
  for (std::size_t i = 0; i < parts.size(); ++i) add(kParts[i], parts[i]);
  if (zip_close(archive) != 0) std::abort();
}

}  // namespace

FASTID_FUZZ_TARGET {
  static const Panel panel = read_panel_tsv(FASTID_FUZZ_PANEL);
  const auto contents = fuzz::pieces(bytes, std::size(kParts));
  const std::string path = fuzz::file_of("input.xlsx", "");
  write_archive(path, {contents.begin(), contents.end()});
  imports::ImportOptions options;
  if (!bytes.empty() && (bytes.back() & 1) != 0)
    options.depths = imports::DepthRule{.min_depth = 2, .min_fraction = 0.1};
  fuzz::may_refuse([&] { imports::import_profiles(path, panel, options); });
}
