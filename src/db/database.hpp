/// \file
/// The database: PRODUCT's HDF5 format, version 1. docs/file-format.md describes it byte by byte.
///
/// HDF5 (libhdf5) opens the file, and reads and writes everything but the two big planes: their chunks are
/// whole runs of blocks, unfiltered, so that a chunk is a contiguous range of bytes that any thread can pread
/// past the library's global lock. Everything else is protected against flipped bits by HDF5's own checksums
/// (metadata: file format 1.10; small datasets: Fletcher32), the planes by /profiles/checksum.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.hpp"
#include "bits/blocks.hpp"
#include "panel/panel.hpp"

namespace fastid {
class ThreadPool;  // base/thread_pool.hpp
}

namespace fastid::db {

inline constexpr std::uint32_t kFormatVersion = 1;
inline constexpr std::size_t kLongestProfileId = 1024;  ///< in bytes

enum class Kind { kIndividuals, kMixtures };
std::string_view name_of(Kind kind);  ///< "individuals", "mixtures"

/// One input of a build, for the log.
struct LogInput {
  std::string name;
  std::string sha256;
  std::uint64_t profiles = 0;
};

/// One record of /log, kept as a line of JSON.
struct LogRecord {
  std::string action;   ///< "build", "simulate", "append"
  std::string command;  ///< the command line
  std::string created_by;
  std::string utc;
  std::vector<LogInput> inputs;
  bool derived_panel = false;  ///< the panel, and its population `cohort`, were made from the first input
  std::uint64_t profiles_before = 0;
  std::uint64_t profiles_after = 0;
};

/// The root attributes.
struct Header {
  std::uint32_t format_version = kFormatVersion;
  Kind kind = Kind::kIndividuals;
  BlockShape shape;
  GenomeBuild build = GenomeBuild::kUnknown;
  std::string panel_sha256;
  std::string content_sha256;  ///< of all that the database says; empty where an earlier fastid wrote it
  std::string created_by;
  std::string created_utc;
};

/// Writes a database, profiles in order, beside its target; it appears whole on finish().
class Writer {
 public:
  struct Options {
    Kind kind = Kind::kIndividuals;
    std::size_t id_bytes = 16;     ///< longest profile id that will come; at most kLongestProfileId
    std::size_t chunk_blocks = 0;  ///< blocks in a chunk of a plane; 0: 1 to 8 MiB of them, as the data need
    ThreadPool* pool = nullptr;    ///< makes checksums beside the writing; must outlive the writer
  };

  /// \throws Failure where the target cannot be written, InputError where the panel or the ids' length do not
  /// fit.
  Writer(const std::string& target, const Panel& panel, const Options& options);
  ~Writer();

  /// Adds profiles; multiples of 32 of them are quickest. The called plane comes into being with the first
  /// profile that has a site not called. \throws Failure (disk), InputError (an id too long or empty).
  void append(std::span<const std::string> ids, const BlocksView& blocks);

  /// Ends the file and puts it in place, unless what was there at the start (a file or none) was replaced
  /// meanwhile. `record.profiles_after`, `created_by` and `utc` are filled in here.
  /// \throws Failure; InputError where there is not one profile.
  void finish(LogRecord record);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Whether each block that is read is held against its checksum, and against what engines rely on. kNone is
/// for who has just verified the file.
enum class BlockChecks { kAll, kNone };

/// Reads a database.
class Reader final : public BlockSource {
 public:
  /// Opens and checks everything but the blocks: format, version, shapes, panel checksum, chunk places within
  /// the file. \throws InputError.
  explicit Reader(const std::string& path, BlockChecks checks = BlockChecks::kAll);
  ~Reader() override;

  const std::string& path() const;
  const Header& header() const;
  const Panel& panel() const;
  std::uint64_t file_bytes() const;
  int descriptor() const;           ///< of the open file
  const FileState& opened() const;  ///< what the file was like when it was opened

  BlockShape shape() const override { return header().shape; }
  bool has_called() const override;

