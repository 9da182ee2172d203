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
#include "base/text.hpp"
#include "base/threads.hpp"
#include "db/database.hpp"
#include "db/plane_reader.hpp"
#include "db/profile_ids.hpp"

namespace fastid::db {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{1} << 20;

/// All blocks, shared out among threads in pieces. Damage is kept by block, so that its order is that of the
/// file.
class BlockCheck {
 public:
  BlockCheck(const Reader& db, const std::function<void(std::uint64_t)>& progress)
      : db_(db), shape_(db.shape()), progress_(progress) {
    piece_ = std::max<std::size_t>(1, kPieceBytes / shape_.block_bytes());
  }

  void run(std::size_t threads) {
    run_crew(std::max<std::size_t>(1, threads),
             [this](std::size_t, const std::atomic<bool>& failed) { work(failed); });
  }

  std::map<std::uint64_t, std::string> damage() && { return std::move(damage_); }

 private:
  void work(const std::atomic<bool>& failed) {
    WordBuffer bits(checked_mul(piece_, shape_.block_words())), called(db_.has_called() ? bits.size() : 0);
    WordBuffer all(shape_.block_words());
    for (std::uint64_t first = 0; !failed && (first = next_.fetch_add(piece_)) < shape_.n_blocks();) {
      check_interrupt();
      const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(piece_, shape_.n_blocks() - first));
      for (const std::uint64_t block : db_.read_and_list_damaged(first, n, bits.data(), called.data()))
        note(block, "its checksum does not match");
      for (std::size_t b = 0; b < n; ++b) {
        const std::size_t at = b * shape_.block_words();
        check_padding(first + b, bits.data() + at, db_.has_called() ? called.data() + at : nullptr,
                      all.data());
      }
      if (progress_) progress_(n);
    }
  }

  /// No bit past the last site, in an unused lane, or where nothing was called.
  void check_padding(std::uint64_t block, const Word* bits, const Word* called, Word* all) {
    const std::uint64_t lanes = std::min<std::uint64_t>(kLanes, shape_.n_profiles - block * kLanes);
    fill_all_called(shape_.n_sites, static_cast<std::size_t>(lanes), all);
    Word outside = 0, uncalled = 0;
    for (std::size_t i = 0; i < shape_.block_words(); ++i) {
      outside |= (bits[i] | (called ? called[i] : 0)) & ~all[i];
      uncalled |= bits[i] & ~(called ? called[i] : all[i]);
    }
    if (outside != 0)
      note(block, "it has bits past the last site or the last profile");
    else if (uncalled != 0)
      note(block, "it has alleles at sites that were not called");
  }

  void note(std::uint64_t block, const char* problem) {
    const std::lock_guard lock(guard_);
    damage_.emplace(block, problem);  // what is said of a block first stands
  }

  const Reader& db_;
  BlockShape shape_;
  const std::function<void(std::uint64_t)>& progress_;
  std::size_t piece_;
  std::atomic<std::uint64_t> next_{0};
  std::mutex guard_;
  std::map<std::uint64_t, std::string> damage_;
};

/// Ids: none empty, none twice. Eight bytes a profile: hashes find what may be equal, a second look confirms.
class IdCheck {
 public:
  IdCheck(const Reader& db, std::vector<Damage>& damage) : db_(db), damage_(damage) {}

  void run() {
    hashes_.reserve(static_cast<std::size_t>(db_.shape().n_profiles));
    for_each_id([this](std::uint64_t row, const std::string& id) {
      if (id.empty()) damage_.push_back({fmt::format("profile {}", row), "its id is empty"});
      hashes_.push_back(xxh3_64(id.data(), id.size()));
    });
    if (keep_repeated()) confirm();
  }

 private:
  template <class Visit>
  void for_each_id(const Visit& visit) {
    for_each_slab(db_.shape().n_profiles, [&](std::uint64_t first, std::size_t n) {
      std::vector<std::string> ids;
      try {
        ids = db_.profile_ids(first, n);
      } catch (const InputError&) {
        note_unreadable(first, n);
      }
      for (std::size_t i = 0; i < ids.size(); ++i) visit(first + i, ids[i]);
      return true;
    });
  }

  void note_unreadable(std::uint64_t first, std::size_t n) {
    const std::string place = fmt::format("ids of profiles {} to {}", first, first + n - 1);
    const bool known =
        std::any_of(damage_.begin(), damage_.end(), [&](const Damage& d) { return d.place == place; });
    if (!known) damage_.push_back({place, "their checksum does not match, or they are no names"});
  }

  /// Leaves in hashes_ those that occur more than once, sorted.
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
    for_each_id([&](std::uint64_t row, const std::string& id) {
      if (id.empty() || !std::binary_search(hashes_.begin(), hashes_.end(), xxh3_64(id.data(), id.size())))
        return;
      const auto [known, is_new] = first_row.emplace(id, row);
      if (!is_new)
        damage_.push_back(
            {fmt::format("profile {}", row),
             fmt::format("its id '{}' is also that of profile {}", printable(id), known->second)});
    });
  }

  const Reader& db_;
  std::vector<Damage>& damage_;
  std::vector<std::uint64_t> hashes_;
};

}  // namespace

std::vector<Damage> verify(const std::string& path, std::size_t threads,
                           const std::function<void(std::uint64_t)>& progress_blocks, VerifyDepth depth) {
  const Reader db(path);
  BlockCheck blocks(db, progress_blocks);
  if (depth == VerifyDepth::kAll) blocks.run(threads);
  std::vector<Damage> damage;
  for (const auto& [block, problem] : std::move(blocks).damage())
    damage.push_back({block_name(db.shape(), block), problem});
  IdCheck(db, damage).run();
  try {
    db.log();
  } catch (const InputError&) {
    damage.push_back({"log", "it cannot be read"});
  }
  return damage;
}

}  // namespace fastid::db
