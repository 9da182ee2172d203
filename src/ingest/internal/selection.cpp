#include "ingest/internal/selection.hpp"

#include <fmt/format.h>

#include <unordered_set>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/text.hpp"

namespace fastid::ingest {
namespace {

constexpr std::uint64_t kPartBytes = std::uint64_t{32} << 20;  ///< of a plane

std::vector<std::uint64_t> rows_for(const db::Reader& reader, const std::vector<std::string>& wanted,
                                    const db::RowRule& rule) {
  if (!wanted.empty()) return reader.rows_of(wanted);
  const db::ChosenRows chosen = db::choose_rows(reader, rule);
  return chosen.rows ? chosen.rows->list() : std::vector<std::uint64_t>{};
}

}  // namespace

Selection::Selection(const db::Reader& reader, const std::vector<std::string>& wanted,
                     const db::RowRule& rule)
    : reader_(reader),
      rows_(rows_for(reader, wanted, rule)),
      shape_(reader.shape().with(rows_.empty() ? reader.shape().n_profiles : rows_.size())),
      part_(kLanes * std::max<std::uint64_t>(1, kPartBytes / shape_.block_bytes())) {
  std::unordered_set<std::uint64_t> seen;
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (!seen.insert(rows_[i]).second)
      throw UsageError(fmt::format("--profile {}: is given more than once", printable(wanted[i])));
}

std::vector<std::string> Selection::ids(std::uint64_t first, std::uint64_t n) const {
  std::vector<std::uint64_t> rows(n);
  for (std::uint64_t i = 0; i < n; ++i) rows[i] = row(first + i);
  return reader_.profile_ids(rows);
}

BitBlocks Selection::profiles(std::uint64_t first, std::uint64_t n) const {
  BitBlocks blocks(shape_.with(n));
  BlockReader stored(reader_);
  for (std::uint64_t i = 0; i < n; ++i) {
    const std::uint64_t at = row(first + i);
    blocks.copy_profile(i, stored.block_of(at), at % kLanes);
    if (i % kLanes == 0) check_interrupt();
  }
  return blocks;
}

}  // namespace fastid::ingest
