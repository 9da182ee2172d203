#include "db/hdf5/plane_writer.hpp"

#include <algorithm>
#include <cstring>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/process.hpp"

namespace fastid::db {
namespace {

constexpr std::size_t kSmallestChunk = std::size_t{1} << 20;
constexpr std::size_t kLargestPlaneChunk = std::size_t{8} << 20;
constexpr std::size_t kLargestBlock = std::size_t{1} << 30;  ///< HDF5 limits chunks to 4 GiB

std::size_t blocks_in(std::size_t bytes, const BlockShape& shape) {
  return std::max<std::size_t>(1, bytes / shape.block_bytes());
}

}  // namespace

PlaneWriter::PlaneWriter(hid_t profiles, const StagedFile& staged, ContentDigests& digests, ThreadPool& pool,
                         BlockShape empty, std::size_t chunk_blocks, std::string file)
    : profiles_(profiles),
      staged_(staged),
      digests_(digests),
      pool_(pool),
      file_(std::move(file)),
      shape_(empty),
      names_(plane_names(empty.encoding)),
      has_second_(empty.encoding == Encoding::kAlleles) {
  if (shape_.n_sites == 0 || shape_.block_bytes() > kLargestBlock)
    throw Failure(file_ + ": a database cannot have a panel of " + std::to_string(shape_.n_sites) + " sites");
  smallest_run_ = chunk_blocks ? chunk_blocks : blocks_in(kSmallestChunk, shape_);
  largest_run_ = chunk_blocks ? chunk_blocks : blocks_in(kLargestPlaneChunk, shape_);
  allocate();
  const h5::Session session;
  checksums_.emplace(profiles_, "checksum", h5::Type(h5::wrote(H5Tcopy(H5T_STD_U64LE), file_, "a type")),
                     file_);
}

PlaneWriter::PlaneWriter(hid_t profiles, const StagedFile& staged, ContentDigests& digests, ThreadPool& pool,
                         const BlockSource& old, std::string file)
    : profiles_(profiles),
      staged_(staged),
      digests_(digests),
      pool_(pool),
      file_(std::move(file)),
      old_(&old),
      shape_(old.shape()),
      names_(plane_names(shape_.encoding)),
      has_second_(old.has_second()) {
  open_planes();
  allocate();
  load_last_chunk();
  checksums_.emplace(ColumnWriter::resume(profiles_, "checksum", flushed_, file_));
}

void PlaneWriter::allocate() {
  bits_ = WordBuffer(checked_mul(largest_run_, shape_.block_words()));
  if (has_second_) second_ = WordBuffer(bits_.size());
}

namespace {

/// Blocks in a chunk of a plane.
std::size_t run_of(const h5::Dataset& plane, const std::string& file) {
  const h5::Properties list(h5::wrote(H5Dget_create_plist(plane.get()), file, "a plane"));
  hsize_t chunk[3] = {};
  h5::wrote(H5Pget_chunk(list.get(), 3, chunk), file, "a plane");
  return static_cast<std::size_t>(chunk[0]);
}

}  // namespace

void PlaneWriter::open_planes() {
  const h5::Session session;
  const auto open = [this](const char* name) {
    return h5::Dataset(h5::wrote(H5Dopen2(profiles_, name, H5P_DEFAULT), file_, name));
  };
  bits_plane_ = open(names_.bits);
  run_ = smallest_run_ = largest_run_ = run_of(bits_plane_, file_);
  if (!has_second_) return;
  second_plane_ = open(names_.second);
  if (run_of(second_plane_, file_) != run_)
    throw InputError(file_, std::string("/profiles/") + names_.second,
                     std::string("has chunks of another length than /profiles/") + names_.bits,
                     "build the database anew");
}

void PlaneWriter::load_last_chunk() {
  flushed_ = shape_.n_profiles / kLanes / run_ * run_;
  pending_ = static_cast<std::size_t>(shape_.n_blocks() - flushed_);
  if (pending_ > 0) old_->read(flushed_, pending_, bits_.data(), second_.data());
}

/// Called at the first site not called: makes the called plane of the blocks in memory. Blocks in the file
/// get their called plane when the next chunk is written.
void PlaneWriter::start_called() {
  if (has_second_) return;
  has_second_ = true;
  second_ = WordBuffer(bits_.size());
  for (std::size_t b = 0; b < pending_; ++b) {
    const std::uint64_t first = (flushed_ + b) * kLanes;
    const std::uint64_t lanes = std::min<std::uint64_t>(kLanes, shape_.n_profiles - first);
    fill_all_called(shape_.n_sites, static_cast<std::size_t>(lanes),
                    second_.data() + b * shape_.block_words());
  }
}

void PlaneWriter::expect(const BlockShape& profiles) const {
  if (profiles.n_sites != shape_.n_sites) throw Failure(file_ + ": profiles of another panel were appended");
  if (profiles.encoding == Encoding::kMinor && shape_.encoding == Encoding::kAlleles)
    throw InputError(file_, "",
                     "says which alleles were seen, but profiles to be added say only where a minor one was",
                     "add the files that they were made from, or build a database with --encoding minor");
}

void PlaneWriter::append(const BlocksView& blocks) {
  expect(blocks.shape);
  if (blocks.shape.encoding == shape_.encoding)
    add(blocks);
  else
    add_without_alleles(blocks);
}

/// Adds profiles of Encoding::kAlleles to planes of kMinor, some blocks at a time.
void PlaneWriter::add_without_alleles(const BlocksView& blocks) {
  const std::size_t words = shape_.block_words();
  WordBuffer called(checked_mul(largest_run_, words));
  for (std::uint64_t first = 0; first < blocks.shape.n_profiles; first += largest_run_ * kLanes) {
    const std::uint64_t n = std::min<std::uint64_t>(largest_run_ * kLanes, blocks.shape.n_profiles - first);
    const BlockShape some = shape_.with(n);
    const Word* const minor = blocks.bits + first / kLanes * words;
    const Word* const major = blocks.second + first / kLanes * words;
    for (std::size_t i = 0; i < some.n_blocks() * words; ++i) called.data()[i] = minor[i] | major[i];
    add({some, minor, called.data()});
  }
}

/// Adds profiles of the planes' encoding.
void PlaneWriter::add(const BlocksView& blocks) {
  for (std::uint64_t i = 0; i < blocks.shape.n_profiles;) {
    if (shape_.n_profiles % kLanes != 0 || i % kLanes != 0) {
      add_profile(blocks, i++);
      continue;
    }
    const std::uint64_t left = blocks.shape.n_profiles - i, run = run_ > 0 ? run_ : largest_run_;
    if (pending_ == 0 && left / kLanes >= run && (!has_second_ || blocks.second != nullptr)) {
      add_run(blocks, i / kLanes, static_cast<std::size_t>(run));
      i += run * kLanes;
      continue;
    }
    const std::uint64_t lanes = std::min<std::uint64_t>(kLanes, left);
    add_block(blocks, i / kLanes, static_cast<std::size_t>(lanes));
    i += lanes;
  }
}

/// Begins a block after the last one, without clearing its words.
void PlaneWriter::begin_block() {
  if (pending_ == largest_run_) flush();
  ++pending_;
}

namespace {

[[noreturn]] void refuse_stray(const std::string& file) {
  throw Failure(file + ": a profile has a bit where it has no called site (a defect of fastid)");
}

/// Faults of a block (bits past its sites or lanes, or at sites not called), and whether a site is not
/// called. In Encoding::kAlleles any site may have any bits.
struct BlockFacts {
  Encoding encoding = Encoding::kMinor;
  Word stray = 0, missing = 0;

