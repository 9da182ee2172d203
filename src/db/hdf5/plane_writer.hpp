/// \file
/// Writes the two planes and their checksums, a chunk at a time.
///
///   a plane  [n_blocks, n_words, 32]     chunk = `run` blocks, whole and unfiltered
///
///     | run blocks | run blocks | ... | the rest, zeros up to the chunk's end |
///
/// A run is 1 to 8 MiB, set by the number of blocks in the first chunk. In Encoding::kAlleles both planes
/// exist from the start. In kMinor the second one, which says what was called, is created with the first
/// profile that has a site not called; it is then written for all earlier profiles too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/staged_file.hpp"
#include "base/thread_pool.hpp"
#include "bits/blocks.hpp"
#include "db/hdf5/column.hpp"
#include "db/hdf5/content.hpp"
#include "db/hdf5/hdf5_handle.hpp"
#include "db/hdf5/plane_reader.hpp"

namespace fastid::db {

class PlaneWriter {
 public:
  /// \param profiles      the group /profiles; must outlive this
  /// \param staged        the file that holds it; must outlive this
  /// \param digests       take what is written; must outlive this
  /// \param pool          computes the digests in parallel with writing; must outlive this
  /// \param empty         shape with the sites and the encoding, without profiles
  /// \param chunk_blocks  blocks in a chunk; 0: chosen as above
  /// \param file          for messages
  PlaneWriter(hid_t profiles, const StagedFile& staged, ContentDigests& digests, ThreadPool& pool,
              BlockShape empty, std::size_t chunk_blocks, std::string file);

  /// Continues where `old` ends, in a file that holds the same planes: the last chunk is read and filled, the
  /// others stay as they are. `old` checks what it reads, so that damage never gets a new checksum; it must
  /// outlive this. \throws Failure, InputError (damage).
  PlaneWriter(hid_t profiles, const StagedFile& staged, ContentDigests& digests, ThreadPool& pool,
              const BlockSource& old, std::string file);

  /// Checks that append() takes such profiles. \throws InputError where the file has Encoding::kAlleles and
  /// the profiles have kMinor; Failure where they are on another panel.
  void expect(const BlockShape& profiles) const;

  /// Adds any number of profiles, which fill the last block first. Whole blocks are fastest. Profiles of
  /// Encoding::kAlleles are stored as kMinor in a kMinor file. \throws Failure.
  void append(const BlocksView& blocks);

  /// Writes what is still in memory. \throws Failure.
  void finish();

  const BlockShape& shape() const { return shape_; }

  /// The number of blocks that are in the file and will not change.
  std::uint64_t flushed() const { return flushed_; }

 private:
  void add(const BlocksView& blocks);
  void add_without_alleles(const BlocksView& blocks);
  void begin_block();
  void start_called();
  void check_block(const Word* bits, const Word* second, std::size_t lanes);
  void add_block(const BlocksView& blocks, std::uint64_t block, std::size_t lanes);
  void add_run(const BlocksView& blocks, std::uint64_t first, std::size_t n);
  void add_profile(const BlocksView& blocks, std::uint64_t profile);
  void allocate();
  void open_planes();
  void load_last_chunk();
  void read_chunk(std::uint64_t first, Word* bits) const;
  void begin_chunks(std::size_t n);
  void flush();
  void write_run(const Word* bits, const Word* second, std::size_t n);
  void begin_second();
  h5::Dataset create_plane(const char* name) const;
  void write_chunk(const h5::Dataset& plane, const char* name, std::uint64_t first, std::uint64_t end,
                   const Word* words) const;
  void add_checksums(const Word* bits, const Word* second, std::size_t n);

  hid_t profiles_;
  const StagedFile& staged_;
  ContentDigests& digests_;
  ThreadPool& pool_;
  std::string file_;
  const BlockSource* old_ = nullptr;  ///< what the file held when this began
  BlockShape shape_;                  ///< of all that was appended
  PlaneNames names_;
  std::size_t smallest_run_ = 0, largest_run_ = 0;
  std::size_t run_ = 0;        ///< blocks in a chunk; 0 until the first is written
  std::uint64_t flushed_ = 0;  ///< blocks that are in the file
  std::size_t pending_ = 0;    ///< blocks that are in bits_ and second_
  WordBuffer bits_;            ///< largest_run_ blocks; the last one may be partly full
  WordBuffer second_;          ///< like bits_; empty until has_second_
  bool has_second_ = false;    ///< in kMinor: some site was not called
  h5::Dataset bits_plane_, second_plane_;
  std::optional<ColumnWriter> checksums_;
};

}  // namespace fastid::db
