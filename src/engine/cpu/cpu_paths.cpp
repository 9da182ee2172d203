// Packs profiles, which then pass query by query.
#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "base/checked.hpp"
#include "engine/cpu/path_pass.hpp"
#include "engine/path_finder.hpp"

namespace fastid::engine {

struct PathFinder::Impl {
  // The profiles that meet some queries are in a core's cache from the first of these on.
  static constexpr std::size_t kQueries = 8, kGroups = 4;

  explicit Impl(const PathQueries& of) : queries(of) {}

  void pack(const BlocksView& profiles) {
    const PathTest& test = queries.test();
    const auto n = static_cast<std::size_t>(profiles.shape.n_profiles);
    packed.resize(ceil_div(n, kPathLanes) * packed_path_bytes(test.units.size()));
    pack_paths(test.units, profiles, packed.data());
    missing.resize(n);
    for (std::size_t place = 0; place < n; ++place) missing[place] = test.missing(profiles, place);
  }

  /// Of each packed profile, whether its pairs with queries [first, end) pass.
  void test_queries(std::size_t first, std::size_t end) {
    const std::size_t n = missing.size();
    passes.assign((end - first) * n, 1);
    for (const PathTable& table : queries.test().tables) {
      std::vector<std::vector<PathScores>> of_queries;
      for (std::size_t query = first; query < end; ++query)
        of_queries.push_back(path_scores(table, queries.codes(query)));
      for (std::size_t place = 0; place < n; place += kGroups * kPathLanes)
        for (std::size_t query = first; query < end; ++query)
          test_query(table, query, of_queries[query - first], place,
                     std::span(passes).subspan((query - first) * n, n));
    }
  }

  /// Of some packed profiles, from one on.
  void test_query(const PathTable& table, std::size_t query, std::span<const PathScores> of_query,
                  std::size_t first, std::span<std::uint8_t> pass) {
    const std::uint32_t missing_of_query = queries.missing(query);
    if (missing_of_query > table.most_missing) return;  // all pass
    const std::size_t end = std::min(pass.size(), first + kGroups * kPathLanes);
    path_pass(table, of_query,
              packed.data() + first / kPathLanes * packed_path_bytes(queries.test().units.size()),
              ceil_div(end - first, kPathLanes), scores.data());
    for (std::size_t place = first; place < end; ++place)
      pass[place] = static_cast<std::uint8_t>(
          pass[place] & (table.passes(scores[place - first], missing_of_query + missing[place]) ? 1 : 0));
  }

  const PathQueries& queries;
  std::vector<std::uint32_t> missing;  ///< of each profile
  std::vector<std::uint8_t> packed, passes;
  std::array<std::uint8_t, kGroups * kPathLanes> scores{};
};

PathFinder::PathFinder(const PathQueries& queries) : impl_(std::make_unique<Impl>(queries)) {}
PathFinder::~PathFinder() = default;

void PathFinder::find(const BlocksView& profiles, std::uint32_t first,
                      std::span<std::vector<std::uint32_t>> found) {
  impl_->pack(profiles);
  const std::size_t n = impl_->missing.size();
  for (std::size_t begin = 0; begin < found.size(); begin += Impl::kQueries) {
    const std::size_t end = std::min(found.size(), begin + Impl::kQueries);
    impl_->test_queries(begin, end);
    for (std::size_t query = begin; query < end; ++query)
      for (std::size_t place = 0; place < n; ++place)
        if (impl_->passes[(query - begin) * n + place] != 0)
          found[query].push_back(first + static_cast<std::uint32_t>(place));
  }
}

}  // namespace fastid::engine
