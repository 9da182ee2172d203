#include "cli/file_roles.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <string_view>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/staged_file.hpp"
#include "base/text.hpp"
#include "cli/accountability.hpp"
#include "cli/output_format.hpp"
#include "db/similarity_values.hpp"
#include "db/site_matrix.hpp"
#include "import/sibling.hpp"
#include "import/text_output.hpp"
#include "ingest/ingest.hpp"
#include "part/part_file.hpp"
#include "report/columns.hpp"
#include "report/npy.hpp"

namespace fastid::cli {
namespace {

namespace fs = std::filesystem;

/// A key that is the same for all names of a file; "" for paths that replace no file.
std::string identity_of(const std::string& path) {
  if (path.empty() || path == "-") return path;
  struct stat info {};
  if (::stat(path.c_str(), &info) == 0)
    return S_ISREG(info.st_mode) ? fmt::format("{}:{}", info.st_dev, info.st_ino) : "";
  std::error_code failed;
  const fs::path file = fs::absolute(resolve_links(path), failed);
  const fs::path folder = fs::canonical(file.parent_path(), failed);
  return ((failed ? file.parent_path() : folder) / file.filename()).string();
}

bool g_replaces_any = false;

constexpr std::string_view kPage =
    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'";

constexpr std::string_view kHdf5 = "\x89HDF\r\n\x1a\n";

/// How files begin that fastid writes.
struct Beginning {
  Content content;
  std::string_view text;
};
constexpr Beginning kBeginnings[] = {
    {Content::kResult, "query "},  // tables
    {Content::kResult, "mixture "},
    {Content::kResult, "missing "},
    {Content::kResult, "database       "},
    {Content::kResult, "The machine's best, "},
    {Content::kResult, "{\"query\":"},  // lines of json
    {Content::kResult, "{\"mixture\":"},
    {Content::kResult, "{\"missing\":"},
    {Content::kResult, "{\"row\":"},
    {Content::kResult, "query\tfile\tcalled_sites\t"},
    {Content::kResult, "#IID1\tIID2\t"},
    {Content::kResult, "id1\tid2\tchrom\t"},
    {Content::kResult, "family\tmissing\tperson\t"},
    {Content::kResult, "person\tremains\t"},
    {Content::kResult, "component\trank\t"},
    {Content::kResult, "family\tmember\t"},
    {Content::kResult, "group\tdatabase\tprofile\t"},
    {Content::kResult, "# id: '"},
    {Content::kResult, "{\"IID1\":"},
    {Content::kResult, "CHR_A\tBP_A\t"},
    {Content::kResult, "profile_a\tprofile_b\t"},
    {Content::kResult, "profile\trank\tprofile_a\t"},
    {Content::kResult, "site_a\tsite_b\t"},
    {Content::kResult, "site\trank\tsite_a\t"},
    {Content::kResult, "vector_a\tvector_b\t"},
    {Content::kResult, "vector\trank\tvector_a\t"},
    {Content::kResult, "{\"profile_a\":"},
    {Content::kResult, "{\"profile\":"},
    {Content::kResult, "{\"site_a\":"},
    {Content::kResult, "{\"site\":"},
    {Content::kResult, "{\"vector_a\":"},
    {Content::kResult, "{\"vector\":"},
    {Content::kResult, "{\"CHR_A\":"},
    {Content::kResult, "mixture\tfile\tcalled_sites\t"},
    {Content::kResult, "profile\tfile\tcalled_sites\t"},
    {Content::kResult, ingest::kPrunedMark},
    {Content::kResult, "#blocks by r2 of "},
    {Content::kResult, "kind\tname\tdevice\t"},  // tsv
    {Content::kResult, "row\tprofile\t"},
    {Content::kResult, "profile\trow\tpopulation\n"},
    {Content::kResult, "relation\tprofile\trow\t"},
    {Content::kResult, "file\tkind\tcontributors\trows\n"},
    {Content::kResult, "file\tcontributor\tprofile\trow\tshare\t"},
    {Content::kResult, "file\tsite\tchrom\tpos\tfate\t"},
    {Content::kResult, "{\n  \"format\": \"fastid-"},  // json
    {Content::kResult, "{\"format\":\"fastid-"},
    {Content::kResult, "{\n  \"program\": \"fastid "},
    {Content::kResult, "{\n  \"database\": "},
    {Content::kResult, "PANEL    "},
    {Content::kResult, "panel    "},
    {Content::kResult, "[\n  {\n    \"panel\": "},
    {Content::kResult, "{\n  \"panel\": "},
    {Content::kResult, kPage},
    {Content::kProfiles, "##fileformat=VCFv4.2\n##source=fastid "},
    {Content::kProfiles, "profile\t"},
    {Content::kResult, "<svg xmlns=\"http://www.w3.org/2000/svg\" id=\"fastid\" "},
    {Content::kMatrix, report::kNpyOfFloats},
    {Content::kPanel, "#build "},
    {Content::kPanel, "id\tchrom\tpos\tmajor\tminor"},
    {Content::kConfig, "/* configs/"},
    {Content::kPart, part::kMagic},
};

/// What a file begins with that a new one would replace; nothing where there is no such file.
std::string head_of(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode) || info.st_size == 0) return {};
  constexpr std::size_t kHead = 4096;
  return imports::first_text_of(path, kHead);
}

