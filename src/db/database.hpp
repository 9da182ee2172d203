/// \file
/// The database: PRODUCT's HDF5 format, versions 1 and 2. docs/file-format.md describes it byte by byte.
///
/// libhdf5 writes the file, and reads everything but the two large planes. Their chunks are unfiltered runs
/// of whole blocks, so that a chunk is a contiguous range of bytes that any thread can pread without the
/// library's global lock. HDF5's own checksums protect the rest against flipped bits (metadata: file format
/// 1.10; small datasets: Fletcher32), and /profiles/checksum the planes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/file.hpp"
#include "bits/blocks.hpp"
#include "bits/row_mask.hpp"
#include "db/limits.hpp"
#include "db/tags.hpp"
#include "panel/panel.hpp"

namespace fastid {
class ThreadPool;  // base/thread_pool.hpp
}  // namespace fastid

namespace fastid::db {

enum class Kind { kIndividuals, kMixtures };
std::string_view name_of(Kind kind);  ///< "individuals", "mixtures"

std::string_view name_of(Encoding encoding);         ///< "minor", "alleles"
std::uint32_t format_version_of(Encoding encoding);  ///< 1 or 2, for a database without tags and policy

/// What a database demands of its users.
struct Policy {
  bool require_audit = false;  ///< no search, export or change without an audit log
  bool require_case = false;   ///< nor without --case

  bool empty() const { return !require_audit && !require_case; }
  friend bool operator==(const Policy&, const Policy&) = default;
};
std::string text_of(const Policy& policy);  ///< "require-audit require-case"; "" where it demands nothing

/// One input of a build, for the log.
struct LogInput {
  std::string name;
  std::string sha256;
  std::uint64_t profiles = 0;
};

/// The state of an audit log: it had `records` records, and the last has the SHA-256 `head`.
struct AuditAnchor {
  std::string log;  ///< SHA-256 of the log's first record, by which it is known
  std::uint64_t records = 0;
  std::string head;
};

/// One record of /log, kept as a line of JSON.
struct LogRecord {
  std::string action;   ///< "build", "convert", "simulate", "append", "remove", "replace", "merge", ...
  std::string command;  ///< the command line
  std::string created_by;
  std::string utc;
  std::vector<LogInput> inputs;
  bool derived_panel = false;  ///< the panel, and its population `cohort`, were made from the first input
  /// In the first record: counted_sha256() of the panel; empty: not known.
  std::string counted_sha256 = {};
  /// Highest r2 of two sites in a window, where `fastid ld` pruned the panel; no value: not pruned.
  std::optional<double> pruned_r2 = {};
  std::uint64_t profiles_before = 0;
  std::uint64_t profiles_after = 0;
  std::string reason = {};                   ///< of a removal or a correction
  std::vector<std::string> ids_sha256 = {};  ///< SHA-256 of the id of each profile removed or replaced
  std::vector<std::string> ids = {};         ///< the ids themselves, where they are to be kept
  std::optional<AuditAnchor> audit = {};     ///< state of the audit log when the change was recorded there
};

/// Ids and tags that a log must no longer contain.
class Forgotten {
 public:
  /// \param words  ids, and tags as in "case=K-4711" \param left  the tags of those who stay, which must
  /// outlive this object; null: commands keep all tags
  explicit Forgotten(std::span<const std::string> words, const Tags* left = nullptr);

  /// Text in which each of the words is replaced by kRemovedMark where no letter or digit continues it.
  std::string without(std::string_view text) const;
  /// A command line whose arguments are without() the words, then quoted as they were. From --set and --only,
  /// tags that no profile has are also removed, however they are written: 'case == "K-4711"'.
  std::string command_without(std::string_view command) const;

 private:
  std::size_t found(std::string_view text, std::size_t at) const;

