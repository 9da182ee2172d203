#include "ingest/internal/rewrite.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "base/file.hpp"
#include "base/process.hpp"

namespace fastid::ingest {
namespace {

/// Some blocks of the old database, with their changes.
class ChangedBlocks {
 public:
  ChangedBlocks(std::uint64_t first, std::span<const std::string> ids, const BlocksView& old,
                RowChanges::const_iterator from, RowChanges::const_iterator end)
      : blocks_(old.shape.with(kept(old.shape.n_profiles, from, end))) {
    for (std::uint64_t i = 0, to = 0; i < old.shape.n_profiles; ++i) {
      const bool changed = from != end && from->first == first + i;
      const std::optional<Replacement> now = changed ? (from++)->second : Replacement{nullptr, 0};
      if (!now) continue;
      ids_.push_back(ids[static_cast<std::size_t>(i)]);
      if (now->blocks != nullptr)
        blocks_.copy_profile(to++, now->blocks->view(), now->profile);
      else
        blocks_.copy_profile(to++, old, i);
    }
  }

  std::span<const std::string> ids() const { return ids_; }
  BlocksView view() const { return blocks_.view(); }

 private:
  static std::uint64_t kept(std::uint64_t n, RowChanges::const_iterator from,
                            RowChanges::const_iterator end) {
    return n - static_cast<std::uint64_t>(
                   std::count_if(from, end, [](const auto& change) { return !change.second; }));
  }

  std::vector<std::string> ids_;
  BitBlocks blocks_;
};

}  // namespace

Rewrite::Rewrite(const ChangeOptions& options)
    : options_(options),
      pool_(threads_or_all(options.threads)),
      old_content_((open_regular(options.database), options.database)) {
  old_.emplace(options.database);
  old_->check_content();
}

void Rewrite::copy(const RowChanges& changes, std::size_t longest, std::string history,
                   const db::Policy& policy) {
  const db::Header& header = old_->header();
  writer_.emplace(options_.database, old_->panel(),
                  db::Writer::Options{.kind = header.kind,
                                      .encoding = header.shape.encoding,
                                      .id_bytes = longest,
                                      .pool = &pool_,
                                      .history = std::move(history),
                                      .over = old_->opened(),
                                      .policy = policy,
                                      .created_by = header.created_by,
                                      .created_utc = header.created_utc});
  Progress progress(options_.progress, "writing", "profiles", header.shape.n_profiles);
  old_->visit_all([&](std::uint64_t first, std::span<const std::string> ids, const BlocksView& blocks) {
    const auto from = changes.lower_bound(first), end = changes.lower_bound(first + ids.size());
    if (from == end) {
      writer_->append(ids, blocks);
    } else {
      const ChangedBlocks changed(first, ids, blocks, from, end);
      if (!changed.ids().empty()) writer_->append(changed.ids(), changed.view());
    }
    progress.add(ids.size());
  });
}

ChangeSummary Rewrite::finish(db::LogRecord record, db::Tags tags) {
  ChangeSummary summary{.before = old_->shape().n_profiles, .bytes_before = old_->file_bytes()};
  record.profiles_before = summary.before;
  writer_->set_tags(std::move(tags));
  writer_->finish(std::move(record));
  writer_.reset();
  old_.reset();
  summary.not_overwritten = old_content_.overwrite();
  const db::Reader now(options_.database);
  summary.after = now.shape().n_profiles;
  summary.bytes_after = now.file_bytes();
  return summary;
}

std::size_t longest_id(const db::Reader& reader, const RowChanges& changes) {
  std::size_t longest = 1;
  auto change = changes.begin();
  reader.scan_ids([&](std::uint64_t row, const std::string& id) {
    while (change != changes.end() && change->first < row) ++change;
    const bool removed = change != changes.end() && change->first == row && !change->second;
    if (!removed) longest = std::max(longest, id.size());
    return true;
  });
  return longest;
}

std::vector<std::uint64_t> kept_rows(std::uint64_t n, const RowChanges& changes) {
  std::vector<std::uint64_t> rows;
  rows.reserve(static_cast<std::size_t>(n));
  auto change = changes.begin();
  for (std::uint64_t row = 0; row < n; ++row) {
    const bool changed = change != changes.end() && change->first == row;
    if (!changed || change->second) rows.push_back(row);
    if (changed) ++change;
  }
  return rows;
}

}  // namespace fastid::ingest
