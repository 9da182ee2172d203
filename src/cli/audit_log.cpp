#include "cli/audit_log.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <pwd.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "base/build_info.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/json.hpp"
#include "base/retry.hpp"
#include "base/staged_file.hpp"
#include "base/text.hpp"
#include "base/write_lock.hpp"
#include "match/wording.hpp"
#include "report/parameters.hpp"

namespace fastid::cli {
namespace {

constexpr std::string_view kBegin = "{\"record\":";
constexpr std::string_view kSeal = ",\"sha256\":\"";  ///< followed by 64 digits and the rest of a line
constexpr std::string_view kEnd = "\"}";
constexpr std::size_t kDigits = 64;
constexpr std::size_t kLongestLine = std::size_t{1} << 30;
constexpr std::uint64_t kMostCutOff = 1 << 16;  ///< lines in a row that are no records

/// Lines between two records that are not records, since a crash cut them off.
struct CutOff {
  std::uint64_t lines = 0;
  std::uint64_t bytes = 0;  ///< including the line ends between them

  void add(std::size_t line_bytes) { bytes += line_bytes + (lines++ > 0); }
  friend bool operator==(const CutOff&, const CutOff&) = default;
};

/// The parts of a record that the chain needs.
struct Link {
  std::uint64_t number = 0;
  std::string sha256, previous;
  CutOff before;  ///< what it states about the lines before it
};

const std::string kNoRecord(kDigits, '0');

/// True where a line ends like a record.
bool looks_whole(std::string_view line) {
  const std::size_t tail = kSeal.size() + kDigits + kEnd.size();
  return line.size() > tail && line.ends_with(kEnd) && line.substr(line.size() - tail).starts_with(kSeal);
}

/// True where a line may be the remains of a record after a crash: its beginning, nothing, or zeros in its
/// place.
bool may_be_cut_off(std::string_view line) {
  const bool begins = line.starts_with(kBegin) || kBegin.starts_with(line);
  return (begins && !looks_whole(line)) || line.find_first_not_of('\0') == std::string_view::npos;
}

/// A number of a record; 0 where the record has no such key. \throws Json::Error where it is not a
/// number.
std::uint64_t count_in(const Json& json, const char* key) {
  const Json* const found = json.find(key);
  return found == nullptr ? 0 : found->count();
}

/// Parses a line; no value where append() cannot have written it.
std::optional<Link> parse_link(std::string_view line) {
  if (!looks_whole(line)) return std::nullopt;
  const std::string_view sealed = line.substr(0, line.size() - kSeal.size() - kDigits - kEnd.size());
  const std::string_view sha256 = line.substr(sealed.size() + kSeal.size(), kDigits);
  if (sha256_of(sealed) != sha256) return std::nullopt;
  try {
    const Json json = Json::parse(line);
    CutOff before{count_in(json, "cut_off_lines_before"), count_in(json, "cut_off_before")};
    if (before.lines == 0 && before.bytes > 0) before.lines = 1;
    return Link{json.at("record").count(), std::string(sha256), json.at("previous").text(), before};
  } catch (const Json::Error&) {
    return std::nullopt;
  }
}

/// The end of a file: its last record, and what follows it.
struct Tail {
  Link last{0, kNoRecord, "", {}};
  CutOff cut_off;
  bool line_is_open = false;  ///< the last line has no line end
};

/// Goes through the lines of `text` backwards until it finds a record. Returns true where there is one.
/// \throws InputError where a line is neither a record nor cut off.
bool look_back(std::string_view text, const std::string& path, Tail& tail) {
  std::vector<std::string_view> lines = split(text, '\n');
  tail = {};
  tail.line_is_open = !lines.back().empty();
  if (!tail.line_is_open) lines.pop_back();
  for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
    if (const auto link = parse_link(*line)) {
      tail.last = *link;
      return true;
    }
    if (!may_be_cut_off(*line))
      throw InputError(path, "", "is no audit log, or its last record is damaged",
                       "see `fastid audit-log verify`, and begin a new log");
    tail.cut_off.add(line->size());
    if (tail.cut_off.lines > kMostCutOff)
      throw InputError(path, "", "ends in too many lines that are no records", "begin a new log");
  }
  return false;
}

/// look(lines) for more and more of a file's end, whole lines each time, until it returns true. Returns false
/// where it never does, up to the whole file or a gigabyte of it.
template <class Look>
bool look_at_end(int fd, std::uint64_t size, const std::string& path, const Look& look) {
  for (std::uint64_t window = 1 << 16;; window *= 4) {
    const std::uint64_t n = std::min(window, size);
    std::string text(static_cast<std::size_t>(n), '\0');
    read_at(fd, text.data(), text.size(), size - n, path);
    // 0 where there is none, since npos + 1 is 0.
    const std::size_t whole = n == size ? 0 : text.find('\n') + 1;
    if ((n == size || whole > 0) && look(std::string_view(text).substr(whole))) return true;
    if (n == size || n >= kLongestLine) return false;
  }
}

/// \throws InputError.
Tail tail_of(int fd, std::uint64_t size, const std::string& path) {
  Tail tail;
  const bool found =
      look_at_end(fd, size, path, [&](std::string_view text) { return look_back(text, path, tail); });
  if (!found && size > kLongestLine)
    throw InputError(path, "", "ends in a gigabyte that is no record", "begin a new log");
  return tail;
}

std::string user_name() {
  const passwd* const user = ::getpwuid(::geteuid());
  return user == nullptr ? "" : user->pw_name;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace

Json facts_of(const match::MatchTable& matches) {
  Json queries = Json::array();
  std::uint64_t hits = 0;
  for (const match::QueryMatches& query : matches.queries) {
    queries.push_back(
        {{"file", query.file}, {"name", query.name}, {"sha256", query.sha256}, {"hits", query.rows.size()}});
    hits += query.rows.size();
  }
  if (matches.family)
    for (const match::KnownPerson& relative : matches.family->relatives)
      queries.push_back({{"file", relative.file}, {"name", relative.name}, {"sha256", relative.sha256}});
  const match::Provenance& from = matches.provenance;
  return {{"command", matches.run.command_line},
          {"comparison", match::name_of(matches.comparison)},
          {"database",
           {{"path", from.database},
            {"profiles", from.n_profiles},
            {"panel_sha256", from.panel_sha256},
            {"content_sha256", from.content_sha256}}},
          {"queries", queries},
          {"parameters", report::parameters_json(matches)},
          {"hits", hits}};
}

namespace {

/// A complete line with its seal.
std::string line_of(const Json& facts, const Tail& tail) {
  Json json = {{"record", tail.last.number + 1},
               {"utc", utc_clock()},
               {"user", user_name()},
               {"uid", ::geteuid()},
               {"host", host_name()},
               {"pid", ::getpid()},
               {"fastid", version()}};
  json.update(facts);
  if (tail.cut_off.lines > 0) {
    json["cut_off_before"] = tail.cut_off.bytes;
    json["cut_off_lines_before"] = tail.cut_off.lines;
  }
  json["previous"] = tail.last.sha256;
  // Names and command lines are arbitrary bytes; invalid UTF-8 becomes U+FFFD.
  std::string text = json.dump();
  text.pop_back();  // the closing brace
  return fmt::format("{}{}{}{}\n", text, kSeal, sha256_of(text), kEnd);
}

/// Locks the file. The lock is released when the returned descriptor is closed.
FileDescriptor lock(const std::string& path) {
  FileDescriptor file(::open(path.c_str(), O_RDWR | O_APPEND | O_CLOEXEC));
  if (file.get() < 0) throw Failure(fmt::format("{}: cannot open: {}", path, errno_text(errno)));
  if (unbroken([&file] { return ::flock(file.get(), LOCK_EX); }) != 0)
    throw Failure(fmt::format("{}: {}", path, lock_trouble(errno)));
  return file;
}

}  // namespace

AuditLog::AuditLog(const std::string& path)
    : path_(path),
      file_(
          ::open(resolve_own_links(path).c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, mode_for(path))) {
  if (file_.get() < 0)
    throw Failure(fmt::format("{}: cannot be written to: {}", path, cannot_write_text(errno)));
  check_regular(path);
}

namespace {

/// The SHA-256 of a log's first record; "" where its first line is none.
std::string first_record(int fd, std::uint64_t size, const std::string& path) {
  constexpr std::size_t kPiece = std::size_t{1} << 16;
  std::string text;
  for (std::uint64_t at = 0; at < size && at < kLongestLine;) {
    std::string piece(static_cast<std::size_t>(std::min<std::uint64_t>(size - at, kPiece)), '\0');
    read_at(fd, piece.data(), piece.size(), at, path);
    const std::size_t end = piece.find('\n');
    text.append(piece, 0, end);
    if (end != std::string::npos) break;
    at += piece.size();
  }
  const std::optional<Link> first = parse_link(text);
  return first ? first->sha256 : "";
}

/// Whether the log has a record with this number and seal. It is near the end as a rule.
bool has_record(int fd, std::uint64_t size, const std::string& path, const db::AuditAnchor& anchor) {
  bool has = false;
  look_at_end(fd, size, path, [&](std::string_view text) {
    const std::vector<std::string_view> lines = split(text, '\n');
    for (auto line = lines.rbegin(); line != lines.rend(); ++line) {
      const std::optional<Link> link = parse_link(*line);
      if (!link || link->number > anchor.records) continue;
      has = link->number == anchor.records && link->sha256 == anchor.head;
      return true;
    }
    return false;
  });
  return has;
}

/// Nothing is added to a log that lacks what was noted of it: the next note would hide that.
/// \param first  the seal of the log's first record
void check_noted(int fd, std::uint64_t size, const std::string& path, const std::string& first,
                 const std::vector<db::AuditAnchor>& anchors) {
  for (const db::AuditAnchor& anchor : anchors)
    if (anchor.log == first && !has_record(fd, size, path, anchor))
      throw InputError(
          path, "",
          fmt::format("lacks record {}, which was noted: lines at its end were removed or edited",
                      anchor.records),
          "keep it as it is, and restore it from a copy; nothing was added to it");
}

}  // namespace

db::AuditAnchor AuditLog::append(const Json& facts, const Notes& notes) const {
  const FileDescriptor file = lock(path_);
  const std::uint64_t size = file_size(file.get(), path_);
  const Tail tail = tail_of(file.get(), size, path_);
  const std::string first = first_record(file.get(), size, path_);
  if (notes.read) check_noted(file.get(), size, path_, first, notes.read());
  const std::string record = line_of(facts, tail), line = (tail.line_is_open ? "\n" : "") + record;
  const ssize_t put = ::write(file.get(), line.data(), line.size());
  if (put != static_cast<ssize_t>(line.size()) || ::fsync(file.get()) != 0) {
    const int reason = put >= 0 && put < static_cast<ssize_t>(line.size()) ? ENOSPC : errno;
    // Removes a partly written line. Where that fails, it is treated like a line that a crash cut off.
    [[maybe_unused]] const int undone = ::ftruncate(file.get(), static_cast<off_t>(size));
    throw Failure(fmt::format("{}: the search cannot be logged: {}", path_, errno_text(reason)));
  }
  const std::string head = parse_link(std::string_view(record).substr(0, record.size() - 1))->sha256;
  const db::AuditAnchor anchor{size == 0 ? head : first, tail.last.number + 1, head};
  if (notes.write) notes.write(anchor);
  return anchor;
}

namespace {

/// Checks the chain, line by line.
class Chain {
 public:
  Chain(AuditCheck& check, const std::string& path, const std::string& noted,
        std::span<const db::AuditAnchor> anchors)
      : check_(check), path_(path), noted_(noted) {
    for (const db::AuditAnchor& anchor : anchors) anchors_.emplace(anchor.records, Noted(anchor));
  }

  void take(std::string_view line) {
    ++line_;
    any_begins_as_one_ |= line.starts_with(kBegin);
    const std::optional<Link> link = parse_link(line);
    if (!link) return take_broken(line.size(), may_be_cut_off(line));
    settle_broken(link->before);
    if (link->number != last_.number + 1 || link->previous != last_.sha256)
      problem(line_, fmt::format("record {} follows record {}: lines were removed, added or moved before it",
                                 link->number, last_.number));
    last_ = *link;
    if (check_.records == 0) check_.first = link->sha256;
    ++check_.records;
    const auto [from, end] = anchors_.equal_range(link->number);
    for (auto at = from; at != end; ++at) at->second.seen |= at->second.anchor.head == link->sha256;
    check_.holds_head |= link->sha256 == noted_;
  }

  /// A line that can be no record, and that is not held in memory.
  void take_other(std::size_t bytes) {
    ++line_;
    take_broken(bytes, false);
  }

  void finish(std::string_view rest) {
    check_.is_log = any_begins_as_one_ || (line_ == 0 && may_be_cut_off(rest)) || parse_link(rest);
    if (!rest.empty()) take(rest);
    for (const Broken& broken : broken_)
      problem(broken.line, !broken.may_be_cut_off ? "was edited"
                           : broken.bytes == 0    ? "is empty: the next search says so in its record"
                                                  : "is cut off: the next search says so in its record");
    check_.head = last_.sha256;
    if (!noted_.empty() && !check_.holds_head)
      check_.problems.push_back("the record that was noted is not in it: lines at its end were removed");
    for (const auto& [number, noted] : anchors_)
      if (noted.anchor.log == check_.first && !noted.seen)
        check_.problems.push_back(
            fmt::format("record {}, which was noted, is not in it: lines at its end were "
                        "removed",
                        number));
  }

 private:
  void take_broken(std::size_t bytes, bool may_be_cut_off) {
    broken_.push_back({line_, bytes, may_be_cut_off});
    if (broken_.size() > kMostCutOff)
      throw InputError(path_, fmt::format("line {}", broken_.front().line),
                       fmt::format("is no record, nor are the next {}", with_commas(kMostCutOff)),
                       "name the file that --audit-log named");
  }

  void problem(std::uint64_t line, const std::string& what) {
    check_.problems.push_back(fmt::format("line {}: {}", line, what));
  }

  /// Lines that are not records are acceptable only where the next record states their number and bytes.
  void settle_broken(const CutOff& told) {
    CutOff found;
    for (const Broken& broken : broken_) found.add(broken.bytes);
    if (found == told) {
      for (const Broken& broken : broken_) ++(broken.bytes == 0 ? check_.empty : check_.cut_off);
    } else if (broken_.empty()) {
      problem(line_, "a line that was cut off was removed before it");
    }
    for (const Broken& broken : broken_)
      if (found != told) problem(broken.line, broken.bytes == 0 ? "is empty: it was added" : "was edited");
    broken_.clear();
  }

  struct Noted {
    db::AuditAnchor anchor;
    bool seen = false;
    explicit Noted(db::AuditAnchor of) : anchor(std::move(of)) {}
  };

  AuditCheck& check_;
  const std::string& path_;
  const std::string& noted_;
  std::multimap<std::uint64_t, Noted> anchors_;  ///< by the number of the record
  Link last_{0, kNoRecord, "", 0};
  std::uint64_t line_ = 0;
  bool any_begins_as_one_ = false;
  struct Broken {
    std::uint64_t line;
    std::size_t bytes;
    bool may_be_cut_off;
  };
  std::vector<Broken> broken_;  ///< the last lines, as far as they are not records
};

}  // namespace

AuditCheck verify_audit_log(const std::string& path, const std::string& noted,
                            std::span<const db::AuditAnchor> anchors) {
  const FileDescriptor file = open_for_reading(path);
  AuditCheck check;
  Chain chain(check, path, noted, anchors);
  std::string text, piece(std::size_t{1} << 16, '\0');  // `text`: a line so far, where it may be a record
  std::uint64_t other = 0;                              // bytes of a line so far that can be none
  while (const std::size_t got = read_some(file.get(), piece.data(), piece.size(), path)) {
    std::string_view left(piece.data(), got);
    while (!left.empty()) {
      const std::size_t end = left.find('\n');
      const std::string_view some = left.substr(0, end);
      if (other > 0)
        other += some.size();
      else
        text.append(some);
      if (text.size() + other > kLongestLine)
        throw InputError(path, "", "has a line of a gigabyte: it is no audit log", "");
      if (end == std::string_view::npos && text.size() >= kBegin.size() &&
          !may_be_cut_off(text.substr(0, kBegin.size())))
        other = std::exchange(text, {}).size();
      if (end == std::string_view::npos) break;
      if (other > 0)
        chain.take_other(std::exchange(other, 0));
      else
        chain.take(text);
      text.clear();
      left.remove_prefix(end + 1);
    }
  }
  if (other > 0) chain.take_other(other);
  chain.finish(text);
  return check;
}

}  // namespace fastid::cli