bool is_own_snp(std::string_view head) {
  const auto says = [head](std::string_view text) { return head.find(text) != std::string_view::npos; };
  return head.starts_with("#sample ") && (says("\n# exported by fastid ") || says("\n# called by fastid ") ||
                                          says("\n# simulated by fastid "));
}

/// Whether the first line of a file names columns of results and nothing else.
bool has_result_columns(std::string_view head) {
  const std::string_view line = head.substr(0, head.find('\n'));
  return std::ranges::all_of(split(line, '\t'), report::is_column);
}

/// Whether a file may list ids, one on each line: nothing else is on its first line.
bool is_list(std::string_view head) {
  const std::string_view line = head.substr(0, head.find('\n'));
  return is_printable_utf8(line) && line.find_first_of("#<{") == std::string_view::npos;
}

/// A panel without the comments on what it is and comes from.
std::string_view without_remarks(std::string_view head) {
  while (head.starts_with("# ")) head.remove_prefix(std::min(head.find('\n'), head.size() - 1) + 1);
  return head;
}

bool is_of_its_kind(Content content, std::string_view head) {
  if (content == Content::kPanel) head = without_remarks(head);
  if (content == Content::kList) return is_list(head);
  if (content == Content::kProfiles && is_own_snp(head)) return true;
  if (content == Content::kResult && has_result_columns(head)) return true;
  return std::ranges::any_of(kBeginnings, [&](const Beginning& known) {
    return known.content == content && head.starts_with(known.text);
  });
}

/// A database whose policy demands an audit log or a case gives way only to commands that obey it. \throws
/// UsageError
void refuse_where_protected(const WrittenFile& file) {
  const auto header = header_if_database(file.path);
  if (header && header->policy != db::Policy{})
    throw UsageError(fmt::format("{} {}: a database with a policy is there; name another file", file.option,
                                 display_name(file.path)));
}

/// \throws UsageError where the file would replace one that is not of its kind
void check_replaced(const WrittenFile& file) {
  if (file.content == Content::kLog || file.path.empty() || file.path == "-") return;
  const std::string head = head_of(file.path);
  if (head.empty() || is_of_its_kind(file.content, head)) return;
  const bool hdf5 = head.starts_with(kHdf5),
             matrix = hdf5 && (db::is_site_matrix(file.path) || db::is_similarity_values(file.path));
  if (matrix && file.content == Content::kMatrix) return;
  const bool database = hdf5 && !matrix;
  if (database && file.content != Content::kDatabase) refuse_where_protected(file);
  if (g_replaces_any) return;
  throw UsageError(
      fmt::format("{} {}: {} is there, and would be lost; {}, or say --force to replace it", file.option,
                  display_name(file.path), database ? "a database" : "a file of another kind",
                  database && file.content == Content::kDatabase ? "add to it by `fastid db append`"
                                                                 : "name another file"));
}

}  // namespace

void allow_any_replacement() {
  g_replaces_any = true;
}

std::vector<std::string> with_siblings(const std::vector<std::string>& genotypes) {
  std::vector<std::string> all = genotypes;
  for (const std::string& path : genotypes)
    for (const std::string& beside : imports::files_beside(path)) all.push_back(beside);
  return all;
}

std::vector<std::string> with_index(const std::string& reference) {
  return reference.empty() ? std::vector<std::string>{}
                           : std::vector{reference, reference + ".fai", reference + ".gzi"};
}

void check_files(const std::vector<WrittenFile>& written, const std::vector<std::string>& read) {
  std::map<std::string, const WrittenFile*> files;
  for (const WrittenFile& file : written) {
    if (file.path == "-" && !file.to_stdout)
      throw UsageError(fmt::format("{} -: this cannot go to standard output; name a file", file.option));
    const std::string identity = identity_of(file.path);
    if (identity.empty()) continue;
    const auto [other, is_new] = files.emplace(identity, &file);
    if (!is_new)
      throw UsageError(fmt::format("{} {}: is what {} writes too; name another file", file.option, file.path,
                                   other->second->option));
  }
  for (const std::string& path : read) {
    const auto lost = path.empty() || path == "-" ? files.end() : files.find(identity_of(path));
    if (lost != files.end())
      throw UsageError(fmt::format("{} {}: is an input too and would be lost; name another file",
                                   lost->second->option, lost->second->path));
  }
  for (const WrittenFile& file : written) check_replaced(file);
  for (const WrittenFile& file : written)
    if (!file.format.empty()) check_suffix(file.option, file.path, file.format);
}

void check_order(const std::string& database, const std::vector<std::string>& others,
                 const std::string& place) {
  const auto is_database = [](const std::string& path) { return head_of(path).starts_with(kHdf5); };
  if (is_database(database)) return;
  const auto misplaced = std::ranges::find_if(others, is_database);
  if (misplaced != others.end())
    throw UsageError(fmt::format("{}: is a database, which goes {}", printable(*misplaced), place));
}

}  // namespace fastid::cli
