#include "part/part_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/text.hpp"
#include "part/internal/head_json.hpp"

namespace fastid::part {
namespace {

constexpr std::string_view kEndMagic = "fastid-part end\n";
constexpr std::string_view kAgain = "run its shard again";
/// The longest head, as JSON, which takes many times as much memory. A part of some 100 GB has a head of this
/// length.
constexpr std::uint64_t kMostHead = std::uint64_t{1} << 23;
constexpr std::size_t kStartBytes = kMagic.size() + sizeof(std::uint32_t);

/// The last bytes of a part.
struct End {
  std::uint64_t head_bytes = 0, head_checksum = 0;
  std::array<char, kEndMagic.size()> magic{};
};
static_assert(sizeof(End) == 32);

std::string_view bytes_of(const void* from, std::size_t bytes) {
  return {static_cast<const char*>(from), bytes};
}

/// The bytes of a part, in a file or in memory.
class Bytes {
 public:
  Bytes(const std::string& path, const std::optional<std::string>& held) : path_(path), held_(held) {
    if (!held_) file_ = open_regular(path);
    if (!held_) state_ = file_state(file_.get(), path);
    if (held_) state_.bytes = held_->size();
  }

  const std::string& path() const { return path_; }
  const FileState& state() const { return state_; }
  std::uint64_t size() const { return state_.bytes; }

  /// \param offset  with `bytes` at most size()
  void read(void* into, std::size_t bytes, std::uint64_t offset) const {
    if (held_)
      std::memcpy(into, held_->data() + offset, bytes);
    else
      read_at(file_.get(), into, bytes, offset, path_);
  }

 private:
  const std::string& path_;
  const std::optional<std::string>& held_;
  FileDescriptor file_;
  FileState state_;
};

/// Looks at the first bytes. \throws InputError
void check_start(const Bytes& part) {
  const std::string& path = part.path();
  std::array<char, kStartBytes> start{};
  if (part.size() >= start.size()) part.read(start.data(), start.size(), 0);
  if (!std::string_view(start.data(), start.size()).starts_with(kMagic))
    throw InputError(path, "", "is no part of a run of fastid",
                     "parts are what a command with --shard I/N writes");
  std::uint32_t format = 0;
  std::memcpy(&format, start.data() + kMagic.size(), sizeof format);
  if (format != kFormatVersion)
    throw InputError(
        path, "",
        fmt::format("has version {} of the format, and this fastid reads {}", format, kFormatVersion),
        "merge parts with the fastid that made them");
}

/// The text of the head, with its length and checksum compared. \throws InputError
std::string head_text(const Bytes& part) {
  const std::string& path = part.path();
  const std::uint64_t size = part.size();
  End end;
  if (size >= kStartBytes + sizeof end) part.read(&end, sizeof end, size - sizeof end);
  if (bytes_of(end.magic.data(), end.magic.size()) != kEndMagic)
    throw InputError(path, "", "is cut off: its end is missing", kAgain);
  if (end.head_bytes > std::min(kMostHead, size - kStartBytes - sizeof end))
    throw InputError(path, "its end", "is damaged", kAgain);
  std::string text(static_cast<std::size_t>(end.head_bytes), '\0');
  part.read(text.data(), text.size(), size - sizeof end - end.head_bytes);
  if (xxh3_64(text.data(), text.size()) != end.head_checksum)
    throw InputError(path, "its head", "does not match its checksum: it is damaged", kAgain);
  return text;
}

}  // namespace

Writer::Writer() {
  begin();
}

Writer::Writer(const std::string& path) {
  out_.emplace(path);
  begin();
}

void Writer::begin() {
  write(kMagic);
  write(bytes_of(&kFormatVersion, sizeof kFormatVersion));
}

void Writer::write(std::string_view bytes) {
  if (out_)
    out_->write(bytes);
  else
    held_ += bytes;
  at_ += bytes.size();
}

void Writer::add_bytes(std::string_view name, std::string_view bytes) {
  if (bytes.empty()) return;
  sections_.push_back({std::string(name), at_, bytes.size(), xxh3_64(bytes.data(), bytes.size())});
  write(bytes);
}

void Writer::add_texts(std::string_view name, std::span<const std::string> texts) {
  std::string all;
  for (const std::string& text : texts) all.append(text.c_str(), text.size() + 1);
  add_bytes(name, all);
}

void Writer::finish(const Head& head) {
  const std::string text = json_text(head, sections_);
  if (text.size() > kMostHead)
    throw Failure("the part of this shard is too large for its head; cut the run into more shards");
  End end{.head_bytes = text.size(), .head_checksum = xxh3_64(text.data(), text.size())};
  std::ranges::copy(kEndMagic, end.magic.begin());
  write(text);
  write(bytes_of(&end, sizeof end));
}

File::File(const std::string& path) : path_(path) {
  read_head();
}

File::File(std::string name, std::string bytes) : path_(std::move(name)), held_(std::move(bytes)) {
  read_head();
}

void File::read_head() {
  const Bytes bytes(path_, held_);
  state_ = bytes.state();
  check_start(bytes);
  const std::string head = head_text(bytes);
  parse_head(head, path_, head_, sections_);
  const std::uint64_t end = state_.bytes - sizeof(End) - head.size();
  std::uint64_t next = kStartBytes;
  for (const Section& section : sections_) {
    const std::string name = printable(section.name);
    if (section.bytes == 0) refuse(name, "is empty, and fastid writes no such section");
    if (section.offset > end || section.bytes > end - section.offset)
      refuse(name, "lies past the end of the file");
    if (section.offset != next) refuse(name, "does not begin where the section before it ends");
    next += section.bytes;
  }
  if (next != end) refuse("its head", "does not name all that the part holds");
}

std::vector<const Section*> File::sections(std::string_view name) const {
  std::vector<const Section*> found;
  for (const Section& section : sections_)
    if (section.name == name) found.push_back(&section);
  return found;
}

void File::read_bytes(const Section& section, void* into) const {
  const Bytes bytes(path_, held_);
  if (bytes.state() != state_)
    throw InputError(path_, "", "was changed while it was read", "merge again when all shards are done");
  bytes.read(into, static_cast<std::size_t>(section.bytes), section.offset);
  if (xxh3_64(into, static_cast<std::size_t>(section.bytes)) != section.checksum)
    refuse(section.name, "does not match its checksum: the part is damaged");
}

std::vector<std::string> File::read_texts(const Section& section, std::uint64_t most) const {
  const std::vector<char> bytes = read<char>(section);
  if (static_cast<std::uint64_t>(std::ranges::count(bytes, '\0')) > most)
    refuse(section.name, "has more texts than there can be");
  if (bytes.back() != '\0') refuse(section.name, "has a text without an end");
  std::vector<std::string> texts;
  for (auto from = bytes.begin(); from != bytes.end();) {
    const auto to = std::find(from, bytes.end(), '\0');
    texts.emplace_back(from, to);
    from = to + 1;
  }
  return texts;
}

void File::refuse(std::string_view place, std::string_view problem) const {
  throw InputError(path_, place, problem, kAgain);
}

}  // namespace fastid::part
