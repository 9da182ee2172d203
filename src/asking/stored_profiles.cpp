#include "asking/stored_profiles.hpp"

#include "base/thread_pool.hpp"

namespace fastid::asking {

ShortlistSource::ShortlistSource(const db::Reader& reader, std::span<const match::QueryMatches> shortlists,
                                 std::size_t threads)
    : database_(&reader) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20, kReads = 2, kPlanes = 3;
  const BlockShape shape = reader.shape();
  std::uint64_t rows = 0;
  for (const match::QueryMatches& query : shortlists) rows += query.rows.size();
  if (rows < kReads * shape.n_blocks() ||
      kPlanes * shape.n_blocks() * shape.block_words() * sizeof(Word) > kMostBytes)
    return;
  ThreadPool pool(threads);
  rows_ = ProfileRows::from_source(reader, 0, static_cast<std::size_t>(shape.n_profiles), pool);
}

}  // namespace fastid::asking