  // At each place where a word begins, words of each length are looked up.
  std::unordered_set<std::string> words_;
  std::set<std::size_t> lengths_;
  const Tags* left_;
};

/// The bytes of a log, with forgotten words removed from commands, reasons and names of inputs.
/// \throws InputError naming `file`.
std::string log_without(std::string_view log, const Forgotten& gone, const std::string& file);

/// Compares the panel's counted_sha256() with the first record of the log. \throws InputError naming `file`
void check_counted(const Panel& panel, std::span<const LogRecord> log, const std::string& file);

/// The root attributes.
struct Header {
  std::uint32_t format_version = format_version_of(Encoding::kMinor);
  Kind kind = Kind::kIndividuals;
  BlockShape shape;
  GenomeBuild build = GenomeBuild::kUnknown;
  std::string panel_sha256;
  std::string content_sha256;  ///< of the whole content; empty where an earlier fastid wrote the file
  std::string tags_sha256;     ///< Tags::sha256(); empty where no profile has a tag
  Policy policy;
  std::string created_by;
  std::string created_utc;
};

/// Writes a database, profiles in order, to a file beside its target; finish() puts it in place.
class Writer {
 public:
  struct Options {
    Kind kind = Kind::kIndividuals;
    Encoding encoding = Encoding::kMinor;
    std::size_t id_bytes = 16;     ///< of the longest profile id; at most kLongestProfileId
    std::size_t chunk_blocks = 0;  ///< blocks in a chunk of a plane; 0: 1 to 8 MiB, by the size of the data
    ThreadPool* pool = nullptr;    ///< computes digests in parallel with writing; must outlive this
    std::string history;  ///< earlier lines of the log (Reader::log_text()), before the record of finish()
    /// State of the target file, which must be the same when the new file is put in place. No value: the
    /// state when the Writer begins.
    std::optional<std::optional<FileState>> over = {};
    Policy policy = {};
    std::string created_by = {},
                created_utc = {};  ///< of a database that is written anew; "": now, by this program
  };

  /// \throws Failure where the target cannot be written or the panel is too large, InputError where the ids
  /// are too long.
  Writer(const std::string& target, const Panel& panel, const Options& options);
  ~Writer();

  /// Adds profiles; multiples of 32 are fastest. In Encoding::kMinor the second plane is created with the
  /// first profile that has a site not called; profiles of kAlleles are stored as kMinor. \throws Failure
  /// (disk), InputError (an id too long or empty; profiles of kMinor for a database of kAlleles).
  void append(std::span<const std::string> ids, const BlocksView& blocks);

  /// Sets the tags of all profiles that were, or will be, added.
  void set_tags(Tags tags);

  /// Ends the file and puts it in place, unless the target was created or changed in the meantime.
  /// `record.profiles_after`, `created_by` and `utc` are filled in here.
  /// \throws Failure; InputError where there is no profile.
  void finish(LogRecord record);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Whether each block that is read is checked: its checksum, and the bits that engines rely on to be 0. kNone
/// is for callers that have just verified the file.
enum class BlockChecks { kAll, kNone };

/// Reads the attributes alone, which is quick. \throws InputError
Header header_of(const std::string& path);

/// Whether a file begins like a database; standard input (-) never is one. \throws InputError where it cannot
/// be read
bool is_database(const std::string& path);

/// Reads a database.
class Reader final : public BlockSource {
 public:
  /// Opens the file and checks everything but the blocks: format, version, shapes, panel checksum, and that
  /// all chunks are within the file. \throws InputError.
  explicit Reader(const std::string& path, BlockChecks checks = BlockChecks::kAll);
  ~Reader() override;

  const std::string& path() const;
  const Header& header() const;
  const Panel& panel() const;
  std::uint64_t file_bytes() const;
  int descriptor() const;           ///< of the open file
  const FileState& opened() const;  ///< what the file was like when it was opened

  BlockShape shape() const override { return header().shape; }
  bool has_second() const override;

  /// Thread-safe, without HDF5's lock. Checks each block's checksum, and that no bit is set past the last
  /// site or (of Encoding::kMinor) at a site not called. \throws InputError naming the block (and its
  /// profiles) that fails. With BlockChecks::kNone only the bits past the last site are checked.
  void read(std::uint64_t first, std::size_t n, Word* bits, Word* second) const override;
  /// As read(), but compares checksums only where another check fails.
  void read_unhashed(std::uint64_t first, std::size_t n, Word* bits, Word* second) const override;
  std::span<const std::uint64_t> checksums() const override;

  /// Reads blocks and returns the numbers of blocks that do not match their checksums, in order.
  std::vector<std::uint64_t> read_and_list_damaged(std::uint64_t first, std::size_t n, Word* bits,
                                                   Word* second) const;

