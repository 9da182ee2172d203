#include "asking/stored_profiles.hpp"

namespace fastid {

ShortlistSource::ShortlistSource(const db::Reader& reader, std::span<const QueryMatches> shortlists)
    : source_(&reader) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20, kReads = 2;
  const BlockShape shape = reader.shape();
  const std::uint64_t planes = reader.has_second() ? 2 : 1, words = shape.n_blocks() * shape.block_words();
  std::uint64_t rows = 0;
  for (const QueryMatches& query : shortlists) rows += query.rows.size();
  if (rows < kReads * shape.n_blocks() || planes * words * sizeof(Word) > kMostBytes) return;
  bits_ = WordBuffer(static_cast<std::size_t>(words));
  if (reader.has_second()) second_ = WordBuffer(bits_.size());
  reader.read(0, static_cast<std::size_t>(shape.n_blocks()), bits_.data(), second_.data());
  memory_.emplace(BlocksView{shape, bits_.data(), reader.has_second() ? second_.data() : nullptr});
  source_ = &*memory_;
}

}  // namespace fastid
