// Checks every block and every id of a database, on several threads.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <utility>

#include "base/checked.hpp"
#include "base/error.hpp"
#include "base/hash.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "base/thread_pool.hpp"
#include "db/database.hpp"
#include "db/hdf5/content.hpp"
#include "db/hdf5/plane_reader.hpp"
#include "db/hdf5/profile_ids.hpp"

namespace fastid::db {
namespace {

std::string sha256_of(const Word* words, std::size_t n) {
  Sha256 sha;
  sha.update(words, n * sizeof(Word));
  return sha.hex();
}

/// Checks all blocks, divided among threads by the pieces of the content checksum. Damage is kept by block,
/// so that it is in the order of the file.
class BlockCheck {
 public:
  /// \param digests  the stored digests; empty: not compared
  BlockCheck(const Reader& db, const std::vector<std::string>& digests,
             const std::function<void(std::uint64_t)>& progress)
      : db_(db), shape_(db.shape()), digests_(digests), progress_(progress), piece_(piece_blocks(shape_)) {}

  void run(std::size_t threads) {
    ThreadPool pool(threads);
    pool.for_each(pool.threads(), [this](std::size_t, const ThreadPool::Stop& stop) { work(stop); });
  }

  std::map<std::uint64_t, std::string> damage() && { return std::move(damage_); }

 private:
  void work(const ThreadPool::Stop& stop) {
    WordBuffer bits(checked_mul(piece_, shape_.block_words())), second(db_.has_second() ? bits.size() : 0);
    WordBuffer all(shape_.block_words());
    for (std::uint64_t first = 0; !stop && (first = next_.fetch_add(piece_)) < shape_.n_blocks();) {
      check_interrupt();
      const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(piece_, shape_.n_blocks() - first));
      for (const std::uint64_t block : db_.read_and_list_damaged(first, n, bits.data(), second.data()))
        note(block, "its checksum does not match");
      for (std::size_t b = 0; b < n; ++b) {
        const std::size_t at = b * shape_.block_words();
        check_padding(first + b, bits.data() + at, db_.has_second() ? second.data() + at : nullptr,
                      all.data());
      }
      if (!digests_.empty()) check_digest(first, n, bits.data(), db_.has_second() ? second.data() : nullptr);
      if (progress_) progress_(n);
    }
  }

  /// Finds blocks that were changed together with their own checksums.
  void check_digest(std::uint64_t first, std::size_t n, const Word* bits, const Word* second) {
    const std::size_t words = n * shape_.block_words();
    const std::string planes = sha256_of(bits, words) + (second ? sha256_of(second, words) : "");
    if (digests_[static_cast<std::size_t>(first / piece_)].substr(kDigestDigits) == planes) return;
    const std::lock_guard lock(guard_);
    const auto known = damage_.lower_bound(first);
    if (known == damage_.end() || known->first >= first + n)
      damage_.emplace(first,
                      fmt::format("it, or one of the {} after it, was changed: their SHA-256 does not match",
                                  counted(n - 1, "block")));
  }

  /// Finds bits past the last site, in an unused lane, or, where the second plane says what was called, at a
  /// site not called.
  void check_padding(std::uint64_t block, const Word* bits, const Word* second, Word* all) {
    const Word* const called = shape_.encoding == Encoding::kMinor && second ? second : all;
    const std::uint64_t lanes = std::min<std::uint64_t>(kLanes, shape_.n_profiles - block * kLanes);
    fill_all_called(shape_.n_sites, static_cast<std::size_t>(lanes), all);
    Word outside = 0, uncalled = 0;
    for (std::size_t i = 0; i < shape_.block_words(); ++i) {
      outside |= (bits[i] | (second ? second[i] : 0)) & ~all[i];
      uncalled |= bits[i] & ~called[i];
    }
    if (outside != 0)
      note(block, "it has bits past the last site or the last profile");
    else if (uncalled != 0)
      note(block, "it has alleles at sites that were not called");
  }

  void note(std::uint64_t block, const char* problem) {
    const std::lock_guard lock(guard_);
    damage_.emplace(block, problem);  // keeps the first problem of a block
  }

  const Reader& db_;
  BlockShape shape_;
  const std::vector<std::string>& digests_;
  const std::function<void(std::uint64_t)>& progress_;
  std::size_t piece_;
  std::atomic<std::uint64_t> next_{0};
  std::mutex guard_;
  std::map<std::uint64_t, std::string> damage_;
};

/// Checks that no id is empty or repeated. Eight bytes per profile: hashes find candidates, a second pass
/// confirms.
class IdCheck {
 public:
  IdCheck(const Reader& db, const std::vector<std::string>& digests, std::vector<Damage>& damage)
      : db_(db), digests_(digests), damage_(damage) {}

