// Every config header in the repository gives the native engine's ranking: with one, two and three buffers,
// with room for so few candidates that every tile overflows, and on a database sorted worst first, where
// every tile brings profiles better than all before it and so the bars never help.
//
// FASTID_TEST_OPENCL names the device (a selector of --device opencl:SELECTOR); by default the first.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "opencl/opencl_engine.hpp"
#include "pipeline/pipeline.hpp"

namespace fastid {
namespace {

struct Shape {
  std::uint64_t profiles;
  std::uint32_t sites;
  std::size_t queries;
};
// Edges of words, blocks and tiles; more queries than any m_c; more words than a k_c of the small configs.
constexpr Shape kShapes[] = {{1, 1, 1}, {33, 31, 2}, {700, 33, 70}, {2100, 257, 33}, {97, 14'079, 5}};

std::vector<std::string> config_files() {
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(FASTID_CONFIGS))
    if (entry.path().extension() == ".h") files.push_back(entry.path().string());
  std::ranges::sort(files);
  return files;
}

BitBlocks random_blocks(BlockShape shape, bool no_calls, std::mt19937_64& rng) {
  BitBlocks blocks(shape);
  for (std::uint64_t profile = 0; profile < shape.n_profiles; ++profile)
    for (std::uint32_t site = 0; site < shape.n_sites; ++site) {
      const std::uint64_t draw = rng();
      if (!no_calls || (draw & 0xF00) != 0) blocks.set(profile, site, (draw & 0xF0) < 0x50);
    }
  return blocks;
}

// The same profiles, those least like the first query first.
BitBlocks worst_first(Comparison comparison, const ProfileRows& queries, const BitBlocks& from) {
  std::vector<std::uint64_t> order(from.shape().n_profiles);
  std::iota(order.begin(), order.end(), 0);
  const BlocksView view = from.view();
  const auto count = [&](std::uint64_t row) {
    return count_pair(comparison, queries.row(0), view, row).count;
  };
  std::ranges::stable_sort(order, std::greater<>(), count);
  BitBlocks sorted(from.shape());
  for (std::uint64_t i = 0; i < order.size(); ++i) sorted.copy_profile(i, view, order[i]);
  return sorted;
}

struct World {
  World(const Shape& shape, Comparison asked, bool in_queries, bool in_database)
      : comparison(asked), rng(shape.profiles * 31 + shape.sites + shape.queries) {
    const BitBlocks people = random_blocks({shape.queries, shape.sites}, in_queries, rng);
    std::vector<std::uint64_t> all(shape.queries);
    std::iota(all.begin(), all.end(), 0);
    queries = ProfileRows::from_blocks(people.view(), all);
    database = worst_first(asked, queries, random_blocks({shape.profiles, shape.sites}, in_database, rng));
  }

  std::vector<RankedHits> ranked(Engine& engine) const {
    const MemorySource source(database.view());
    const Problem problem{comparison, &queries, source.shape(), source.has_called()};
    Ranking ranking(comparison, queries.n_rows(), KeepRule{.top = 5});
    Progress progress(ProgressMode::kNever, "", "", 1);
    stream(source, 0, source.shape().n_blocks(), problem, engine, ranking, progress);
    return ranking.result();
  }

  Comparison comparison;
  std::mt19937_64 rng;
  ProfileRows queries{0, 1};
  BitBlocks database{{1, 1}};
};

void expect_same(const std::vector<RankedHits>& found, const std::vector<RankedHits>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t q = 0; q < found.size(); ++q) {
    ASSERT_EQ(found[q].hits, expected[q].hits) << "query " << q;
    ASSERT_EQ(found[q].ties_cut, expected[q].ties_cut) << "query " << q;
  }
}

class OpenClConfigs : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (list_opencl_devices().empty()) GTEST_SKIP() << "no OpenCL driver is installed here";
    const char* const selector = std::getenv("FASTID_TEST_OPENCL");
    for (const std::size_t buffers : {1u, 2u, 3u})
      for (const std::size_t candidates : {std::size_t{7}, std::size_t{1} << 16})
        engines_.push_back(
            make_opencl_engine(selector == nullptr ? "" : selector,
                               {.tile_blocks = buffers, .buffers = buffers, .config_file = GetParam()},
                               {.candidates = candidates}));
  }

  std::vector<std::unique_ptr<Engine>> engines_;
};

TEST_P(OpenClConfigs, RankAsTheNativeEngineDoes) {
  const auto native = make_cpu_engine({});
  for (const Shape& shape : kShapes)
    for (const Comparison comparison :
         {Comparison::kIdentity, Comparison::kMixture, Comparison::kReverseMixture})
      for (int masks = 0; masks < 4; ++masks) {
        SCOPED_TRACE(::testing::Message()
                     << shape.profiles << " x " << shape.sites << ", " << shape.queries
                     << " queries, comparison " << static_cast<int>(comparison) << ", masks " << masks);
        const World world(shape, comparison, (masks & 1) != 0, (masks & 2) != 0);
        const std::vector<RankedHits> expected = world.ranked(*native);
        for (const auto& engine : engines_)
          ASSERT_NO_FATAL_FAILURE(expect_same(world.ranked(*engine), expected));
      }
}

INSTANTIATE_TEST_SUITE_P(All, OpenClConfigs, ::testing::ValuesIn(config_files()),
                         [](const auto& file) { return std::filesystem::path(file.param).stem().string(); });

}  // namespace
}  // namespace fastid
