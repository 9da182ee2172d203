/// \file
/// The content checksum: SHA-256 over the SHA-256 of each piece of the profiles, of the panel and of the log.
///
///   piece        0                    1                          last
///            +--------------------+--------------------+-----+-----------+
///   ids      | SHA-256            | SHA-256            | ... |           |
///   bits     | SHA-256            | SHA-256            |     |           |   a row of /profiles/sha256 for
///   each piece called   | SHA-256            | SHA-256            |     |           |
///            +--------------------+--------------------+-----+-----------+
///
/// A piece is the same profiles whatever the chunks of the file are, so that a database has the same digests
/// whether its profiles came at once or in many appends. An append makes those anew of which it adds to the
/// piece.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.hpp"
#include "bits/blocks.hpp"
#include "db/database.hpp"

namespace fastid::db {

inline constexpr std::size_t kDigestDigits = 64;  ///< of a SHA-256

/// Blocks in a piece: those in 1 MiB of a plane, at least one.
std::size_t piece_blocks(const BlockShape& shape);

/// Pieces of a database.
std::uint64_t n_pieces(const BlockShape& shape);

/// SHA-256 of each piece of one stream of rows.
class DigestStream {
 public:
  /// \param piece  rows in a piece
  explicit DigestStream(std::uint64_t piece) : piece_(piece) {}

  /// Goes on behind pieces of which the digests are known, before any row.
  void resume(std::vector<std::string> known) { digests_ = std::move(known); }

  /// The next `n` rows: feed(sha, first, some) hands over rows first .. first + some - 1 of them.
  void add(std::uint64_t n,
           const std::function<void(Sha256& sha, std::uint64_t first, std::uint64_t some)>& feed);

  /// Of all that was added; the last piece ends here.
  const std::vector<std::string>& finish();

 private:
  void end_piece();

  std::uint64_t piece_, filled_ = 0;
  std::unique_ptr<Sha256> sha_;  ///< of the piece that is not full
  std::vector<std::string> digests_;
};

/// The digests of a database's profiles while they are written or read. The three streams may be fed by
/// different threads.
class ContentDigests {
 public:
  explicit ContentDigests(const BlockShape& shape);

  /// Goes on behind whole pieces of which the rows are known. \param rows  with or without called digits
  void resume(std::span<const std::string> rows);

  void add_ids(std::span<const std::string> ids);
  void add_bits(const Word* bits, std::size_t n_blocks);
  void add_called(const Word* called, std::size_t n_blocks);

  /// A row for each piece: 64 digits of its ids, 64 of its bits and 64 of its called sites, of those that
  /// were added. Ends all streams.
  std::vector<std::string> rows();

 private:
  void add_plane(DigestStream& stream, const Word* words, std::size_t n_blocks) const;

  std::size_t block_words_;
  DigestStream ids_, bits_, called_;
};

/// SHA-256 of the profiles on their panel, the same however they came in. \param rows  of /profiles/sha256
std::string profiles_sha256(const Header& header, std::span<const std::string> rows);

/// SHA-256 of all that a database says. \param log  the bytes of /log
std::string content_sha256(const Header& header, std::span<const std::string> rows, std::string_view log);

}  // namespace fastid::db
