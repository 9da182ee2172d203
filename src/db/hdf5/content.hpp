/// \file
/// The content checksum: SHA-256 over the SHA-256 of each piece of the profiles, of the panel and of the log.
///
///   piece        0                    1                          last
///            +--------------------+--------------------+-----+-----------+
///   ids      | SHA-256            | SHA-256            | ... |           |
///   bits     | SHA-256            | SHA-256            |     |           |
///   second   | SHA-256            | SHA-256            |     |           |   where there is such a plane
///            +--------------------+--------------------+-----+-----------+
///
/// A column is a row of /profiles/sha256. Pieces do not depend on the chunks of the file, so a database has
/// the same digests whether its profiles were added at once or in many appends. An append recomputes only the
/// digests of pieces that it adds to.
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

inline constexpr std::size_t kDigestDigits = 64;  ///< hexadecimal digits of a SHA-256

/// Blocks in a piece: as many as fit in 1 MiB of a plane, at least one.
std::size_t piece_blocks(const BlockShape& shape);

/// The number of pieces of a database.
std::uint64_t n_pieces(const BlockShape& shape);

/// SHA-256 of each piece of one stream of rows.
class DigestStream {
 public:
  /// \param piece  rows in a piece
  explicit DigestStream(std::uint64_t piece) : piece_(piece) {}

  /// Starts after pieces whose digests are known. Must precede the first add().
  void resume(std::vector<std::string> known) { digests_ = std::move(known); }

  /// Adds the next `n` rows: feed(sha, first, some) hashes rows first .. first + some - 1 of them.
  void add(std::uint64_t n,
           const std::function<void(Sha256& sha, std::uint64_t first, std::uint64_t some)>& feed);

  /// Ends the last piece and returns the digests of all pieces.
  const std::vector<std::string>& finish();

 private:
  void end_piece();

  std::uint64_t piece_, filled_ = 0;
  std::unique_ptr<Sha256> sha_;  ///< of the current piece, which is not full
  std::vector<std::string> digests_;
};

/// The digests of a database's profiles while they are written or read. The three streams may be fed by
/// different threads.
class ContentDigests {
 public:
  explicit ContentDigests(const BlockShape& shape);

  /// Starts after whole pieces whose rows are known. \param rows  the pieces' digests, with or without the
  /// second plane's
  void resume(std::span<const std::string> rows);

  void add_ids(std::span<const std::string> ids);
  void add_bits(const Word* bits, std::size_t n_blocks);
  void add_second(const Word* second, std::size_t n_blocks);

  /// A row for each piece: 64 digits each for its ids and its two planes, as far as they were added. Ends
  /// all streams.
  std::vector<std::string> rows();

 private:
  void add_plane(DigestStream& stream, const Word* words, std::size_t n_blocks) const;

  std::size_t block_words_;
  DigestStream ids_, bits_, second_;
};

/// SHA-256 of the profiles on their panel, however they were added. \param rows  of /profiles/sha256
std::string profiles_sha256(const Header& header, std::span<const std::string> rows);

/// SHA-256 of the whole content of a database. \param log  the bytes of /log
std::string content_sha256(const Header& header, std::span<const std::string> rows, std::string_view log);

}  // namespace fastid::db
