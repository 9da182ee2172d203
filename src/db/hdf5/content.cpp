#include "db/hdf5/content.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/checked.hpp"

namespace fastid::db {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

/// The text that profiles_sha256() hashes; content_sha256() adds the log to it.
std::string listed(const Header& header, std::span<const std::string> rows) {
  std::string text = fmt::format("fastid-content {}\nkind {}\nprofiles {}\npanel {}\n",
                                 format_version_of(header.shape.encoding), name_of(header.kind),
                                 header.shape.n_profiles, header.panel_sha256);
  for (const std::string& row : rows) text.append(row).append("\n");
  return text;
}

}  // namespace

std::size_t piece_blocks(const BlockShape& shape) {
  return std::max<std::size_t>(1, kPieceBytes / shape.block_bytes());
}

std::uint64_t n_pieces(const BlockShape& shape) {
  return ceil_div<std::uint64_t>(shape.n_blocks(), piece_blocks(shape));
}

void DigestStream::add(std::uint64_t n,
                       const std::function<void(Sha256&, std::uint64_t, std::uint64_t)>& feed) {
  for (std::uint64_t first = 0; first < n;) {
    const std::uint64_t some = std::min(n - first, piece_ - filled_);
    if (!sha_) sha_ = std::make_unique<Sha256>();
    feed(*sha_, first, some);
    first += some;
    filled_ += some;
    if (filled_ == piece_) end_piece();
  }
}

const std::vector<std::string>& DigestStream::finish() {
  if (filled_ > 0) end_piece();
  return digests_;
}

void DigestStream::end_piece() {
  digests_.push_back(sha_->hex());
  sha_.reset();
  filled_ = 0;
}

ContentDigests::ContentDigests(const BlockShape& shape)
    : block_words_(shape.block_words()),
      ids_(piece_blocks(shape) * kLanes),
      bits_(piece_blocks(shape)),
      second_(piece_blocks(shape)) {}

void ContentDigests::resume(std::span<const std::string> rows) {
  const auto part = [&](std::size_t i) {
    std::vector<std::string> digests;
    for (const std::string& row : rows)
      if (row.size() > i * kDigestDigits) digests.push_back(row.substr(i * kDigestDigits, kDigestDigits));
    return digests;
  };
  ids_.resume(part(0));
  bits_.resume(part(1));
  second_.resume(part(2));
}

void ContentDigests::add_ids(std::span<const std::string> ids) {
  std::string text;
  ids_.add(ids.size(), [&](Sha256& sha, std::uint64_t first, std::uint64_t some) {
    text.clear();
    for (const std::string& id : ids.subspan(first, some)) text.append(id).push_back('\0');
    sha.update(text);
  });
}

void ContentDigests::add_bits(const Word* bits, std::size_t n_blocks) {
  add_plane(bits_, bits, n_blocks);
}

void ContentDigests::add_second(const Word* second, std::size_t n_blocks) {
  add_plane(second_, second, n_blocks);
}

void ContentDigests::add_plane(DigestStream& stream, const Word* words, std::size_t n_blocks) const {
  stream.add(n_blocks, [&](Sha256& sha, std::uint64_t first, std::uint64_t some) {
    sha.update(words + first * block_words_, some * block_words_ * sizeof(Word));
  });
}

std::vector<std::string> ContentDigests::rows() {
  std::vector<std::string> rows = ids_.finish();
  const std::vector<std::string>&bits = bits_.finish(), &second = second_.finish();
  for (std::size_t i = 0; i < rows.size(); ++i)
    rows[i] += (bits.empty() ? "" : bits.at(i)) + (second.empty() ? "" : second.at(i));
  return rows;
}

std::string profiles_sha256(const Header& header, std::span<const std::string> rows) {
  return sha256_of(listed(header, rows));
}

std::string content_sha256(const Header& header, std::span<const std::string> rows, std::string_view log) {
  std::string text = listed(header, rows);
  if (!header.tags_sha256.empty()) text += "tags " + header.tags_sha256 + "\n";
  if (!header.policy.empty()) text += "policy " + text_of(header.policy) + "\n";
  return sha256_of(text + "log " + sha256_of(log) + "\n");
}

}  // namespace fastid::db
