#include "cli/audit_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "base/build_info.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/retry.hpp"
#include "base/staged_file.hpp"
#include "base/text.hpp"
#include "base/write_lock.hpp"
#include "match/wording.hpp"
#include "report/parameters.hpp"

namespace fastid::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kBegin = "{\"record\":";
constexpr std::string_view kSeal = ",\"sha256\":\"";  ///< then 64 digits, then the rest of a line
constexpr std::string_view kEnd = "\"}";
constexpr std::size_t kDigits = 64;
constexpr std::size_t kLongestLine = std::size_t{1} << 30;

std::string sha256_of(std::string_view text) {
  Sha256 sha;
  sha.update(text);
  return sha.hex();
}

/// One record, as far as the chain goes.
struct Link {
  std::uint64_t number = 0;
  std::string sha256, previous;
  std::uint64_t cut_off_before = 0;  ///< bytes of a line before it that was never finished
};

const std::string kNoRecord(kDigits, '0');

/// Nothing where a line is not what append() wrote.
std::optional<Link> parse_link(std::string_view line) {
  const std::size_t tail = kSeal.size() + kDigits + kEnd.size();
  if (line.size() <= tail || !line.ends_with(kEnd)) return std::nullopt;
  const std::string_view sealed = line.substr(0, line.size() - tail), seal = line.substr(sealed.size());
  if (!seal.starts_with(kSeal) || sha256_of(sealed) != seal.substr(kSeal.size(), kDigits))
    return std::nullopt;
  const Json json = Json::parse(line, nullptr, false);
  const auto number = json.find("record"), previous = json.find("previous"),
             cut = json.find("cut_off_before");
  if (!json.is_object() || number == json.end() || previous == json.end() || !number->is_number_unsigned() ||
      !previous->is_string() || (cut != json.end() && !cut->is_number_unsigned()))
    return std::nullopt;
  return Link{number->get<std::uint64_t>(), std::string(seal.substr(kSeal.size(), kDigits)),
              previous->get<std::string>(), cut == json.end() ? 0 : cut->get<std::uint64_t>()};
}

/// The end of a file: its last whole line, and what comes after that.
struct Tail {
  std::string line, rest;
};

/// \throws InputError.
Tail tail_of(int fd, const std::string& path) {
  const std::uint64_t size = file_size(fd, path);
  std::uint64_t window = 1 << 16;
  for (;; window *= 4) {
    const std::uint64_t n = std::min(window, size);
    std::string text(static_cast<std::size_t>(n), '\0');
    read_at(fd, text.data(), text.size(), size - n, path);
    const std::size_t end = text.rfind('\n');
    if (end == std::string::npos && n == size) return {"", text};
    const std::size_t before =
        end == std::string::npos || end == 0 ? std::string::npos : text.rfind('\n', end - 1);
    if (before == std::string::npos && n < size && n < kLongestLine) continue;
    const std::size_t from = before == std::string::npos ? 0 : before + 1;
    return {text.substr(from, end - from), text.substr(end + 1)};
  }
}

std::string user_name() {
  const passwd* const user = ::getpwuid(::geteuid());
  return user == nullptr ? "" : user->pw_name;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// What was searched and how much was found; nothing of any profile.
Json search_json(const MatchTable& matches) {
  Json queries = Json::array();
  std::uint64_t hits = 0;
  for (const QueryMatches& query : matches.queries) {
    queries.push_back(
        {{"file", query.file}, {"name", query.name}, {"sha256", query.sha256}, {"hits", query.rows.size()}});
    hits += query.rows.size();
  }
  const Provenance& from = matches.provenance;
  return {{"comparison", name_of(matches.comparison)},
          {"database",
           {{"path", from.database},
            {"profiles", from.n_profiles},
            {"panel_sha256", from.panel_sha256},
            {"content_xxh3", from.content_xxh3}}},
          {"queries", queries},
          {"parameters", report::parameters_json(matches)},
          {"hits", hits}};
}

/// A whole line, sealed.
std::string line_of(const MatchTable& matches, const Link& last, std::size_t cut_off) {
  Json json = {{"record", last.number + 1}, {"utc", utc_clock()},
               {"user", user_name()},       {"uid", ::geteuid()},
               {"host", host_name()},       {"pid", ::getpid()},
               {"fastid", version()},       {"command", matches.run.command_line}};
  json.update(search_json(matches));
  if (cut_off > 0) json["cut_off_before"] = cut_off;
  json["previous"] = last.sha256;
  // Names and command lines are bytes: those that are not UTF-8 become U+FFFD.
  std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  text.pop_back();  // the closing brace
  return fmt::format("{}{}{}{}\n", text, kSeal, sha256_of(text), kEnd);
}

/// The lock goes when the descriptor that it was taken through is closed.
FileDescriptor lock(const std::string& path) {
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC));
  if (file.get() < 0) throw Failure(fmt::format("{}: cannot open: {}", path, errno_text(errno)));
  if (unbroken([&file] { return ::flock(file.get(), LOCK_EX); }) != 0)
    throw Failure(fmt::format("{}: {}", path, lock_trouble(errno)));
  return file;
}

}  // namespace