  /// Thread-safe, past HDF5's lock. Checks each block's checksum, and what engines rely on: that no bit is
  /// set past the last site, nor where nothing was called. \throws InputError naming the block (and its
  /// profiles) where one is wrong. With BlockChecks::kNone only the bits past the last site are looked at.
  void read(std::uint64_t first, std::size_t n, Word* bits, Word* called) const override;
  /// All of that but the checksums, unless something is wrong.
  void read_unhashed(std::uint64_t first, std::size_t n, Word* bits, Word* called) const override;
  std::span<const std::uint64_t> checksums() const override;

  /// As read(), but gives the blocks that do not match, in order, instead of throwing at the first.
  std::vector<std::uint64_t> read_and_list_damaged(std::uint64_t first, std::size_t n, Word* bits,
                                                   Word* called) const;

  /// Ids of some rows, in the order asked for; reads only what it must.
  std::vector<std::string> profile_ids(std::span<const std::uint64_t> rows) const;
  /// Ids of rows first .. first + n - 1.
  std::vector<std::string> profile_ids(std::uint64_t first, std::size_t n) const;
  /// All ids, from the first row on, until `see` gives false; memory does not grow with their number. \throws
  /// InputError, Interrupted.
  void scan_ids(const std::function<bool(std::uint64_t row, const std::string& id)>& see) const;
  /// Row of a profile, by a scan over all ids; nothing where there is none of that name.
  std::optional<std::uint64_t> row_of(const std::string& id) const;
  /// Rows of many profiles, in the order asked for, by one scan. \throws InputError naming one that is not
  /// there.
  std::vector<std::uint64_t> rows_of(std::span<const std::string> ids) const;

  std::vector<LogRecord> log() const;

  /// The bytes of the log. \throws InputError.
  std::string log_text() const;

  /// /profiles/sha256: the digests of each piece of the profiles (content.hpp), as they are stored; none
  /// where an earlier fastid wrote the database. \throws InputError.
  std::vector<std::string> digests() const;

  /// SHA-256 of the profiles on their panel by these digests, the same however they came in; empty where
  /// there are none. \throws InputError.
  std::string profiles_sha256() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Adds profiles to a database. Works on a copy beside it, which takes its place on finish(): whatever
/// happens before, the database is as it was; readers that have it open go on reading the old one.
class Appender {
 public:
  /// Takes the right to write, so that a second writer is refused at once, and opens the database.
  /// \param pool  makes checksums beside the writing; must outlive this
  /// \throws Failure naming who else is writing; InputError.
  explicit Appender(const std::string& path, ThreadPool* pool = nullptr);
  ~Appender();

  /// What it holds so far.
  const Reader& database() const;

  /// Adds any number of profiles; the last block is filled up first. Their ids must not be there yet. The
  /// first call copies the database: chunks that stay as they are are not looked at, and where the file
  /// system shares blocks between files, the copy takes no time. \throws Failure (disk), InputError (an id;
  /// damage in what must be read), Interrupted.
  void append(std::span<const std::string> ids, const BlocksView& blocks);

  /// Adds a record to the log (profiles_before, profiles_after, created_by and utc are filled in here), and
  /// puts the copy in place, unless the database is no longer the file that was opened. \throws Failure; the
  /// database is then as it was.
  void finish(LogRecord record);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// What verify() found wrong.
struct Damage {
  std::string place;    ///< "block 17 (profiles 544 to 575)"
  std::string problem;  ///< "its checksum does not match"
};

/// kQuick leaves the blocks out: all that a Reader checks when it opens, the ids and the log.
enum class VerifyDepth { kAll, kQuick };

/// Checks every block (checksum; no bit past n_sites, in an unused lane, or where nothing was called), every
/// id (not empty, none twice), the panel and the log, and all of it against the content checksum. Returns all
/// that is wrong with the blocks and ids; an empty list means sound. `progress_blocks(n)` is called as blocks
/// are done, from any thread. \throws InputError where the file cannot be opened as a database at all.
std::vector<Damage> verify(const std::string& path, std::size_t threads,
                           const std::function<void(std::uint64_t)>& progress_blocks,
                           VerifyDepth depth = VerifyDepth::kAll);

}  // namespace fastid::db
