#include "part/candidates.hpp"

#include <algorithm>

#include "base/process.hpp"
#include "base/thread_pool.hpp"

namespace fastid::part {
namespace {

constexpr std::string_view kTies = "ties";

static_assert(sizeof(engine::Pair) == 24 && std::has_unique_object_representations_v<engine::Pair>,
              "a candidate is a row, a query and three counts");

/// Pairs that a shard has cut off.
struct CutTies {
  engine::Pair last;    ///< the last pair that the shard has kept, with which they tie
  std::uint64_t n = 0;  ///< how many
};
static_assert(sizeof(CutTies) == 32);

/// A bar of a query's histogram.
struct Bar {
  std::uint32_t query = 0, count = 0;
  std::uint64_t profiles = 0;
};

/// The pairs of ranks first .. end - 1, from 0, by rank.
std::vector<engine::Pair> band_of(std::span<const match::RankedPairs> ranked, std::size_t first,
                                  std::size_t end) {
  std::vector<engine::Pair> band;
  for (std::size_t rank = first; rank < end; ++rank)
    for (const match::RankedPairs& query : ranked)
      if (rank < query.pairs.size()) band.push_back(query.pairs[rank]);
  return band;
}

/// One part's candidates, band by band.
class Candidates {
 public:
  Candidates(const File& part, const Range& rows, std::size_t n_queries)
      : part_(part), rows_(rows), n_queries_(n_queries), bands_(part.sections(kCandidates)) {}

  /// Whether there is a further band, and one of its pairs may be among the best.
  bool has_more() const { return more_ && next_ < bands_.size(); }

  /// Offers the pairs of the next band to the ranking.
  void offer(match::Ranking& ranking) {
    const std::vector<engine::Pair> pairs = part_.read<engine::Pair>(*bands_[next_++]);
    for (const engine::Pair& pair : pairs) check(pair);
    ranking.take(pairs);
    // A query's pairs are in their order, so that only its last one need be looked at.
    const auto last = pairs.end() - static_cast<std::ptrdiff_t>(std::min(pairs.size(), n_queries_));
    more_ =
        std::any_of(last, pairs.end(), [&](const engine::Pair& pair) { return ranking.may_be_listed(pair); });
  }

  bool has(std::uint64_t row) const { return row >= rows_.first && row < rows_.end; }
  [[noreturn]] void refuse(const std::string& problem) const { part_.refuse(kCandidates, problem); }

  void add_ties(match::Ranking& ranking) const {
    for (const Section* const section : part_.sections(kTies))
      for (const CutTies& ties : part_.read<CutTies>(*section)) {
        check(ties.last);
        if (ties.n > rows_.end - rows_.first) part_.refuse(kTies, "has more than there can be");
        ranking.add_ties_cut(ties.last, ties.n);
      }
  }

 private:
  void check(const engine::Pair& pair) const {
    if (pair.query >= n_queries_ || !has(pair.row))
      part_.refuse(kCandidates, "has a pair that is not of this shard");
  }

  const File& part_;
  Range rows_;
  std::size_t n_queries_;
  std::vector<const Section*> bands_;
  std::size_t next_ = 0;
  bool more_ = true;
};

}  // namespace

void add_candidates(std::span<const match::RankedPairs> ranked, Writer& to) {
  std::size_t most = 0;
  for (const match::RankedPairs& query : ranked) most = std::max(most, query.pairs.size());
  for (std::size_t first = 0, end = 1; first < most; first = end, end *= 2)
    to.add<engine::Pair>(kCandidates, band_of(ranked, first, end));
  std::vector<CutTies> ties;
  for (const match::RankedPairs& query : ranked)
    if (query.ties_cut > 0) ties.push_back({query.pairs.back(), query.ties_cut});
  to.add<CutTies>(kTies, ties);
}

std::vector<match::RankedPairs> merged(const PartSet& parts, std::size_t n_queries,
                                       const match::KeepRule& rule, std::span<const match::QueryRule> own,
                                       const std::function<Range(const Shard&)>& rows_of,
                                       std::size_t threads) {
  match::Ranking ranking(n_queries, rule, own);
  std::vector<Candidates> left;
  for (std::size_t i = 0; i < parts.size(); ++i)
    left.emplace_back(parts.part(i), rows_of(parts.part(i).head().shard), n_queries);
  std::vector<Candidates*> asked;
  ThreadPool pool(std::min(threads, parts.size()));
  // The first bands of all parts come first, so that thresholds are high when the second ones are looked at.
  do {
    asked.clear();
    for (Candidates& part : left)
      if (part.has_more()) asked.push_back(&part);
    pool.for_each(asked.size(), [&](std::size_t i, const ThreadPool::Stop&) {
      check_interrupt();
      asked[i]->offer(ranking);
    });
  } while (!asked.empty());
  for (const Candidates& part : left) part.add_ties(ranking);
  return ranking.result([&](std::uint64_t row, const std::string& problem) {
    for (const Candidates& part : left)
      if (part.has(row)) part.refuse(problem);
  });
}

void add_histograms(const match::CountHistograms& histograms, std::size_t n_queries, Writer& to,
                    std::string_view section) {
  std::vector<Bar> bars;
  for (std::uint32_t query = 0; query < n_queries; ++query) {
    const std::vector<std::uint64_t>& profiles = histograms.of_query(query);
    for (std::uint32_t count = 0; count < profiles.size(); ++count)
      if (profiles[count] > 0) bars.push_back({query, count, profiles[count]});
  }
  to.add<Bar>(section, bars);
}

void read_histograms(const PartSet& parts, std::size_t n_queries, match::CountHistograms& into,
                     std::string_view section) {
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (const Section* const some : parts.part(i).sections(section))
      for (const Bar& bar : parts.part(i).read<Bar>(*some)) {
        if (bar.query >= n_queries || bar.count >= into.of_query(bar.query).size())
          parts.part(i).refuse(section, "has a count that cannot be");
        into.add(bar.query, bar.count, bar.profiles);
      }
}

}  // namespace fastid::part
