#include "ingest/internal/spool.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/log.hpp"
#include "base/text.hpp"
#include "base/write_lock.hpp"

namespace fastid::ingest {
namespace {

constexpr std::uint64_t kSpoolMagic = 0x314C4F4F50534446;  // "FDSPOOL1"
constexpr std::uint64_t kMostTextBytes = std::uint64_t{1} << 32;

/// Appends a piece with its length before it; take() removes the first one.
void put(std::string& text, std::string_view piece) {
  const std::uint64_t size = piece.size();
  text.append(reinterpret_cast<const char*>(&size), sizeof size).append(piece);
}

std::optional<std::string> take(std::string_view& text) {
  std::uint64_t size = 0;
  if (text.size() < sizeof size) return std::nullopt;
  std::memcpy(&size, text.data(), sizeof size);
  text.remove_prefix(sizeof size);
  if (text.size() < size) return std::nullopt;
  std::string piece(text.substr(0, size));
  text.remove_prefix(size);
  return piece;
}

}  // namespace

struct ProfileSpool::Head {
  std::uint64_t magic = kSpoolMagic, text_bytes = 0, n_profiles = 0, text_hash = 0, rows_hash = 0, unused = 0;
};

ProfileSpool::ProfileSpool(const std::string& target, std::uint32_t n_sites, const std::string& meaning,
                           bool kept)
    : target_(target), n_sites_(n_sites), n_words_(BlockShape{0, n_sites}.n_words()) {
  if (kept) {
    path_ = target + ".resume";
    open_kept();
    end_ = take_up(meaning);
    if (::ftruncate(file_.get(), static_cast<off_t>(end_)) != 0 ||
        ::lseek(file_.get(), static_cast<off_t>(end_), SEEK_SET) < 0)
      throw Failure(fmt::format("{}: cannot write: {}", path_, errno_text(errno)));
  } else {
    file_ = unnamed_file(std::filesystem::absolute(target).parent_path());
  }
  if (end_ == 0) write_record(meaning, 0, {});
}

void ProfileSpool::open_kept() {
  file_ = FileDescriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (file_.get() < 0) throw Failure(fmt::format("{}: cannot write: {}", path_, errno_text(errno)));
  if (::flock(file_.get(), LOCK_EX | LOCK_NB) == 0) return;
  if (errno != EWOULDBLOCK) throw Failure(fmt::format("{}: {}", path_, lock_trouble(errno)));
  throw Failure(fmt::format("{}: another build is writing it; wait for it to end", path_));
}

/// Reads records up to the end or the first incomplete one. Returns where that is.
std::uint64_t ProfileSpool::take_up(const std::string& meaning) {
  const std::uint64_t size = file_size(file_.get(), path_);
  std::uint64_t at = 0;
  const auto first = size > 0 ? read_record(at, size) : std::nullopt;
  if (!first) return 0;
  if (first->name != meaning)
    throw InputError(path_, "", "is of a build with another panel or other options",
                     "repeat the options of that build, or remove the file");
  std::uint64_t good = at;
  while (auto input = read_record(at, size)) {
    const std::uint64_t rows = at - input->ids.size() * row_words() * sizeof(Word);
    input->first_row = row_at_.size();
    for (std::size_t i = 0; i < input->ids.size(); ++i)
      row_at_.push_back(rows + i * row_words() * sizeof(Word));
    remember(std::move(*input));
    good = at;
  }
  if (!inputs_.empty()) log::note("{}: {} read before", path_, counted(inputs_.size(), "input"));
  return good;
}

/// Moves `at` past the record. Sizes are checked against the rest of the file before memory is allocated.
std::optional<ProfileSpool::Input> ProfileSpool::read_record(std::uint64_t& at, std::uint64_t size) const {
  Head head;
  if (size - at < sizeof head) return std::nullopt;
  read_at(file_.get(), &head, sizeof head, at, path_);
  const std::uint64_t row_bytes = row_words() * sizeof(Word);
  const std::uint64_t left = size - at - sizeof head;
  if (head.magic != kSpoolMagic || head.text_bytes > std::min(left, kMostTextBytes) ||
      head.n_profiles > (left - head.text_bytes) / row_bytes)
    return std::nullopt;
  std::string text(head.text_bytes, '\0');
  read_at(file_.get(), text.data(), text.size(), at + sizeof head, path_);
  if (xxh3_64(text.data(), text.size()) != head.text_hash) return std::nullopt;
  std::vector<Word> rows(head.n_profiles * row_words());
  read_at(file_.get(), rows.data(), rows.size() * sizeof(Word), at + sizeof head + text.size(), path_);
  if (xxh3_64(rows.data(), rows.size() * sizeof(Word)) != head.rows_hash) return std::nullopt;
  at += sizeof head + text.size() + rows.size() * sizeof(Word);
  if (head.n_profiles == 0) return Input{.name = text};
  std::string_view rest = text;
  auto name = take(rest), stamp = take(rest), sha256 = take(rest);
  if (!name || !stamp || !sha256) return std::nullopt;
  Input input{.name = std::move(*name), .stamp = std::move(*stamp), .sha256 = std::move(*sha256)};
  for (std::uint64_t i = 0; i < head.n_profiles; ++i) {
    auto id = take(rest);
    if (!id) return std::nullopt;
    input.ids.push_back(std::move(*id));
  }
  return input;
}

const ProfileSpool::Input& ProfileSpool::latest(const std::string& name) const {
  return inputs_[latest_.at(name)];
}

const ProfileSpool::Input* ProfileSpool::find(const std::string& name, const std::string& stamp) const {
  if (stamp.empty()) return nullptr;
  const auto found = latest_.find(name);
  return found != latest_.end() && inputs_[found->second].stamp == stamp ? &inputs_[found->second] : nullptr;
}

void ProfileSpool::write(const void* from, std::size_t bytes) {
  if (!write_all(file_.get(), from, bytes))
    throw Failure(fmt::format("{}: cannot keep what was read{}: {}", target_,
                              path_.empty() ? " in its folder" : " in " + path_, errno_text(errno)));
  end_ += bytes;
}

void ProfileSpool::write_record(const std::string& text, std::uint64_t n_profiles,
                                std::span<const Word> rows) {
  const Head head{.text_bytes = text.size(),
                  .n_profiles = n_profiles,
                  .text_hash = xxh3_64(text.data(), text.size()),
                  .rows_hash = xxh3_64(rows.data(), rows.size_bytes())};
  write(&head, sizeof head);
  write(text.data(), text.size());
  write(rows.data(), rows.size_bytes());
}

const ProfileSpool::Input& ProfileSpool::add(Input input, const BlocksView& profiles) {
  std::string text;
  for (const std::string& piece : {input.name, input.stamp, input.sha256}) put(text, piece);
  for (const std::string& id : input.ids) put(text, id);
  std::vector<Word> rows;
  rows.reserve(input.ids.size() * row_words());
  for (std::uint64_t i = 0; i < input.ids.size(); ++i) {
    for (std::size_t word = 0; word < n_words_; ++word) rows.push_back(profiles.bits_word(i, word));
    for (std::size_t word = 0; word < n_words_; ++word)
      rows.push_back(profiles.shape.encoding == Encoding::kAlleles ? profiles.major_word(i, word)
                                                                   : profiles.called_word(i, word));
  }
  write_record(text, input.ids.size(), rows);
  input.first_row = row_at_.size();
  const std::uint64_t at = end_ - rows.size() * sizeof(Word);
  for (std::size_t i = 0; i < input.ids.size(); ++i) row_at_.push_back(at + i * row_words() * sizeof(Word));
  return remember(std::move(input));
}

const ProfileSpool::Input& ProfileSpool::remember(Input input) {
  latest_[input.name] = inputs_.size();
  return inputs_.emplace_back(std::move(input));
}

void ProfileSpool::read_row(std::uint64_t row, std::span<Word> into) const {
  read_at(file_.get(), into.data(), into.size_bytes(), row_at_[row], path_);
}

void ProfileSpool::remove() {
  if (!path_.empty()) ::unlink(path_.c_str());
  path_.clear();
}

}  // namespace fastid::ingest