  void look_at(Word all, Word bits, Word second) {
    stray |= (second & ~all) | (bits & ~(encoding == Encoding::kAlleles ? all : second));
    missing |= all & ~second;
  }
};

}  // namespace

/// Checks a whole block before it is added.
void PlaneWriter::check_block(const Word* bits, const Word* second, std::size_t lanes) {
  BlockFacts facts{.encoding = shape_.encoding};
  // Without a second plane, only bits past the last site or lane can be wrong.
  const bool anywhere = second != nullptr || lanes < kLanes;
  for (std::size_t w = anywhere ? 0 : shape_.n_words() - 1; w < shape_.n_words(); ++w) {
    const Word all = sites_mask(shape_.n_sites, w);
    for (std::size_t i = w * kLanes; i < w * kLanes + lanes; ++i)
      facts.look_at(all, bits[i], second ? second[i] : all);
    for (std::size_t i = w * kLanes + lanes; i < (w + 1) * kLanes; ++i)
      facts.look_at(0, bits[i], second ? second[i] : 0);
  }
  if (facts.stray != 0) refuse_stray(file_);
  if (facts.missing != 0) start_called();
}

void PlaneWriter::add_block(const BlocksView& blocks, std::uint64_t block, std::size_t lanes) {
  const std::size_t n = shape_.block_words();
  const Word* const bits = blocks.bits + block * n;
  const Word* const second = blocks.second ? blocks.second + block * n : nullptr;
  check_block(bits, second, lanes);
  begin_block();
  const std::size_t at = (pending_ - 1) * n;
  std::memcpy(bits_.data() + at, bits, shape_.block_bytes());
  if (has_second_ && second)
    std::memcpy(second_.data() + at, second, shape_.block_bytes());
  else if (has_second_)
    fill_all_called(shape_.n_sites, lanes, second_.data() + at);
  shape_.n_profiles += lanes;
}

/// Writes a whole chunk directly from `blocks`, without copying it first.
void PlaneWriter::add_run(const BlocksView& blocks, std::uint64_t first, std::size_t n) {
  const std::size_t words = shape_.block_words();
  const Word* const bits = blocks.bits + first * words;
  const Word* const second = blocks.second ? blocks.second + first * words : nullptr;
  for (std::size_t b = 0; b < n; ++b)
    check_block(bits + b * words, second ? second + b * words : nullptr, kLanes);
  begin_chunks(n);
  write_run(bits, second, n);
  shape_.n_profiles += n * kLanes;
}

void PlaneWriter::add_profile(const BlocksView& blocks, std::uint64_t profile) {
  BlockFacts facts{.encoding = shape_.encoding};
  const auto second_word = [&](std::size_t w) {
    return shape_.encoding == Encoding::kAlleles ? blocks.major_word(profile, w)
                                                 : blocks.called_word(profile, w);
  };
  for (std::size_t w = 0; w < shape_.n_words(); ++w)
    facts.look_at(sites_mask(shape_.n_sites, w), blocks.bits_word(profile, w), second_word(w));
  if (facts.stray != 0) refuse_stray(file_);
  if (facts.missing != 0) start_called();
  const std::size_t lane = shape_.n_profiles % kLanes;
  if (lane == 0) begin_block();
  const std::size_t at = (pending_ - 1) * shape_.block_words();
  if (lane == 0) std::fill_n(bits_.data() + at, shape_.block_words(), Word{0});
  if (lane == 0 && has_second_) std::fill_n(second_.data() + at, shape_.block_words(), Word{0});
  for (std::size_t w = 0; w < shape_.n_words(); ++w) {
    bits_.data()[at + w * kLanes + lane] = blocks.bits_word(profile, w);
    if (has_second_) second_.data()[at + w * kLanes + lane] = second_word(w);
  }
  ++shape_.n_profiles;
}

void PlaneWriter::finish() {
  if (pending_ > 0) flush();
  checksums_->finish();
}

h5::Dataset PlaneWriter::create_plane(const char* name) const {
  const hsize_t now[] = {0, shape_.n_words(), kLanes}, most[] = {H5S_UNLIMITED, shape_.n_words(), kLanes};
  const hsize_t chunk[] = {run_, shape_.n_words(), kLanes};
  const h5::Space space(h5::wrote(H5Screate_simple(3, now, most), file_, name));
  const h5::Properties list(h5::wrote(H5Pcreate(H5P_DATASET_CREATE), file_, name));
  const Word zero = 0;
  h5::wrote(H5Pset_chunk(list.get(), 3, chunk), file_, name);
  h5::wrote(H5Pset_fill_value(list.get(), H5T_NATIVE_UINT32, &zero), file_, name);
  h5::wrote(H5Pset_obj_track_times(list.get(), false), file_, name);
  return h5::Dataset(
      h5::wrote(H5Dcreate2(profiles_, name, H5T_STD_U32LE, space.get(), H5P_DEFAULT, list.get(), H5P_DEFAULT),
                file_, name));
}

void PlaneWriter::write_chunk(const h5::Dataset& plane, const char* name, std::uint64_t first,
                              std::uint64_t end, const Word* words) const {
  const hsize_t dims[] = {end, shape_.n_words(), kLanes}, offset[] = {first, 0, 0};
  h5::wrote(H5Dset_extent(plane.get(), dims), file_, name);
  h5::wrote(H5Dwrite_chunk(plane.get(), H5P_DEFAULT, 0, offset, run_ * shape_.block_bytes(), words), file_,
            name);
}

/// Chooses the length of chunks by `n`, the number of blocks in the first one.
void PlaneWriter::begin_chunks(std::size_t n) {
  if (run_ > 0) return;
  const h5::Session session;
  run_ = std::clamp(n, smallest_run_, largest_run_);
  bits_plane_ = create_plane(names_.bits);
}

void PlaneWriter::flush() {
  begin_chunks(pending_);
  const std::size_t used = pending_ * shape_.block_words(), chunk = run_ * shape_.block_words();
  std::fill(bits_.data() + used, bits_.data() + chunk, Word{0});
  if (has_second_) std::fill(second_.data() + used, second_.data() + chunk, Word{0});
  write_run(bits_.data(), second_.data(), pending_);
  pending_ = 0;
}

/// Writes the next chunk, whose first `n` blocks are in use.
void PlaneWriter::write_run(const Word* bits, const Word* second, std::size_t n) {
  check_interrupt();
  const h5::Session session;
  if (has_second_ && !second_plane_) begin_second();
  const std::uint64_t end = flushed_ + n;
  ThreadPool::Task digested = pool_.start([&] {
    digests_.add_bits(bits, n);
    if (has_second_) digests_.add_second(second, n);
  });
  write_chunk(bits_plane_, names_.bits, flushed_, end, bits);
  if (has_second_) write_chunk(second_plane_, names_.second, flushed_, end, second);
  staged_.begin_flush();
  add_checksums(bits, has_second_ ? second : nullptr, n);
  digested.get();
  flushed_ = end;
}

void PlaneWriter::add_checksums(const Word* bits, const Word* second, std::size_t n) {
  const BlocksView blocks{shape_.with(n * kLanes), bits, second};
  for (std::size_t b = 0; b < n; ++b) {
    const std::uint64_t sum = blocks.checksum(b);
    checksums_->append(&sum, 1);
  }
}

/// Reads a full chunk of the bits; one that was in the old database is checked.
void PlaneWriter::read_chunk(std::uint64_t first, Word* bits) const {
  if (old_ != nullptr && !old_->has_second() && first + run_ <= old_->shape().n_profiles / kLanes)
    return old_->read(first, run_, bits, nullptr);
  const hsize_t offset[] = {first, 0, 0};
  std::uint32_t filters = 0;
  h5::wrote(H5Dread_chunk(bits_plane_.get(), H5P_DEFAULT, offset, &filters, bits), file_, names_.bits);
}

/// Creates the second plane. In Encoding::kMinor the file may have chunks already, all full: writes their
/// called sites and recomputes their checksums, which now cover both planes.
void PlaneWriter::begin_second() {
  second_plane_ = create_plane(names_.second);
  if (flushed_ == 0) return;
  checksums_->rewind();
  WordBuffer bits(run_ * shape_.block_words()), called(bits.size());
  for (std::size_t b = 0; b < run_; ++b)
    fill_all_called(shape_.n_sites, kLanes, called.data() + b * shape_.block_words());
  for (std::uint64_t first = 0; first < flushed_; first += run_) {
    check_interrupt();
    read_chunk(first, bits.data());
    write_chunk(second_plane_, names_.second, first, first + run_, called.data());
    digests_.add_second(called.data(), run_);
    add_checksums(bits.data(), called.data(), run_);
  }
}

}  // namespace fastid::db