AuditLog::AuditLog(const std::string& path)
    : path_(path), file_(::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, mode_for(path))) {
  if (file_.get() < 0) throw Failure(fmt::format("{}: cannot be written to: {}", path, errno_text(errno)));
}

void AuditLog::append(const MatchTable& matches) const {
  const FileDescriptor file = lock(path_);
  const std::uint64_t size = file_size(file.get(), path_);
  const Tail tail = tail_of(file.get(), path_);
  const std::optional<Link> last =
      tail.line.empty() ? std::optional<Link>({0, kNoRecord, "", 0}) : parse_link(tail.line);
  if (!last || (tail.line.empty() && !tail.rest.empty() && tail.rest.front() != '{'))
    throw InputError(path_, "", "is no audit log, or its last record is damaged",
                     "see `fastid audit-log verify`, and begin a new log");
  const std::string line = (tail.rest.empty() ? "" : "\n") + line_of(matches, *last, tail.rest.size());
  const ssize_t put = ::write(file.get(), line.data(), line.size());
  if (put == static_cast<ssize_t>(line.size()) && ::fsync(file.get()) == 0) return;
  const int reason = put >= 0 && put < static_cast<ssize_t>(line.size()) ? ENOSPC : errno;
  // Half a line would be taken for one that a crash cut off; where it cannot be undone, it is.
  [[maybe_unused]] const int undone = ::ftruncate(file.get(), static_cast<off_t>(size));
  throw Failure(fmt::format("{}: the search cannot be logged: {}", path_, errno_text(reason)));
}

namespace {

/// Follows the chain, line by line.
class Chain {
 public:
  Chain(AuditCheck& check, const std::string& noted) : check_(check), noted_(noted) {}

  void take(std::string_view line) {
    ++line_;
    any_begins_as_one_ |= line.starts_with(kBegin);
    const std::optional<Link> link = parse_link(line);
    if (!link) {
      settle_broken(0);
      broken_ = line.size();
      return;
    }
    settle_broken(link->cut_off_before);
    if (link->number != last_.number + 1 || link->previous != last_.sha256)
      problem(line_, fmt::format("record {} follows record {}: lines were removed, added or moved before it",
                                 link->number, last_.number));
    last_ = *link;
    ++check_.records;
    check_.holds_head |= link->sha256 == noted_;
  }

  void finish(std::string_view rest) {
    settle_broken(0);
    check_.is_log = any_begins_as_one_ || (line_ == 0 && (rest.empty() || rest.front() == '{'));
    if (!rest.empty()) problem(line_ + 1, "is cut off: the next search says so in its record");
    check_.head = last_.sha256;
    if (!noted_.empty() && !check_.holds_head)
      check_.problems.push_back("the record that was noted is not in it: lines at its end were removed");
  }

 private:
  void problem(std::uint64_t line, const std::string& what) {
    check_.problems.push_back(fmt::format("line {}: {}", line, what));
  }

  /// A line that is no record is as it should be only where the next record tells of it.
  void settle_broken(std::uint64_t told) {
    if (broken_ == told) {
      check_.cut_off += told > 0;
    } else if (broken_ > 0) {
      problem(line_ - 1, "was edited");
    } else {
      problem(line_, "a line that was cut off was removed before it");
    }
    broken_ = 0;
  }

  AuditCheck& check_;
  const std::string& noted_;
  Link last_{0, kNoRecord, "", 0};
  std::uint64_t line_ = 0;
  bool any_begins_as_one_ = false;
  std::size_t broken_ = 0;  ///< length of the last line, where it is no record
};

}  // namespace

AuditCheck verify_audit_log(const std::string& path, const std::string& noted) {
  const FileDescriptor file = open_for_reading(path);
  AuditCheck check;
  Chain chain(check, noted);
  std::string text, piece(std::size_t{1} << 16, '\0');
  while (const std::size_t got = read_some(file.get(), piece.data(), piece.size(), path)) {
    text.append(piece, 0, got);
    if (text.size() > kLongestLine)
      throw InputError(path, "", "has a line of a gigabyte: it is no audit log", "");
    std::size_t from = 0;
    for (std::size_t end = 0; (end = text.find('\n', from)) != std::string::npos; from = end + 1)
      chain.take(std::string_view(text).substr(from, end - from));
    text.erase(0, from);
  }
  chain.finish(text);
  return check;
}

}  // namespace fastid::cli
