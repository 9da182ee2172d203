/// \file
/// The file that a shard of a run leaves behind, its part. docs/part-format.md describes it byte by byte.
///
///   "fastid-part\n"  u32 format version
///   sections         arrays of numbers, or texts that end in a zero byte; in the order in which they come
///   head             JSON: the program, the question, its inputs, and each section's place and checksum
///   end              u64 bytes of the head, u64 XXH3-64 of the head, "fastid-part end\n"
///
/// All numbers are little-endian. The head is at the end, so that a part can be written as pairs are found,
/// and a part that is cut off has none.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/checked.hpp"
#include "base/file.hpp"
#include "bits/shard.hpp"

namespace fastid::part {

static_assert(std::endian::native == std::endian::little, "parts hold numbers as this machine does");

inline constexpr std::uint32_t kFormatVersion = 1;

/// The first bytes of a part.
inline constexpr std::string_view kMagic = "fastid-part\n";

/// One input of a result, and its digest, which is the same in all parts of a run.
struct Basis {
  std::string what;  ///< "database", "queries"
  std::string digest;

  friend bool operator==(const Basis&, const Basis&) = default;
};

/// Facts of a shard's run, for the facts of the whole run.
struct RunFacts {
  std::string engine, description, started_utc;  ///< as RunInfo has them
  std::uint64_t workers = 0;
  double search_seconds = 0;
};

struct Head {
  std::string version, revision;       ///< of the program that wrote it; set by the writer
  std::string command;                 ///< of the part: "search"
  std::vector<std::string> arguments;  ///< "--top=20": all that affect the result, in a fixed order
  std::vector<std::string> databases;  ///< paths as they were given
  Shard shard;
  std::vector<Basis> basis;
  std::uint64_t kept = 0;  ///< pairs: number that passed the first limit, for --max-pairs
  std::uint64_t held = 0;  ///< most candidates of each query; UINT64_MAX: all that pass
  RunFacts run;
};

struct Section {
  std::string name;
  std::uint64_t offset = 0, bytes = 0, checksum = 0;  ///< XXH3-64
};

/// Writes a part: a file, which appears whole or not at all, or bytes for another process.
class Writer {
 public:
  /// Writes the part into memory.
  Writer();
  /// \throws Failure
  explicit Writer(const std::string& path);

  /// Adds a section; several may have one name. Empty ones are left out. \throws Failure (a full disk)
  template <class T>
  void add(std::string_view name, std::span<const T> items) {
    static_assert(std::is_trivially_copyable_v<T>);
    add_bytes(name, {reinterpret_cast<const char*>(items.data()), items.size_bytes()});
  }
  void add_texts(std::string_view name, std::span<const std::string> texts);

  /// Ends the part. \throws Failure
  void finish(const Head& head);
  /// Makes the file appear. \throws Failure
  void commit() { out_->commit(); }
  /// The part, where it was written into memory.
  std::string take() { return std::move(held_); }

 private:
  void begin();
  void write(std::string_view bytes);
  void add_bytes(std::string_view name, std::string_view bytes);

  std::optional<OutputFile> out_;  ///< no value: `held_` takes the part
  std::string held_;
  std::uint64_t at_ = 0;
  std::vector<Section> sections_;
};

/// A part whose head is read. A file is open only while it is read, so that there may be thousands.
class File {
 public:
  /// \throws InputError: no part, cut off, damaged, of another format or program
  explicit File(const std::string& path);
  /// A part that another process has made in memory. \param name  for messages \throws InputError
  File(std::string name, std::string bytes);

  /// The path; for a part in memory, its name.
  const std::string& path() const { return path_; }
  const Head& head() const { return head_; }

  /// The sections of a name, in their order.
  std::vector<const Section*> sections(std::string_view name) const;

  /// A section's content. \throws InputError: damaged, or not a whole number of items
  template <class T>
  std::vector<T> read(const Section& section) const {
    static_assert(std::is_trivially_copyable_v<T>);
    if (section.bytes % sizeof(T) != 0) refuse(section.name, "has a length that cannot be");
    std::vector<T> items(static_cast<std::size_t>(section.bytes / sizeof(T)));
    read_bytes(section, items.data());
    return items;
  }
  /// \param most  the most texts that are possible, since each takes more memory than bytes of the part
  std::vector<std::string> read_texts(const Section& section, std::uint64_t most) const;

  /// \throws InputError: the part's content is impossible
  [[noreturn]] void refuse(std::string_view place, std::string_view problem) const;

 private:
  void read_head();
  void read_bytes(const Section& section, void* into) const;

  std::string path_;
  std::optional<std::string> held_;  ///< no value: the bytes are in the file
  FileState state_;
  Head head_;
  std::vector<Section> sections_;
};

}  // namespace fastid::part