  /// Ids of the given rows, in the given order; reads only what it must.
  std::vector<std::string> profile_ids(std::span<const std::uint64_t> rows) const;
  /// Ids of rows first .. first + n - 1.
  std::vector<std::string> profile_ids(std::uint64_t first, std::size_t n) const;
  /// Passes each id, from the first row on, to `see` until that returns false; memory does not grow with the
  /// number of ids. \throws InputError, Interrupted.
  void scan_ids(const std::function<bool(std::uint64_t row, const std::string& id)>& see) const;
  /// Row of a profile, found by a scan over all ids; nothing where no profile has this id.
  std::optional<std::uint64_t> row_of(const std::string& id) const;
  /// Rows of many profiles, in the given order, found by one scan. \throws InputError naming an id that is
  /// missing.
  std::vector<std::uint64_t> rows_of(std::span<const std::string> ids) const;

  /// Passes all profiles in order, some whole blocks at a time, and then compares their digests with the
  /// stored ones, so that a changed profile never gets a new digest. \throws InputError, Interrupted
  using Visit =
      std::function<void(std::uint64_t first_row, std::span<const std::string> ids, const BlocksView&)>;
  void visit_all(const Visit& visit) const;

  /// \throws InputError where the content checksum is not that of log, panel, tags and digests
  void check_content() const;

  /// The keys of tags, sorted. \throws InputError
  std::vector<std::string> tag_keys() const;
  /// The tags of one key, which must be there. \throws InputError
  TagColumn tag(const std::string& key) const;
  /// All tags. \throws InputError
  Tags tags() const;
  /// The rows whose value of a key, which must exist, passes; a row without a value has "". Takes a
  /// millisecond for a million profiles. \throws InputError
  RowMask rows_with_tag(const std::string& key,
                        const std::function<bool(const std::string& value)>& passes) const;

  std::vector<LogRecord> log() const;

  /// The bytes of the log. \throws InputError.
  std::string log_text() const;

  /// /profiles/sha256: the stored digests of each piece of the profiles (content.hpp); none where an earlier
  /// fastid wrote the database. \throws InputError.
  std::vector<std::string> digests() const;

  /// SHA-256 of the profiles on their panel, made from digests(). It does not depend on how the profiles were
  /// added. Empty where there are no digests. \throws InputError.
  std::string profiles_sha256() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Adds profiles to a database. Works on a copy beside it, which replaces it on finish(): until then the
/// database is unchanged, and readers that have it open continue to read the old one.
class Appender {
 public:
  /// Takes the write lock, so that a second writer is refused at once, and opens the database.
  /// \param pool  computes digests in parallel with writing; must outlive this
  /// \throws Failure naming the other writer; InputError.
  explicit Appender(const std::string& path, ThreadPool* pool = nullptr);
  ~Appender();

  /// The database as it was opened.
  const Reader& database() const;

  /// Adds any number of profiles; the last block is filled first. Their ids must be new. The first call
  /// copies the database: unchanged chunks are not checked, and where the file system can share blocks
  /// between files, the copy takes no time. The database keeps its encoding: profiles of Encoding::kAlleles
  /// are stored as kMinor in a kMinor database. \throws Failure (disk), InputError (an id; damage in what
  /// must be read; profiles of kMinor for a kAlleles database), Interrupted.
  void append(std::span<const std::string> ids, const BlocksView& blocks);

  /// Adds a record to the log (profiles_before, profiles_after, created_by and utc are filled in here), and
  /// puts the copy in place, unless the database was changed in the meantime. \throws Failure; the database
  /// is then unchanged. \param tags  of the added profiles; no rows: no tags
  void finish(LogRecord record, const Tags& tags = Tags());

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// What verify() found wrong.
struct Damage {
  std::string place;    ///< "block 17 (profiles 544 to 575)"
  std::string problem;  ///< "its checksum does not match"
};

/// kQuick skips the blocks: it checks what a Reader checks when it opens, the ids and the log.
enum class VerifyDepth { kAll, kQuick };

/// Checks every block (checksum; no bit past n_sites, in an unused lane, or, of Encoding::kMinor, at a site
/// not called), every id (not empty, unique), the panel and the log, and all of it against the content
/// checksum. Returns all damage found; an empty list means none. `progress_blocks(n)` is called as blocks are
/// done, from any thread. \throws InputError where the file cannot be opened as a database at all.
std::vector<Damage> verify(const std::string& path, std::size_t threads,
                           const std::function<void(std::uint64_t)>& progress_blocks,
                           VerifyDepth depth = VerifyDepth::kAll);

}  // namespace fastid::db
