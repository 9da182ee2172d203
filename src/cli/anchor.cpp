#include "cli/anchor.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"
#include "base/file.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"
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
  const std::string text = read_whole_file(path, kMostBytes);
  try {
    for (const std::string_view line : split(text, '\n'))
      if (!line.empty()) lines.push_back(line_of(line));
  } catch (const Json::Error&) {
    throw InputError(path, "", "is not what fastid notes of an audit log", "restore it from a copy");
  }
  return lines;
}

}  // namespace

std::string anchor_of_database(const std::string& database) {
  return database + ".anchor";
}

std::string checkpoint_of_log(const std::string& log) {
  return log + ".checkpoint";
}

void note_anchor(const std::string& path, const db::AuditAnchor& anchor, const std::string& key) {
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
