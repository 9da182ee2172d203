#include "cli/anchor.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"
#include "base/retry.hpp"
#include "base/staged_file.hpp"
#include "base/text.hpp"

namespace fastid::cli {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 24;

/// A line of the file.
struct Line {
  db::AuditAnchor anchor;
  std::string hmac;
};

std::string signature(const db::AuditAnchor& anchor, const std::string& key) {
  return hmac_sha256(key, fmt::format("{} {} {}", anchor.log, anchor.records, anchor.head));
}

Line line_of(std::string_view text) {
  const Json json = Json::parse(text);
  return {{json.at("log").text(), json.at("records").count(), json.at("head").text()},
          json.contains("hmac") ? json.at("hmac").text() : ""};
}

std::vector<Line> read_lines(const std::string& path) {
  std::vector<Line> lines;
  if (!file_state(path)) return lines;
  const std::string text = read_regular_file(path, kMostBytes);
  try {
    for (const std::string_view line : split(text, '\n'))
      if (!line.empty()) lines.push_back(line_of(line));
  } catch (const Json::Error&) {
    throw InputError(path, "", "is not what fastid notes of an audit log", "restore it from a copy");
  }
  return lines;
}

/// Keeps others from noting in this folder until it is closed. Where a file system has no such lock, notes at
/// the same moment may replace each other.
FileDescriptor lock_folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  FileDescriptor file(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (file.get() >= 0) unbroken([&] { return ::flock(file.get(), LOCK_EX); });
  return file;
}

/// Gives a new file the group of another one, and those who may read that one the right to write.
void open_to_readers_of(const std::string& of, const std::string& path) {
  struct stat info {};
  if (::stat(of.c_str(), &info) != 0) return;
  mode_t mode = info.st_mode & (S_IRUSR | S_IRGRP | S_IROTH);
  mode |= mode >> 1 | S_IRUSR | S_IWUSR;
  if (::chown(path.c_str(), static_cast<uid_t>(-1), info.st_gid) != 0) mode &= ~static_cast<mode_t>(S_IRWXG);
  ::chmod(path.c_str(), mode);
}

}  // namespace

std::string anchor_of_database(const std::string& database) {
  return resolve_links(database) + ".anchor";
}

std::string checkpoint_of_log(const std::string& log) {
  return log + ".checkpoint";
}

void note_anchor(const std::string& path, const db::AuditAnchor& anchor, const std::string& key,
                 const std::string& of) {
  const FileDescriptor alone = lock_folder_of(path);
  const bool is_new = !file_state(path);
  std::vector<Line> lines = read_lines(path);
  std::erase_if(lines, [&](const Line& line) { return line.anchor.log == anchor.log; });
  lines.push_back({anchor, key.empty() ? "" : signature(anchor, key)});
  OutputFile out(path);
  for (const Line& line : lines) {
    Json json = {{"log", line.anchor.log}, {"records", line.anchor.records}, {"head", line.anchor.head}};
    if (!line.hmac.empty()) json["hmac"] = line.hmac;
    out.write(json.dump(-1, Json::BadText::kThrow) + "\n");
  }
  out.commit();
  if (is_new) open_to_readers_of(of, path);
}

std::vector<db::AuditAnchor> read_anchors(const std::string& path, const std::string& key) {
  std::vector<db::AuditAnchor> anchors;
  for (const Line& line : read_lines(path)) {
    if (!key.empty() && line.hmac != signature(line.anchor, key))
      throw InputError(
          path, fmt::format("line {}", anchors.size() + 1), "is not signed by this key",
          "compare it with a copy: somebody without the key wrote it, or the key is another one");
    anchors.push_back(line.anchor);
  }
  return anchors;
}

std::string read_key(const std::string& path) {
  constexpr std::size_t kLeast = 16, kMost = 4096;
  std::string key = read_whole_file(path, kMost);
  while (key.ends_with('\n') || key.ends_with('\r')) key.pop_back();
  if (key.size() < kLeast)
    throw InputError(path, "", "is no key: it has fewer than 16 bytes", "make one: openssl rand -hex 32");
  return key;
}

}  // namespace fastid::cli
