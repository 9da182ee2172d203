#include "bench/internal/workload.hpp"

#include <algorithm>
#include <vector>

#include "base/error.hpp"
#include "base/process.hpp"
#include "base/text.hpp"
#include "simulate/people.hpp"
#include "simulate/random.hpp"

namespace fastid::bench {
namespace {

constexpr std::uint64_t kContributors = 3;

/// Refuses what does not fit into memory, since the system would otherwise end the program in the middle of
/// its work.
void check_memory(std::uint64_t bytes) {
  const std::uint64_t physical = physical_memory_bytes();
  if (bytes > physical / 4 * 3)
    throw UsageError("the people of this measurement take " + with_commas(bytes >> 20) +
                     " MiB of memory, and this machine has " + with_commas(physical >> 20) +
                     "; take fewer --profiles or --sites, or a file (--db)");
}

std::size_t plane_words(const BlockShape& shape, bool with_second) {
  const std::uint64_t words = checked_mul<std::uint64_t>(shape.n_blocks(), shape.block_words());
  check_memory(checked_mul<std::uint64_t>(words, (with_second ? 2 : 1) * sizeof(Word)));
  return words;
}

/// What was seen of one profile at each site: a major allele where neither was.
std::vector<Seen> profile_of(BlockReader& blocks, std::uint64_t row) {
  const BlocksView block = blocks.block_of(row);
  const bool says_major = block.shape.encoding == Encoding::kAlleles;
  std::vector<Seen> sites(block.shape.n_sites);
  for (std::uint32_t s = 0; s < sites.size(); ++s) {
    const std::size_t word = s / kWordBits, lane = row % kLanes;
    const Word bit = Word{1} << (s % kWordBits);
    const bool minor = (block.bits_word(lane, word) & bit) != 0;
    const bool major = !minor || (says_major && (block.major_word(lane, word) & bit) != 0);
    sites[s] = minor ? (major ? kBothSeen : kMinorSeen) : kMajorSeen;
  }
  return sites;
}

}  // namespace

People::People(const BlockShape& shape, bool missing, ThreadPool& pool, std::uint64_t seed)
    : shape_(shape),
      bits_(plane_words(shape, missing || shape.encoding == Encoding::kAlleles)),
      second_(missing || shape.encoding == Encoding::kAlleles ? bits_.size() : 0) {
  const Panel panel = simulate::simulate_panel(shape.n_sites, seed);
  const simulate::People people(panel, {panel.populations()[0].minor_freq},
                                {.no_call = missing ? kNoCallRate : 0}, seed);
  simulate::observe_blocks(people, 0, shape, pool, bits_.data(), second_.data());
}

People::People(const BlockSource& source, ThreadPool& pool)
    : shape_(source.shape()),
      bits_(plane_words(shape_, source.has_second())),
      second_(source.has_second() ? bits_.size() : 0) {
  constexpr std::size_t kPiece = 64;  // blocks
  const auto n_blocks = static_cast<std::size_t>(shape_.n_blocks());
  pool.for_each(ceil_div(n_blocks, kPiece), [&](std::size_t i, const ThreadPool::Stop&) {
    const std::size_t first = i * kPiece, at = first * shape_.block_words();
    source.read(first, std::min(kPiece, n_blocks - first), bits_.data() + at,
                has_second() ? second_.data() + at : nullptr);
  });
}

ProfileRows make_queries(const BlockSource& source, engine::Comparison comparison, Encoding by, std::size_t n,
                         bool masked, std::uint64_t seed) {
  const std::uint64_t profiles = source.shape().n_profiles;
  const simulate::Probability error(kErrorRate), no_call(masked ? kNoCallRate : 0);
  BlockReader blocks(source);
  ProfileRows rows(n, source.shape().n_sites, by);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint64_t row = i * profiles / n;
    std::vector<Seen> seen = profile_of(blocks, row);
    for (std::uint64_t c = 1; c < kContributors && comparison == engine::Comparison::kMixture; ++c) {
      const auto other = profile_of(blocks, (row + c * (profiles / kContributors + 1)) % profiles);
      for (std::size_t s = 0; s < seen.size(); ++s) seen[s] |= other[s];
    }
    simulate::Stream errors(seed, simulate::Purpose::kCaseErrors, i),
        calls(seed, simulate::Purpose::kCaseCalls, i);
    for (std::uint32_t s = 0; s < rows.n_sites(); ++s)
      if (const bool wrong = (error.draw(errors) & 1) != 0; (no_call.draw(calls) & 1) == 0)
        rows.set_seen(i, s, !wrong ? seen[s] : (seen[s] & kMinorSeen) != 0 ? kMajorSeen : kBothSeen);
  }
  return rows;
}

}  // namespace fastid::bench