  void run() {
    hashes_.reserve(static_cast<std::size_t>(db_.shape().n_profiles));
    ContentDigests found(db_.shape());
    for_each_slab_of_ids([&](std::uint64_t first, const std::vector<std::string>& ids) {
      found.add_ids(ids);
      for (const std::string& id : ids) {
        if (id.empty()) damage_.push_back({fmt::format("profile {}", first), "its id is empty"});
        hashes_.push_back(xxh3_64(id.data(), id.size()));
        ++first;
      }
    });
    if (hashes_.size() == db_.shape().n_profiles) check_digests(found.rows());
    if (keep_repeated()) confirm();
  }

 private:
  void check_digests(const std::vector<std::string>& found) {
    const std::uint64_t piece = piece_blocks(db_.shape()) * kLanes;
    for (std::size_t i = 0; i < digests_.size(); ++i)
      if (!digests_[i].starts_with(found[i]))
        damage_.push_back({fmt::format("ids of profiles {} to {}", i * piece,
                                       std::min((i + 1) * piece, db_.shape().n_profiles) - 1),
                           "they were changed: their SHA-256 does not match"});
  }

  template <class Visit>
  void for_each_slab_of_ids(const Visit& visit) {
    for_each_slab(db_.shape().n_profiles, [&](std::uint64_t first, std::size_t n) {
      std::vector<std::string> ids;
      try {
        ids = db_.profile_ids(first, n);
      } catch (const InputError&) {
        note_unreadable(first, n);
      }
      visit(first, ids);
      return true;
    });
  }

  void note_unreadable(std::uint64_t first, std::size_t n) {
    const std::string place = fmt::format("ids of profiles {} to {}", first, first + n - 1);
    const bool known =
        std::any_of(damage_.begin(), damage_.end(), [&](const Damage& d) { return d.place == place; });
    if (!known) damage_.push_back({place, "their checksum does not match, or they are no names"});
  }

  /// Leaves only the hashes in hashes_ that occur more than once, sorted.
  bool keep_repeated() {
    std::sort(hashes_.begin(), hashes_.end());
    std::vector<std::uint64_t> repeated;
    for (std::size_t i = 1; i < hashes_.size(); ++i)
      if (hashes_[i] == hashes_[i - 1]) repeated.push_back(hashes_[i]);
    hashes_ = std::move(repeated);
    return !hashes_.empty();
  }

  void confirm() {
    std::map<std::string, std::uint64_t> first_row;
    for_each_slab_of_ids([&](std::uint64_t row, const std::vector<std::string>& ids) {
      for (const std::string& id : ids) look_up(first_row, row++, id);
    });
  }

  void look_up(std::map<std::string, std::uint64_t>& first_row, std::uint64_t row, const std::string& id) {
    if (id.empty() || !std::binary_search(hashes_.begin(), hashes_.end(), xxh3_64(id.data(), id.size())))
      return;
    const auto [known, is_new] = first_row.emplace(id, row);
    if (!is_new)
      damage_.push_back({fmt::format("profile {}", row), fmt::format("its id '{}' is also that of profile {}",
                                                                     printable(id), known->second)});
  }

  const Reader& db_;
  const std::vector<std::string>& digests_;
  std::vector<Damage>& damage_;
  std::vector<std::uint64_t> hashes_;
};

/// Checks the log, and all content against the checksum in the header.
void check_content(const Reader& db, const std::vector<std::string>& digests, std::vector<Damage>& damage) {
  const std::string& content = db.header().content_sha256;
  try {
    if (db.tags().sha256() != db.header().tags_sha256)
      damage.push_back({"tags", "they were changed: their SHA-256 does not match"});
  } catch (const InputError&) {
    damage.push_back({"tags", "they cannot be read"});
  }
  std::string log;
  try {
    log = db.log_text();
    check_counted(db.panel(), db.log(), db.path());
  } catch (const InputError&) {
    damage.push_back({"log", "it cannot be read, or is not of the panel"});
    return;
  }
  if (content.empty() && digests.empty()) return;  // an earlier fastid wrote it
  if (digests.empty() || content_sha256(db.header(), digests, log) != content)
    damage.push_back(
        {"content", "the panel, the log or the checksums were changed: the SHA-256 does not match"});
}

}  // namespace

std::vector<Damage> verify(const std::string& path, std::size_t threads,
                           const std::function<void(std::uint64_t)>& progress_blocks, VerifyDepth depth) {
  const Reader db(path);
  const std::vector<std::string> digests = db.digests();
  BlockCheck blocks(db, digests, progress_blocks);
  if (depth == VerifyDepth::kAll) blocks.run(threads);
  std::vector<Damage> damage;
  for (const auto& [block, problem] : std::move(blocks).damage())
    damage.push_back({block_name(db.shape(), block), problem});
  IdCheck(db, digests, damage).run();
  check_content(db, digests, damage);
  return damage;
}

}  // namespace fastid::db
