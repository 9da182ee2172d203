// What is written is what is read, for shapes on both sides of every edge.
#include <sys/resource.h>

#include <csignal>
#include <thread>

#include "base/error.hpp"
#include "base/hash.hpp"
#include "db_testing.hpp"
#include "library_may_leak.hpp"
#include "support/checksums.hpp"

namespace fastid::db {
namespace {

using namespace testing;
using ::testing::Combine;
using ::testing::Values;

struct Case {
  std::size_t profiles, sites;
  double no_calls;
};

void expect_checksums_of_blocks(const Reader& db) {
  const std::size_t n = db.shape().n_blocks();
  WordBuffer bits(n * db.shape().block_words()), called(db.has_second() ? bits.size() : 0);
  db.read(0, n, bits.data(), called.data());
  const BlocksView all{db.shape(), bits.data(), db.has_second() ? called.data() : nullptr};
  EXPECT_TRUE(std::ranges::equal(db.checksums(), fastid::testing::block_checksums(all)));
}

void expect_round_trip(const Case& c, std::size_t batch, std::size_t chunk_blocks, std::size_t step) {
  SCOPED_TRACE(::testing::Message() << c.profiles << " x " << c.sites << ", no calls " << c.no_calls
                                    << ", batch " << batch << ", chunk " << chunk_blocks << ", step "
                                    << step);
  const Folder folder;
  const People people = random_people(c.profiles, c.sites, c.no_calls, 7);
  build(folder / "db.h5", people, batch, chunk_blocks);
  const Reader db(folder / "db.h5");
  EXPECT_EQ(db.shape(), (BlockShape{c.profiles, static_cast<std::uint32_t>(c.sites)}));
  EXPECT_EQ(letters_of(db, step), people);
  EXPECT_EQ(db.profile_ids(0, c.profiles), ids_of(c.profiles));
  EXPECT_TRUE(verify(folder / "db.h5", 3, nullptr).empty());
  const bool all_called = std::all_of(people.begin(), people.end(),
                                      [](const std::string& p) { return p.find('-') == std::string::npos; });
  EXPECT_EQ(db.has_second(), !all_called);
  expect_checksums_of_blocks(db);
  EXPECT_TRUE(Reader(folder / "db.h5", BlockChecks::kNone).checksums().empty());
}

TEST(RoundTrip, EveryEdgeOfProfilesAndSites) {
  for (const std::size_t profiles : {1, 31, 32, 33, 100})
    for (const std::size_t sites : {1, 31, 32, 33, 1000})
      for (const double no_calls : {0.0, 0.1}) expect_round_trip({profiles, sites, no_calls}, 64, 1, 2);
}

TEST(RoundTrip, ManyProfilesAndManySites) {
  expect_round_trip({1000, 33, 0.02}, 1024, 0, 5);
  expect_round_trip({1000, 1000, 0}, 320, 3, 7);
  expect_round_trip({33, 14079, 0.05}, 32, 0, 1);
  expect_round_trip({2, 14079, 0}, 32, 0, 1);
}

TEST(RoundTrip, ManyChunksAndPiecesThatSpanThem) {
  for (const std::size_t chunk : {1, 2, 3, 7})
    for (const std::size_t step : {1, 2, 16, 1000}) expect_round_trip({997, 40, 0.01}, 96, chunk, step);
}

TEST(RoundTrip, ChunksAreLargerThanOneMebibyteWhereThereIsMore) {
  expect_round_trip({32 * 300, 1024, 0}, 3200, 0, 1000);    // 1.2 MiB: one chunk
  expect_round_trip({32 * 2100, 1024, 0}, 32000, 0, 1000);  // over 8 MiB: two
}

TEST(RoundTrip, CalledPlaneIsBackfilledWhereverTheFirstMissingSiteComes) {
  const std::size_t n = 32 * 9 + 5;
  for (const std::size_t first_missing : {std::size_t{0}, std::size_t{31}, std::size_t{32}, std::size_t{95},
                                          std::size_t{96}, std::size_t{200}, n - 1}) {
    const Folder folder;
    People people = random_people(n, 45, 0, 3);
    people[first_missing][44] = '-';
    for (const std::size_t batch : {32, 64, 320}) {
      build(folder / "db.h5", people, batch, 2);
      const Reader db(folder / "db.h5");
      EXPECT_TRUE(db.has_second());
      EXPECT_EQ(letters_of(db, 4), people);
      EXPECT_TRUE(verify(folder / "db.h5", 2, nullptr).empty());
    }
  }
}

TEST(RoundTrip, CalledPlaneThatIsGivenButFullIsLeftOut) {
  const Folder folder;
  People people = random_people(40, 45, 0, 3);
  const BitBlocks blocks = pack(people, 0, 40);
  WordBuffer called(blocks.view().shape.n_blocks() * blocks.view().shape.block_words());
  for (std::size_t i = 0; i < 40; ++i)
    for (std::size_t s = 0; s < 45; ++s) called.data()[i / 32 * 64 + s / 32 * 32 + i % 32] |= 1u << s % 32;
  Writer writer(folder / "db.h5", make_panel(45), {});
  BlocksView view = blocks.view();
  view.second = called.data();
  writer.append(ids_of(40), view);
  writer.finish({});
  EXPECT_FALSE(Reader(folder / "db.h5").has_second());
}

TEST(RoundTrip, HeaderPanelAndLog) {
  const Folder folder;
  const People people = random_people(33, 70, 0.1, 1);
  build(folder / "db.h5", people);
  const Reader db(folder / "db.h5");
  const Panel panel = make_panel(70);
  EXPECT_EQ(db.panel().sites(), panel.sites());
  EXPECT_EQ(db.panel().build(), panel.build());
  EXPECT_EQ(db.panel().sha256(), panel.sha256());
  ASSERT_EQ(db.panel().populations().size(), 2u);
  EXPECT_EQ(db.panel().populations()[0].name, "YRI");
  EXPECT_EQ(db.panel().populations()[1].name, "CEU.2");
  EXPECT_EQ(db.panel().populations()[1].minor_freq, panel.populations()[1].minor_freq);
  EXPECT_EQ(db.header().kind, Kind::kIndividuals);
  EXPECT_EQ(db.header().format_version, 1u);
  EXPECT_TRUE(db.header().created_by.starts_with("fastid 0."));
  const auto log = db.log();
  ASSERT_EQ(log.size(), 1u);
  EXPECT_EQ(log[0].action, "build");
  EXPECT_EQ(log[0].utc, db.header().created_utc);
  EXPECT_EQ(log[0].profiles_before, 0u);
  EXPECT_EQ(log[0].profiles_after, 33u);
  ASSERT_EQ(log[0].inputs.size(), 1u);
  EXPECT_EQ(log[0].inputs[0].name, "people.vcf");
  EXPECT_EQ(log[0].inputs[0].profiles, 33u);
  EXPECT_EQ(db.file_bytes(), std::filesystem::file_size(folder / "db.h5"));
}

TEST(RoundTrip, ManyPopulationsKeepTheirOrder) {
  const Folder folder;
  std::vector<Population> populations;
  for (int i = 40; i > 0; --i) populations.push_back({"pop" + std::to_string(i), {0.01 * i}});
  Writer writer(folder / "db.h5",
                Panel({{"rs1", "1", 5, 'A', 'T'}}, populations, GenomeBuild::kUnknown, "test"), {});
  writer.append(ids_of(1), pack({"1"}, 0, 1).view());
  writer.finish({});
  const Reader db(folder / "db.h5");
  ASSERT_EQ(db.panel().populations().size(), 40u);
  EXPECT_EQ(db.panel().populations()[0].name, "pop40");
  EXPECT_EQ(db.panel().populations()[39].name, "pop1");
}

TEST(RoundTrip, MixturesKind) {
  const Folder folder;
  Writer writer(folder / "db.h5", make_panel(3), {.kind = Kind::kMixtures});
  writer.append(ids_of(1), pack({"1-0"}, 0, 1).view());
  writer.finish({});
  EXPECT_EQ(Reader(folder / "db.h5").header().kind, Kind::kMixtures);
}

TEST(RoundTrip, SameInputsAtTheSameTimeGiveTheSameBytes) {
  ::setenv("SOURCE_DATE_EPOCH", "1700000000", 1);
  const Folder folder;
  const People people = random_people(100, 70, 0.1, 1);
  build(folder / "a.h5", people);
  std::this_thread::sleep_for(std::chrono::milliseconds(1100));  // HDF5 would keep whole seconds
  build(folder / "b.h5", people);
  EXPECT_TRUE(fastid::testing::read_bytes(folder / "a.h5") == fastid::testing::read_bytes(folder / "b.h5"));
  EXPECT_EQ(Reader(folder / "a.h5").header().created_utc, "2023-11-14T22:13:20Z");
  ::unsetenv("SOURCE_DATE_EPOCH");
}

TEST(Ids, AreReadByRowInAnyOrder) {
  const Folder folder;
  const People people(5000, "1");
  build(folder / "db.h5", people);
  const Reader db(folder / "db.h5");
  EXPECT_EQ(db.profile_ids(std::vector<std::uint64_t>{4999, 0, 4999, 17, 4096}),
            (std::vector<std::string>{"person-4999", "person-0", "person-4999", "person-17", "person-4096"}));
  EXPECT_TRUE(db.profile_ids(std::vector<std::uint64_t>{}).empty());
  EXPECT_EQ(db.profile_ids(4095, 2), (std::vector<std::string>{"person-4095", "person-4096"}));
  EXPECT_THROW(db.profile_ids(std::vector<std::uint64_t>{5000}), Failure);
  EXPECT_THROW(db.profile_ids(4999, 2), Failure);
}

TEST(Ids, RowsAreFound) {
  const Folder folder;
  build(folder / "db.h5", People(70000, "1"), 70016);
  const Reader db(folder / "db.h5");
  const std::vector<std::string> ids = {"person-69999", "person-0", "person-65536", "person-0",
                                        "person-65535"};
  EXPECT_EQ(db.rows_of(ids), (std::vector<std::uint64_t>{69999, 0, 65536, 0, 65535}));
  EXPECT_TRUE(db.rows_of({}).empty());
  EXPECT_EQ(db.row_of("person-69999"), 69999u);
  for (const std::string absent :
       {"person-70000", "person-", "", "person-0-and-a-name-that-is-far-too-long"}) {
    EXPECT_EQ(db.row_of(absent), std::nullopt) << absent;
    EXPECT_THROW(db.rows_of(std::vector<std::string>{"person-1", absent}), InputError) << absent;
  }
}

TEST(Ids, ScanStopsWhereItIsTold) {
  const Folder folder;
  build(folder / "db.h5", People(70000, "1"), 70016);
  const Reader db(folder / "db.h5");
  std::uint64_t seen = 0;
  db.scan_ids([&](std::uint64_t row, const std::string& id) {
    EXPECT_EQ(row, seen++);
    EXPECT_EQ(id, "person-" + std::to_string(row));
    return row < 66000;
  });
  EXPECT_EQ(seen, 66001u);
}

TEST(Ids, EmptyAndTooLongAreRefused) {
  const Folder folder;
  Writer writer(folder / "db.h5", make_panel(1), {.id_bytes = 4});
  const BitBlocks one = pack({"1"}, 0, 1);
  EXPECT_THROW(writer.append(std::vector<std::string>{""}, one.view()), InputError);
  EXPECT_THROW(writer.append(std::vector<std::string>{"12345"}, one.view()), InputError);
  EXPECT_THROW(writer.append(std::vector<std::string>{std::string("a\0b", 3)}, one.view()), InputError);
  EXPECT_THROW(writer.append(std::vector<std::string>{"a", "b"}, one.view()), Failure);
  writer.append(std::vector<std::string>{"1234"}, one.view());
  writer.finish({});
  EXPECT_EQ(Reader(folder / "db.h5").profile_ids(0, 1)[0], "1234");
}

TEST(Writer, ANoProfileDatabaseIsRefusedAndNothingAppears) {
  const Folder folder;
  {
    Writer writer(folder / "db.h5", make_panel(1), {});
    EXPECT_THROW(writer.finish({}), InputError);
  }
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(Writer, AnUnfinishedDatabaseLeavesTheOldOne) {
  const Folder folder;
  build(folder / "db.h5", random_people(5, 5, 0, 1));
  const std::string before = fastid::testing::read_bytes(folder / "db.h5");
  {
    Writer writer(folder / "db.h5", make_panel(1), {});
    writer.append(ids_of(1), pack({"1"}, 0, 1).view());
  }
  EXPECT_TRUE(fastid::testing::read_bytes(folder / "db.h5") == before);
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(Writer, ProfilesOfAnotherPanelAreRefused) {
  const Folder folder;
  Writer other(folder / "other.h5", make_panel(2), {});
  EXPECT_THROW(other.append(ids_of(1), pack({"101"}, 0, 1).view()), Failure);
}

TEST(Writer, ProfilesComeInGroupsOfAnySize) {
  for (const std::size_t batch : {1, 5, 31, 33, 50, 64, 100}) expect_round_trip({333, 70, 0.05}, batch, 2, 3);
  for (const std::size_t batch : {7, 96}) expect_round_trip({333, 64, 0}, batch, 3, 1);
}

TEST(Writer, StrayBitsAreRefused) {
  const Folder folder;
  Writer writer(folder / "db.h5", make_panel(2), {});
  std::vector<Word> block(32);
  block[0] = 4;  // site 2 of 2
  EXPECT_THROW(writer.append(ids_of(1), {{1, 2}, block.data(), nullptr}), Failure);
  block[0] = 0;
  block[1] = 1;  // profile 1 of 1
  EXPECT_THROW(writer.append(ids_of(1), {{1, 2}, block.data(), nullptr}), Failure);
}

TEST(Writer, AFolderThatDoesNotExistIsAFailure) {
  EXPECT_THROW(Writer("/nowhere/db.h5", make_panel(1), {}), Failure);
}

/// A file-size limit does what a full disk does: writes fail half-way.
TEST(Writer, AWriteThatFailsIsAFailureAndNothingAppears) {
  const Folder folder;
  rlimit old{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const People people = random_people(32, 300, 0, 1);
  const LibraryMayLeak leak;
  for (const rlim_t limit : {1000, 20000, 80000, 200000, 1000000, 1100000}) {
    const rlimit small{limit, old.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    EXPECT_THROW(build(folder / "db.h5", people), Failure) << limit;
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
    EXPECT_EQ(folder.entries(), 0u);
  }
  std::signal(SIGXFSZ, handler);
}

TEST(Reader, ManyThreadsReadAtOnceAndTwoReadersShareAFile) {
  const Folder folder;
  const People people = random_people(1000, 100, 0.1, 5);
  build(folder / "db.h5", people, 1024, 3);
  std::filesystem::permissions(folder / "db.h5", std::filesystem::perms::owner_read);
  const Reader one(folder / "db.h5"), two(folder / "db.h5");
  std::vector<std::jthread> crew;
  std::atomic<int> right{0};
  for (int i = 0; i < 4; ++i)
    crew.emplace_back([&, i] {
      const Reader& db = i % 2 ? one : two;
      right += letters_of(db, static_cast<std::size_t>(i + 1)) == people &&
               db.profile_ids(std::vector<std::uint64_t>{999})[0] == "person-999";
    });
  crew.clear();
  EXPECT_EQ(right, 4);
}

TEST(Reader, BlocksPastTheEndAreADefect) {
  const Folder folder;
  build(folder / "db.h5", random_people(40, 33, 0, 5));
  const Reader db(folder / "db.h5");
  std::vector<Word> bits(300);
  EXPECT_THROW(db.read(2, 1, bits.data(), nullptr), Failure);
  EXPECT_THROW(db.read(UINT64_MAX, 2, bits.data(), nullptr), Failure);
}

}  // namespace
}  // namespace fastid::db
